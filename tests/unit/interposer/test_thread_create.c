/* Threads in the recorder: a joined thread is distinguished from one with the same handle. */
#define UNIT_OWN_MAIN
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/real.h"
#include "interposer/core/slab.h"
#include "interposer/sync/sync.h"

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		      void *data);
typedef int join_fn(pthread_t thread, void **result);

static char path[64];
static sem_t has_begun, may_begin, may_end, has_ended;
static pthread_key_t at_last; /* its destructor runs after all that the recorder does in a thread */
static pthread_t second;
static uint32_t last_id; /* of the thread that was last in `note` */

static void *note(void *unused)
{
	last_id = sc_thread_id();
	sem_post(&has_begun);
	return unused;
}

static void tell_the_end(void *unused)
{
	(void)unused;
	sem_post(&has_ended);
}

/* For threads that nobody joins: the recorder has to be done with one before the next test. */
static void *note_and_tell_the_end(void *unused)
{
	pthread_setspecific(at_last, &has_ended);
	return note(unused);
}

static void *note_and_stay(void *unused)
{
	note(NULL);
	sem_wait(&may_end);
	return unused;
}

static int really_join(pthread_t thread, void **result)
{
	join_fn *real = (join_fn *)dlsym(RTLD_NEXT, "pthread_join");

	return real(thread, result);
}

/* Records of a call come before it or after it: in between the handle is free. */
static int join_and_hand_out_again(pthread_t thread, void **result)
{
	int err = really_join(thread, result);

	assert_int_equal(pthread_create(&second, NULL, note_and_stay, NULL), 0);
	sem_wait(&has_begun);
	return err;
}

static int let_begin_and_join(pthread_t thread, void **result)
{
	sem_post(&may_begin);
	return really_join(thread, result);
}

static int refuse(pthread_t thread, void **result)
{
	(void)thread, (void)result;
	return EBUSY;
}

struct start {
	void *(*run)(void *);
	void *data;
};

static void *begin_late(void *data)
{
	struct start start = *(struct start *)data;

	sem_wait(&may_begin);
	return start.run(start.data);
}

static int create_late(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		       void *data)
{
	static struct start start;
	create_fn *real = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");

	start = (struct start){run, data};
	return real(thread, attributes, begin_late, &start);
}

static void use(create_fn *create, join_fn *join)
{
	atomic_store(&sc_real.libc[SC_REAL_pthread_create], (void *)create);
	atomic_store(&sc_real.libc[SC_REAL_pthread_join], (void *)join);
}

static int set_up(void **state)
{
	(void)state;
	sem_init(&has_begun, 0, 0);
	sem_init(&may_begin, 0, 0);
	sem_init(&may_end, 0, 0);
	sem_init(&has_ended, 0, 0);
	use(NULL, NULL);
	memset(sc_module_thread_create.state, 0, sc_module_thread_create.bytes);
	open_trace(path, "test_thread_create", 1 << 20);
	return 0;
}

/* Who was joined, one after the other; 0: nobody. */
static void joined_are(uint32_t first, uint32_t next)
{
	struct sc_reader *reader = close_trace(path);
	uint32_t joined[2] = {0};
	struct sc_record r;
	unsigned count = 0;

	while (sc_reader_next(reader, &r))
		if (r.op.kind == SC_OP_THREAD_JOIN && count < 2)
			joined[count++] = r.op.peer;
	sc_reader_free(reader);
	assert_int_equal(joined[0], first);
	assert_int_equal(joined[1], next);
}

EACH_TEST(set_up, NULL)

TEST(a_handle_that_is_handed_out_while_joining)
{
	pthread_t first;
	uint32_t first_id, second_id;
	bool is_same;

	use(NULL, join_and_hand_out_again);
	assert_int_equal(pthread_create(&first, NULL, note, NULL), 0);
	sem_wait(&has_begun);
	first_id = last_id;
	assert_int_equal(pthread_join(first, NULL), 0);
	second_id = last_id;
	is_same = pthread_equal(first, second);
	use(NULL, NULL);
	sem_post(&may_end);
	assert_int_equal(pthread_join(second, NULL), 0);
	joined_are(first_id, second_id);
	if (!is_same)
		skip(); /* this C library keeps handles apart: nothing was tried */
}

