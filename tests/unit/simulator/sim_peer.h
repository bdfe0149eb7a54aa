/* Another process with a device of its own, which is asked to do things. The including file defines
 * struct request, struct answer, and what the peer does.
 */
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/unit/simulator/sim_fixture.h"

static struct answer answer_to(struct request *r);

static int to_peer;

static void serve(int from)
{
	struct request r;
	struct answer a;

	OK(cuInit(0));
	assert_int_equal(sim_setup(NULL), 0);
	while (read(from, &r, sizeof(r)) == sizeof(r)) {
		a = answer_to(&r);
		assert_int_equal(write(from, &a, sizeof(a)), sizeof(a));
	}
}

/* CUDA does not survive a fork: the other process begins before it. */
static int begin(void **state)
{
	int ends[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return -1;
	if (!fork()) {
		close(ends[0]);
		serve(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	to_peer = ends[0];
	return cuInit(0);
}

static struct answer ask(struct request r)
{
	struct answer a;

	assert_int_equal(write(to_peer, &r, sizeof(r)), sizeof(r));
	assert_int_equal(read(to_peer, &a, sizeof(a)), sizeof(a));
	return a;
}

static int end(void **state)
{
	int status;

	(void)state;
	close(to_peer);
	return wait(&status) < 0 || status;
}
