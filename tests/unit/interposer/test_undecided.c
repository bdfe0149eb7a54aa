/* Undecided reads: when their records say that they were polls, or that they were none. */
#include "tests/unit/interposer/guard_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include "interposer/core/thread.h"

#define MEGABYTE (UINT64_C(1) << 20)

enum outcome { UNDECIDED, READ, POLL };

static char path[64];

static int set_up_trace(void **state)
{
	snprintf(path, sizeof(path), "/tmp/test_undecided.%d.sct", getpid());
	unlink(path);
	return sc_writer_open(&sc_session.writer, path, MEGABYTE) || set_up(state);
}

static int tear_down_trace(void **state)
{
	int failed = tear_down(state);

	sc_writer_close(&sc_session.writer);
	unlink(path);
	return failed;
}

EACH_TEST(set_up_trace, tear_down_trace)

static uint64_t put_read(void)
{
	struct sc_op op = {.kind = SC_OP_HOST_READ, .result = SC_RESULT_PENDING};

	return sc_writer_put(&sc_session.writer, &op, NULL, 0);
}

/* What the fault handler does at a read; returns its record, if it wrote one. */
static uint64_t read_word(uint64_t pc, size_t offset)
{
	struct sc_fault_access t = look(pc, offset);
	enum sc_fault verdict = sc_guard_fault(&t);
	uint64_t op = SC_NOT_WRITTEN;

	if (verdict == SC_FAULT_HIT || verdict == SC_FAULT_FIRST)
		op = put_read();
	if (t.may_be_poll)
		sc_guard_name_read(&t, op);
	if (verdict == SC_FAULT_FIRST || verdict == SC_FAULT_NEIGHBOUR)
		sc_guard_rearm(t.page);
	return op;
}

static enum outcome outcome_of(uint64_t sequence)
{
	const uint8_t *slot = (const uint8_t *)(sc_session.writer.slots + sequence);
	uint32_t flags;
	int32_t result;

	memcpy(&flags, slot + SC_SLOT_FLAGS, sizeof(flags));
	memcpy(&result, slot + SC_SLOT_RESULT, sizeof(result));
	if (result == SC_RESULT_PENDING)
		return UNDECIDED;
	return flags & SC_FLAG_POLLED ? POLL : READ;
}

TEST(a_wait_decides)
{
	uint64_t op;

	launch(&stream, 5, address(0));
	op = read_word(100, 64);
	assert_int_equal(outcome_of(op), UNDECIDED);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(outcome_of(op), READ);
}

TEST(the_second_look_decides)
{
	uint64_t op;

	launch(&stream, 5, address(0));
	op = read_word(100, 64);
	assert_int_equal(read_word(100, 64), SC_NOT_WRITTEN);
	assert_int_equal(outcome_of(op), POLL);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(outcome_of(op), POLL);
}

TEST(the_same_launch_again_decides)
{
	uint64_t op;

	launch(&stream, 5, address(0));
	op = read_word(100, 64);
	launch(&stream, 7, address(0));
	assert_int_equal(outcome_of(op), READ);
	assert_int_equal(outcome_of(read_word(100, 64)), UNDECIDED);
}

/* The kernels of two streams may write the word: the host may wait for either. */
TEST(another_launch_leaves_it_open)
{
	uint64_t op;

	launch(&other, 5, address(0));
	launch(&stream, 7, address(0));
	op = read_word(100, 64);
	sc_guard_waited_stream(sc_handle_refer(&stream), 8);
	assert_int_equal(outcome_of(op), UNDECIDED);
	read_word(100, 64);
	assert_int_equal(outcome_of(op), POLL);
	sc_guard_waited_stream(sc_handle_refer(&other), 9);
	assert_int_equal(outcome_of(op), POLL);
}

/* A loop over words in turn, each of an allocation, or a launch, of its own. */
TEST(a_launch_in_between_forgets_nothing)
{
	uint64_t op;

	launch(&stream, 5, address(0));
	op = read_word(100, 64);
	launch(&other, 7, address(0));
	read_word(120, 512);
	read_word(100, 64);
	assert_int_equal(outcome_of(op), POLL);
}

static void *look_too(void *unused)
{
	(void)unused;
	read_word(100, 64);
	return NULL;
}

static void run_thread(void *(*start)(void *))
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, start, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST(another_thread_does_not_repeat_it)
{
	uint64_t op;

	launch(&stream, 5, address(0));
	op = read_word(100, 64);
	run_thread(look_too);
	assert_int_equal(outcome_of(op), READ); /* the range is open */
}

static uint64_t last;

static void *look_and_end(void *unused)
{
	(void)unused;
	last = read_word(100, 64);
	sc_guard_end_thread();
	return NULL;
}

TEST(the_end_of_its_thread_decides)
{
	launch(&stream, 5, address(0));
	run_thread(look_and_end);
	assert_int_equal(outcome_of(last), READ);
}

TEST(a_read_that_opens_the_range_is_decided)
{
	uint64_t first, op;

	launch(&stream, 5, address(0));
	first = read_word(100, 0);
	for (size_t i = 1; i < SC_WATCHPOINT_POLLS; i++)
		read_word(100 + i, 64 * i);
	assert_int_equal(outcome_of(first), UNDECIDED);
	op = read_word(200, 8); /* one too many */
	assert_int_not_equal(op, SC_NOT_WRITTEN);
	assert_int_equal(outcome_of(first), READ);
}