TEST(a_thread_that_is_joined_before_it_begins)
{
	pthread_t thread;
	uint32_t first_id;

	assert_int_equal(pthread_create(&thread, NULL, note, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	first_id = last_id;
	use(create_late, let_begin_and_join);
	assert_int_equal(pthread_create(&thread, NULL, note, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_not_equal(last_id, first_id);
	joined_are(first_id, last_id);
}

TEST(a_thread_that_cannot_be_joined_yet)
{
	pthread_t thread;

	use(NULL, refuse);
	assert_int_equal(pthread_create(&thread, NULL, note, NULL), 0);
	sem_wait(&has_begun);
	assert_int_equal(pthread_join(thread, NULL), EBUSY);
	use(NULL, NULL);
	assert_int_equal(pthread_join(thread, NULL), 0);
	joined_are(last_id, 0);
}

/* It is detached before it begins, and its handle may be another's when that one is joined. */
TEST(a_detached_thread_is_not_joined)
{
	pthread_t first, next;

	use(create_late, NULL);
	assert_int_equal(pthread_create(&first, NULL, note_and_tell_the_end, NULL), 0);
	assert_int_equal(pthread_detach(first), 0);
	sem_post(&may_begin);
	sem_wait(&has_begun);
	sem_wait(&has_ended);
	use(NULL, NULL);
	assert_int_equal(pthread_create(&next, NULL, note, NULL), 0);
	sem_wait(&has_begun);
	assert_int_equal(pthread_join(next, NULL), 0);
	joined_are(last_id, 0);
}

/* As strict mode follows threads before the session. */
TEST(a_thread_that_was_joined_before_the_session)
{
	pthread_t first, next;
	uint32_t first_id;
	bool is_same;

	atomic_store(&sc_session.state, SC_IDLE);
	assert_int_equal(pthread_create(&first, NULL, note, NULL), 0);
	assert_int_equal(pthread_join(first, NULL), 0);
	first_id = last_id;
	atomic_store(&sc_session.state, SC_LIVE);
	use(create_late, let_begin_and_join);
	assert_int_equal(pthread_create(&next, NULL, note, NULL), 0);
	is_same = pthread_equal(first, next);
	assert_int_equal(pthread_join(next, NULL), 0);
	assert_int_not_equal(last_id, first_id);
	joined_are(last_id, 0);
	if (!is_same)
		skip(); /* this C library keeps handles apart: nothing was tried */
}

/* Another thread of the parent held them, which is not there in the child. */
TEST(a_child_from_before_the_session_holds_no_locks)
{
	struct sc_lock *of_threads = sc_module_thread_create.state; /* its first member */
	pthread_t thread;

	sc_reader_free(close_trace(path));
	atomic_store(&sc_session.state, SC_IDLE);
	assert_non_null(sc_slab_get(SC_SLAB_FOUND, 64));
	atomic_store(&of_threads->held, 1);
	atomic_store(&sc_slabs.lock.held, 1);
	sc_session_forget();
	assert_int_equal(sc_slabs.lock.held, 0);
	assert_int_equal(of_threads->held, 0);
	assert_int_equal(pthread_create(&thread, NULL, note, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void create_and_join(unsigned count)
{
	pthread_t thread;

	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(pthread_create(&thread, NULL, note, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
}

/* What is known of a thread, and what it knows of the others. */
TEST(threads_that_come_and_go_need_no_memory)
{
	struct sc_reader *reader;
	size_t before;

	sc_sync_want();
	create_and_join(10);
	before = sc_arena_used();
	create_and_join(200);
	assert_int_equal(sc_arena_used(), before);
	atomic_store(&sc_sync.wanted, 0);
	reader = close_trace(path);
	sc_reader_free(reader);
}

static int refuse_to_create(pthread_t *thread, const pthread_attr_t *attributes,
			    void *(*run)(void *), void *data)
{
	(void)thread, (void)attributes, (void)run, (void)data;
	return EAGAIN;
}

TEST(threads_that_are_not_created_need_no_memory)
{
	struct sc_reader *reader;
	pthread_t thread;
	size_t before = 0;

	use(refuse_to_create, NULL);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(pthread_create(&thread, NULL, note, NULL), EAGAIN);
		if (!i)
			before = sc_arena_used();
	}
	assert_int_equal(sc_arena_used(), before);
	reader = close_trace(path);
	sc_reader_free(reader);
}

int main(void)
{
	setenv("STREAMCHECK_OPTIONS", "hosts=strict", 1);
	if (pthread_key_create(&at_last, tell_the_end))
		return 1;
	return unit_run();
}
