/* Writer: a thread makes room ahead; who makes room may be gone, and it ends with the trace. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "trace/reader.h"
#include "trace/writer.h"

#define MEGABYTE   ((uint64_t)1 << 20)
#define STEP_SLOTS (4 * MEGABYTE / SC_SLOT_SIZE)

static struct sc_writer writer;
static char path[64];
static unsigned by_libc; /* calls of syscall() */

static int open_writer(uint64_t bytes)
{
	snprintf(path, sizeof(path), "/tmp/test_writer_ahead.%d.sct", getpid());
	unlink(path);
	return sc_writer_open(&writer, path, bytes);
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void put_until(uint64_t slots)
{
	struct sc_op op = {.kind = SC_OP_KERNEL};

	while (sc_writer_put(&writer, &op, NULL, 0) < slots)
		;
}

static uint64_t ready(void)
{
	return __atomic_load_n(&writer.ready_slots, __ATOMIC_ACQUIRE);
}

static void *serve(void *unused)
{
	sc_writer_serve(&writer);
	return unused;
}

/* Comes before libc's, as the recorder's own does, which would take our futexes for the program's.
 */
long syscall(long number, ...)
{
	(void)number;
	by_libc++;
	return 0;
}

EACH_TEST(NULL, remove_path)

TEST(a_short_trace_wants_no_thread)
{
	assert_int_equal(open_writer(64 * MEGABYTE), 0);
	put_until(STEP_SLOTS / 4);
	assert_false(sc_writer_wants_server(&writer));
	sc_writer_close(&writer);
}

TEST(room_is_made_before_it_is_needed)
{
	uint64_t before;
	pthread_t thread;

	assert_int_equal(open_writer(64 * MEGABYTE), 0);
	put_until(STEP_SLOTS * 3 / 4);
	before = ready();
	assert_true(sc_writer_wants_server(&writer));
	assert_false(sc_writer_wants_server(&writer)); /* one is enough */
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
	while (ready() == before)
		sched_yield();
	before = ready();
	put_until(before - STEP_SLOTS / 4); /* it sleeps by now, or will: it is asked again */
	while (ready() == before)
		sched_yield();
	sc_writer_close(&writer);
	pthread_join(thread, NULL);
	assert_int_equal(by_libc, 0);
}

TEST(it_ends_at_the_size_limit)
{
	struct sc_reader *r;
	pthread_t thread;
	char message[200];

	assert_int_equal(open_writer(6 * MEGABYTE), 0);
	put_until(STEP_SLOTS * 3 / 4);
	assert_true(sc_writer_wants_server(&writer));
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
	put_until(writer.max_slots + 1);
	sc_writer_close(&writer);
	pthread_join(thread, NULL);
	assert_int_equal(sc_reader_open(&r, path, message, sizeof(message)), 0);
	sc_reader_free(r);
}

/* Where every record makes its own room there is nothing to do ahead. */
TEST(without_fallocate_nobody_is_asked)
{
	assert_int_equal(open_writer(64 * MEGABYTE), 0);
	writer.no_allocate = 1;
	put_until(1000);
	assert_false(sc_writer_wants_server(&writer));
	sc_writer_close(&writer);
}

static void *say_thread(void *thread)
{
	*(uint32_t *)thread = (uint32_t)gettid();
	return NULL;
}

/* As in the child of a fork that went past libc, while another thread made room. */
TEST(who_made_room_is_gone)
{
	pthread_t thread;

	assert_int_equal(open_writer(64 * MEGABYTE), 0);
	assert_int_equal(pthread_create(&thread, NULL, say_thread, &writer.maker), 0);
	pthread_join(thread, NULL);
	assert_true(writer.maker > 0);
	put_until(STEP_SLOTS * 2);
	assert_int_equal(writer.maker, 0);
	assert_int_equal(writer.head->lost, 0);
	sc_writer_close(&writer);
}
