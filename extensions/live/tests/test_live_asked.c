/* Asked: a follower answers who asks, and nobody else; reports only, by a child that tells a
 * number.
 */
#define UNIT_OWN_MAIN
#include "extensions/live/live_asked.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/heap.h"

#define PROCESS 41

static char folder[] = "/tmp/test_live_asked.XXXXXX";
static struct sc_top_process process;
static int code; /* of the next report */

static struct sc_top_process *find(void *data, int number, char path[PATH_MAX])
{
	(void)data;
	snprintf(path, PATH_MAX, "%s/1.sct", folder);
	return number == PROCESS ? &process : NULL;
}

static int report(void *data, const struct sc_options *o, char (*paths)[PATH_MAX], size_t count)
{
	(void)data;
	(void)o;
	(void)paths;
	(void)count;
	return code;
}

static void listen_to(struct sc_live_asked *a)
{
	sc_live_asked_init(a, folder, &(struct sc_live_known){find, report, NULL});
	assert_true(a->fd >= 0);
}

static void finish(struct sc_live_asked *a)
{
	char path[PATH_MAX];

	sc_live_asked_fini(a);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	snprintf(path, sizeof(path), "%s/" SC_ASK_NAME, folder);
	assert_int_equal(unlink(path), 0);
}

static int connect_to(void)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/1.sct", folder);
	fd = sc_ask_open(path);
	assert_true(fd >= 0);
	return fd;
}

/* Asks for a report of a process, which goes to nowhere. */
static void ask(int fd, int number)
{
	struct sc_ask_request *r = sc_heap_xcalloc(1, sizeof(*r));
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	int here = open(".", O_PATH | O_CLOEXEC);
	const int fds[SC_ASK_FDS] = {here, nowhere, nowhere};

	memcpy(r->magic, SC_ASK_MAGIC, sizeof(r->magic));
	r->kind = SC_ASK_REPORT;
	r->count = 1;
	r->processes[0] = number;
	r->options_bytes = 1;
	assert_int_equal(sc_ask_send(fd, r, SC_ASK_REQUEST_BYTES(r), fds, SC_ASK_FDS),
			 SC_ASK_REQUEST_BYTES(r));
	free(r);
	close(nowhere);
	close(here);
}

/* What the follower says next; -EAGAIN: nothing. */
static long hear(int fd, struct sc_ask_answer *out)
{
	unsigned files;
	int file;

	return sc_ask_receive(fd, out, sizeof(*out), &file, 1, &files);
}

static struct sc_ask_answer await(struct sc_live_asked *a, int fd)
{
	struct sc_ask_answer out;
	long got;

	while ((got = hear(fd, &out)) == -EAGAIN) {
		sc_live_asked_step(a, 1);
		sched_yield();
	}
	assert_int_equal(got, sizeof(out));
	return out;
}

static void expect_report(struct sc_live_asked *a, int fd, int number)
{
	struct sc_ask_answer done;

	code = number;
	ask(fd, PROCESS);
	assert_int_equal(await(a, fd).state, SC_ASK_TAKEN);
	assert_true(sc_live_asked_lends(a));
	done = await(a, fd);
	assert_int_equal(done.state, SC_ASK_DONE);
	assert_int_equal(done.code, number);
	assert_false(sc_live_asked_lends(a));
}

TEST(answers)
{
	struct sc_live_asked a;
	struct sc_ask_answer unknown;
	int fd;

	listen_to(&a);
	fd = connect_to();
	expect_report(&a, fd, 7);
	ask(fd, PROCESS + 1);
	unknown = await(&a, fd);
	assert_int_equal(unknown.state, SC_ASK_UNKNOWN);
	assert_int_equal(unknown.code, PROCESS + 1);
	expect_report(&a, fd, 9);
	close(fd);
	finish(&a);
}

/* Who asks and leaves before the answer begins: its child ends, and nobody else gets the answer. */
TEST(leaves_at_once)
{
	struct sc_ask_answer unasked;
	struct sc_live_asked a;
	int fd;

	listen_to(&a);
	code = 7;
	fd = connect_to();
	ask(fd, PROCESS);
	close(fd);
	sc_live_asked_step(&a, 1);
	fd = connect_to();
	do
		sc_live_asked_step(&a, 1);
	while (sc_live_asked_lends(&a));
	sc_live_asked_step(&a, 1);
	assert_int_equal(hear(fd, &unasked), -EAGAIN);
	expect_report(&a, fd, 9);
	close(fd);
	finish(&a);
}

/* The same, and the follower ends before it looks again. */
TEST(ends_after_that)
{
	struct sc_live_asked a;
	int fd;

	listen_to(&a);
	fd = connect_to();
	ask(fd, PROCESS);
	close(fd);
	sc_live_asked_step(&a, 1);
	finish(&a);
}

TEST(hostile)
{
	struct sc_ask_answer none;
	struct sc_live_asked a;
	int fd;

	listen_to(&a);
	fd = connect_to();
	assert_int_equal(sc_ask_send(fd, "SCASK001", 8, NULL, 0), 8);
	sc_live_asked_step(&a, 1);
	assert_int_equal(hear(fd, &none), 0);
	close(fd);
	finish(&a);
}

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = unit_run();
	rmdir(folder);
	return failed;
}
