/* Submitters: a thread that has work to do, that waits, and that is gone. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "simulator/driver/schedule/submitter.h"

#define FOREVER UINT64_MAX

enum state { BEGINS, WORKS, WAITS, ENDS };

static struct {
	struct sim_submitter submitter;
	atomic_int state;
	int pipe[2];
} thread;

static void *go_on(void *unused)
{
	char byte;

	sim_submitter_init(&thread.submitter);
	atomic_store(&thread.state, WORKS);
	while (atomic_load(&thread.state) == WORKS)
		;
	while (read(thread.pipe[0], &byte, 1) != 1)
		;
	return unused;
}

TEST(thread)
{
	pthread_t id;

	assert_int_equal(pipe(thread.pipe), 0);
	assert_int_equal(pthread_create(&id, NULL, go_on, NULL), 0);
	while (atomic_load(&thread.state) != WORKS)
		sched_yield();
	for (unsigned i = 0; i < 100; i++)
		assert_false(sim_submitter_is_away(&thread.submitter, FOREVER, 1));
	assert_true(sim_submitter_is_away(&thread.submitter, 0, 0));
	atomic_store(&thread.state, WAITS);
	while (!sim_submitter_is_away(&thread.submitter, FOREVER, 0))
		sched_yield();
	assert_true(sim_submitter_is_away(&thread.submitter, FOREVER, 0));
	assert_int_equal(write(thread.pipe[1], "", 1), 1);
	assert_int_equal(pthread_join(id, NULL), 0);
	while (!sim_submitter_is_away(&thread.submitter, FOREVER, 0))
		sched_yield(); /* the kernel forgets it a little later */
	close(thread.pipe[0]);
	close(thread.pipe[1]);
}
