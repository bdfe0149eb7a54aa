/* The order between OpenMP's threads, in the recorder: only what is news is written. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/openmp/team.h"
#include "interposer/sync/sync.h"
#include "interposer/core/thread.h"
#include "tests/unit/interposer/trace_fixture.h"

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

/* A region with a barrier, in which nothing happens. */
static void cross_region(void)
{
	struct sc_member member;
	struct sc_team team;

	assert_true(sc_team_fork(&team, false));
	sc_team_begin_member(&member, &team);
	sc_team_come(&member);
	sc_team_pass(&member);
	sc_team_end_member(&member);
	sc_team_join(&team);
}

EACH_TEST(set_up, NULL)

TEST(regions_that_add_no_order)
{
	record_anything();
	for (unsigned i = 0; i < REGIONS; i++)
		cross_region();
	written_are(path, 1, 0);
}

static void *be_member(void *team)
{
	struct sc_member member;

	sc_team_begin_member(&member, team);
	record_anything();
	sc_team_end_member(&member);
	return NULL;
}

TEST(a_member_acquires_and_releases)
{
	struct sc_team team;

	record_anything();
	assert_true(sc_team_fork(&team, false));
	run(be_member, &team);
	sc_team_join(&team);
	written_are(path, 2, 2);
}

static void *release(void *object)
{
	record_anything();
	sc_sync_release(object, SC_SYNC_LOCK);
	return NULL;
}

/* What the small clocks have no room for goes on through a thread that they know. */
TEST(release_of_a_thread_without_a_slot)
{
	static char lock, next;

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
 * (C-3); a thread that knows both learns nothing more. */
TEST(two_callbacks_of_one_thread)
{
	static char objects[2];

	record_anything();
	run(run_two_callbacks, objects);
	for (unsigned i = 0; i < REGIONS; i++) {
		sc_sync_acquire(objects + 1, SC_SYNC_LOCK, 0);
		sc_sync_acquire(objects, SC_SYNC_LOCK, 0);
	}
	written_are(path, 2, 2);
}
