/* What OpenMP's threads tell each other, in the recorder: only what is news is written. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "interposer/openmp/task.h"
#include "interposer/sync/sync.h"
#include "interposer/core/thread.h"
#include "tests/unit/trace_fixture.h"

#define REGIONS 100

static char path[64];

static int set_up(void **state)
{
	(void)state;
	memset(&sc_self, 0, sizeof(sc_self));
	memset(&sc_sync, 0, sizeof(sc_sync));
	open_trace(path, "test_team", 1 << 20);
	atomic_store(&sc_sync.wanted, 1);
	return 0;
}

static void run(void *(*thread)(void *), void *data)
{
	pthread_t other;

	assert_int_equal(pthread_create(&other, NULL, thread, data), 0);
	assert_int_equal(pthread_join(other, NULL), 0);
}

/* A region with a barrier and a task, in which nothing happens. */
static void cross_region(void)
{
	struct sc_team *team = sc_team_fork(false);
	struct sc_task *member = sc_task_begin_member(team), *task;

	sc_task_come(member);
	sc_task_pass(member);
	task = sc_task_create(member, false);
	sc_task_run(task);
	sc_task_end(task);
	sc_task_wait(member);
	sc_task_end_member(member);
	sc_team_join(team);
}

static void test_regions_that_tell_nothing_new(void **state)
{
	(void)state;
	record_anything();
	for (unsigned i = 0; i < REGIONS; i++)
		cross_region();
	written_are(path, 1, 0);
}

static void *be_member(void *team)
{
	struct sc_task *member = sc_task_begin_member(team);

	record_anything();
	sc_task_end_member(member);
	return NULL;
}

static void test_a_member_learns_and_tells(void **state)
{
	struct sc_team *team;

	(void)state;
	record_anything();
	team = sc_team_fork(false);
	run(be_member, team);
	sc_team_join(team);
	written_are(path, 2, 2);
}

static void *release(void *object)
{
	record_anything();
	sc_sync_release(object, SC_SYNC_LOCK);
	return NULL;
}

/* What the small clocks have no room for goes on through a thread that they know. */
static void test_what_a_thread_without_a_slot_tells(void **state)
{
	static char lock, next;

	(void)state;
	record_anything();
	sc_sync_release(&next, SC_SYNC_LOCK);
	atomic_store(&sc_sync.slots, ~0u);
	run(release, &lock);
	sc_sync_acquire(&lock, SC_SYNC_LOCK, 0);
	sc_sync_release(&next, SC_SYNC_LOCK);
	written_are(path, 3, 1);
}

static void *run_two_callbacks(void *objects)
{
	char *object = objects;

	record_anything();
	sc_self.callback = 1;
	sc_sync_release(object, SC_SYNC_LOCK);
	sc_self.callback = 2;
	sc_sync_release(object + 1, SC_SYNC_LOCK);
	sc_self.callback = 0;
	return NULL;
}

/* Who hears of the later callback knows nothing of the earlier one, though one thread ran both
 * (C-3); who heard of both is told no more. */
static void test_two_callbacks_of_one_thread(void **state)
{
	static char objects[2];

	(void)state;
	record_anything();
	run(run_two_callbacks, objects);
	for (unsigned i = 0; i < REGIONS; i++) {
		sc_sync_acquire(objects + 1, SC_SYNC_LOCK, 0);
		sc_sync_acquire(objects, SC_SYNC_LOCK, 0);
	}
	written_are(path, 2, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_regions_that_tell_nothing_new, set_up),
		cmocka_unit_test_setup(test_a_member_learns_and_tells, set_up),
		cmocka_unit_test_setup(test_what_a_thread_without_a_slot_tells, set_up),
		cmocka_unit_test_setup(test_two_callbacks_of_one_thread, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
