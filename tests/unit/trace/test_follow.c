/* Follow: of a trace that is still written that part is read which does not change any more. */
#include "trace/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "trace/agent.h"
#include "trace/message.h"
#include "trace/reader.h"
#include "trace/slot.h"
#include "trace/text/text.h"
#include "trace/writer.h"

#define MEGABYTE ((uint64_t)1 << 20)
#define SECOND	 UINT64_C(1000000000)

static struct sc_writer writer;
static struct sc_follow follow;
static char path[64];

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_follow.%d.sct", getpid());
	unlink(path);
	return sc_writer_open(&writer, path, MEGABYTE) || sc_follow_open(&follow, path);
}

static int end(void **state)
{
	(void)state;
	sc_follow_close(&follow);
	unlink(path);
	return 0;
}

static uint64_t put(enum sc_op_kind kind, enum sc_phase phase, int32_t result)
{
	struct sc_op op = {.kind = (uint16_t)kind, .phase = (uint8_t)phase, .result = result};

	return sc_writer_put(&writer, &op, NULL, 0);
}

TEST_WITH(grows_with_the_trace, begin, end)
{
	assert_false(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, 0);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, 2);
	assert_false(sc_follow_look(&follow, SECOND));
	for (unsigned i = 0; i < 3000; i++) /* more than one look takes */
		put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, 6002);
	sc_writer_close(&writer);
}

TEST_WITH(part_of_what_was_written, begin, end)
{
	for (unsigned i = 0; i < 5000; i++)
		put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	follow.most = 4000;
	assert_true(sc_follow_look(&follow, SECOND));
	assert_true(follow.settled >= 4000 && follow.settled < 10000);
	follow.most = 0;
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, writer.head->slots);
	sc_writer_close(&writer);
}

TEST_WITH(call_that_has_not_returned, begin, end)
{
	uint64_t call;

	call = put(SC_OP_COPY, SC_PHASE_ONCE, SC_RESULT_PENDING);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_false(sc_follow_look(&follow, SECOND));
	sc_writer_set_result(&writer, call, 700);
	assert_true(sc_follow_look(&follow, SECOND + 1));
	assert_int_equal(follow.settled, 4);
	/* One that takes long holds the others up for a second. */
	put(SC_OP_COPY, SC_PHASE_ONCE, SC_RESULT_PENDING);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_false(sc_follow_look(&follow, 2 * SECOND));
	assert_false(sc_follow_look(&follow, 3 * SECOND - 1));
	assert_true(sc_follow_look(&follow, 3 * SECOND));
	assert_int_equal(follow.settled, 8);
	/* Each has a second of its own. */
	put(SC_OP_COPY, SC_PHASE_ONCE, SC_RESULT_PENDING);
	assert_false(sc_follow_look(&follow, 3 * SECOND + 1));
	sc_writer_close(&writer);
}

TEST_WITH(wait_holds_nothing_up, begin, end)
{
	put(SC_OP_STREAM_SYNC, SC_PHASE_BEGIN, SC_RESULT_PENDING);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, 4);
	sc_writer_close(&writer);
}

/* What has not returned holds up, unless its result does not matter to who looks. */
TEST_WITH(what_holds_up, begin, end)
{
	static const struct {
		enum sc_op_kind kind;
		enum sc_phase phase;
		bool passes_messages, waits_for_reads, is_over;
		bool is_held;
	} cases[] = {
		{SC_OP_KERNEL, SC_PHASE_ONCE, 0, 0, 0, 1},
		{SC_OP_KERNEL, SC_PHASE_ONCE, 0, 0, 1, 0},
		{SC_OP_KERNEL, SC_PHASE_ONCE, 1, 0, 0, 1},
		{SC_OP_COPY, SC_PHASE_BEGIN, 0, 0, 0, 1},
		{SC_OP_STREAM_SYNC, SC_PHASE_BEGIN, 0, 0, 0, 0},
		{SC_OP_STREAM_SYNC, SC_PHASE_ONCE, 0, 0, 0, 1},
		{SC_OP_MESSAGE, SC_PHASE_ONCE, 0, 0, 0, 0},
		{SC_OP_HOST_READ, SC_PHASE_ONCE, 0, 0, 0, 0},
		{SC_OP_HOST_READ, SC_PHASE_ONCE, 0, 1, 0, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t call = put(cases[i].kind, cases[i].phase, SC_RESULT_PENDING);

		follow.passes_messages = cases[i].passes_messages;
		follow.waits_for_reads = cases[i].waits_for_reads;
		follow.is_over = cases[i].is_over;
		assert_int_equal(sc_follow_look(&follow, SECOND), !cases[i].is_held);
		sc_writer_set_result(&writer, call, 0);
		assert_int_equal(sc_follow_look(&follow, SECOND), cases[i].is_held);
	}
	sc_writer_close(&writer);
}

static void note_seen(void *data, const struct sc_slot *slot, uint64_t sequence)
{
	assert_int_equal(SC_SLOT_TYPE(slot->head), SC_SLOT_FIRST);
	*(uint64_t *)data += sequence;
}

TEST_WITH(records_are_seen_once, begin, end)
{
	uint64_t sum = 0;

	follow.see = note_seen;
	follow.data = &sum;
	follow.is_over = true;
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	sc_writer_reserve(&writer, 1, 1); /* a hole, in which nothing begins */
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_true(sc_follow_look(&follow, SECOND));
	assert_false(sc_follow_look(&follow, SECOND));
	assert_int_equal(sum, 0 + 2 + 5);
	sc_writer_close(&writer);
}

static void put_message(uint32_t flags)
{
	struct sc_op op = {.kind = SC_OP_AGENT, .result = SC_RESULT_PENDING};

	sc_agent_add_message(&op, 1, 2, SC_MESSAGE_RECEIVE | flags, 3);
	sc_writer_put(&writer, &op, NULL, 0);
}

/* Which may be the last thing that a process does: who looks once wants to see it. The others are
 * over in a moment. */
TEST_WITH(call_that_waits_for_a_message, begin, end)
{
	put_message(SC_MESSAGE_BLOCKS);
	assert_false(sc_follow_look(&follow, SECOND));
	follow.passes_messages = true;
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, 2);
	put_message(0);
	assert_false(sc_follow_look(&follow, SECOND));
	sc_writer_close(&writer);
}

/* Its second slot is beyond those that are read at a time. */
TEST_WITH(message_in_the_last_slot_of_a_look, begin, end)
{
	struct sc_attachment part = {SC_ATTACH_TEXT, 1, "x"};
	struct sc_op op = {.kind = SC_OP_STRING, .object = 1};

	sc_writer_put(&writer, &op, &part, 1);
	for (unsigned i = 0; i < 510; i++)
		put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_int_equal(writer.head->slots, 1023);
	put_message(SC_MESSAGE_BLOCKS);
	follow.passes_messages = true;
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, 1025);
	sc_writer_close(&writer);
}

/* A writer that has reserved room and not filled it yet: whatever the time, until the trace ends.
 */
TEST_WITH(uncommitted_record, begin, end)
{
	sc_writer_reserve(&writer, 2, 1);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_false(sc_follow_look(&follow, SECOND));
	assert_false(sc_follow_look(&follow, 100 * SECOND));
	sc_writer_close(&writer);
	assert_true(sc_follow_look(&follow, 100 * SECOND));
	assert_true(follow.is_closed);
	assert_int_equal(follow.settled, 4);
}

TEST_WITH(long_record, begin, end)
{
	static const char text[SC_SLOT_DATA * (SC_RECORD_SLOTS + 100)];
	struct sc_attachment part = {SC_ATTACH_TEXT, sizeof(text), text};
	struct sc_op op = {.kind = SC_OP_STRING, .object = 1};
	uint64_t sequence;

	sequence = sc_writer_put(&writer, &op, &part, 1);
	assert_int_not_equal(sequence, SC_NOT_WRITTEN);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_true(sc_follow_look(&follow, SECOND));
	assert_int_equal(follow.settled, writer.head->slots);
	sc_writer_close(&writer);
}

/* A reader in steps hands out what a reader at the end does, each record once. */
TEST_WITH(reader_goes_on, begin, end)
{
	struct sc_record record;
	struct sc_reader *r;
	uint64_t count = 0;

	assert_int_equal(sc_reader_open(&r, path, NULL, 0), 0);
	sc_reader_set_end(r, 0);
	assert_false(sc_reader_next(r, &record));
	for (unsigned i = 0; i < 5000; i++) {
		struct sc_op op = {.kind = SC_OP_KERNEL, .value = i};

		sc_writer_put(&writer, &op, NULL, 0);
		if (i % 37)
			continue;
		sc_follow_look(&follow, SECOND);
		sc_reader_set_end(r, follow.settled);
		while (sc_reader_next(r, &record))
			assert_int_equal(record.op.value, count++);
		assert_int_equal(count, i + 1);
		assert_true(sc_reader_record(r, 2 * (uint64_t)(i / 2), &record));
		assert_int_equal(record.op.value, i / 2);
		assert_false(sc_reader_record(r, 2 * (uint64_t)i + 2, &record));
	}
	assert_int_equal(sc_reader_stats(r)->uncommitted, 0);
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	sc_reader_free(r);
	sc_writer_close(&writer);
}

/* Any byte of the file may be anybody's. */
TEST_WITH(hostile_heads, begin, end)
{
	struct sc_slot slot = {.head = SC_SLOT_FIRST | 0xFFFFF};
	uint64_t slots;

	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	slots = writer.head->slots;
	memcpy(&writer.slots[2], &slot, sizeof(slot));
	sc_follow_look(&follow, SECOND);
	assert_true(follow.settled <= slots);
	writer.head->slots = UINT64_MAX;
	sc_follow_look(&follow, SECOND);
	assert_true(follow.settled <= SC_TRACE_SLOTS_MAX);
	writer.head->slots = 0;
	sc_follow_look(&follow, SECOND);
	sc_writer_close(&writer);
}

TEST_WITH(file_that_is_no_trace, NULL, end)
{
	struct sc_trace_header header;
	struct sc_follow f;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(sc_follow_open(&f, path), -EAGAIN); /* not yet */
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(write(fd, "no trace at all ", 16), 16);
	assert_int_equal(sc_follow_open(&f, path), -EINVAL);
	header = (struct sc_trace_header){.magic = SC_TRACE_MAGIC};
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(sc_follow_open(&f, path), -EAGAIN); /* it is being written */
	header.version = SC_TRACE_VERSION + 1;
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(sc_follow_open(&f, path), -EINVAL);
	close(fd);
	unlink(path);
	assert_int_equal(sc_follow_open(&f, path), -ENOENT);
	sc_follow_close(&f);
}

/* A hole that stays is passed with all of its slots, if the caller wants that. */
TEST_WITH(hole_that_stays, begin, end)
{
	follow.passes_holes = true;
	follow.patience_ns = 3 * SECOND;
	sc_writer_reserve(&writer, 4, 1);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, 0);
	assert_false(sc_follow_look(&follow, SECOND));
	assert_false(sc_follow_look(&follow, 4 * SECOND - 1));
	assert_true(sc_follow_look(&follow, 4 * SECOND));
	assert_int_equal(follow.settled, 6);
	put(SC_OP_KERNEL, SC_PHASE_ONCE, SC_RESULT_PENDING); /* patience begins anew */
	assert_false(sc_follow_look(&follow, 5 * SECOND));
	sc_writer_close(&writer);
}

/* Only who wants it waits for what a host read turns out to be; then not for each in turn. */
TEST_WITH(reads_that_may_be_polls, begin, end)
{
	uint64_t read;

	put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING);
	assert_true(sc_follow_look(&follow, SECOND));
	follow.waits_for_reads = true;
	read = put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING);
	assert_false(sc_follow_look(&follow, SECOND));
	sc_writer_set_polled(&writer, read);
	assert_true(sc_follow_look(&follow, SECOND));
	put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING);
	put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING);
	assert_false(sc_follow_look(&follow, 2 * SECOND));
	put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING); /* a younger one */
	assert_true(sc_follow_look(&follow, 3 * SECOND));
	assert_int_equal(follow.settled, 8);
	assert_false(sc_follow_look(&follow, 4 * SECOND - 1));
	assert_true(sc_follow_look(&follow, 4 * SECOND));
	sc_writer_close(&writer);
}

/* While its process runs a read may yet be a poll, afterwards it is what its record says. */
TEST_WITH(read_that_is_read_early, begin, end)
{
	struct sc_record record;
	struct sc_reader *r;
	uint64_t polled, undecided;
	struct sc_op op;

	polled = put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING);
	undecided = put(SC_OP_HOST_READ, SC_PHASE_ONCE, SC_RESULT_PENDING);
	sc_writer_set_polled(&writer, polled);
	assert_int_equal(sc_reader_open(&r, path, NULL, 0), 0);
	sc_reader_set_end(r, 4);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(record.op.flags, SC_FLAG_POLLED);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(record.op.flags, SC_FLAG_UNDECIDED);
	assert_int_equal(record.op.result, 0);
	sc_reader_finish(r);
	assert_true(sc_reader_op(r, undecided, &op));
	assert_int_equal(op.flags, 0);
	assert_int_equal(op.result, 0);
	sc_reader_free(r);
	sc_writer_close(&writer);
}

/* A trace that is followed, and was read into memory because its file could not be looked at. */
TEST(memory_ends_before_the_trace_does)
{
	static const char text[] = "host_read src=0x1 bytes=4\n"
				   "host_read src=0x2 bytes=4\n";
	struct sc_text_script s;
	struct sc_record record;
	struct sc_reader *r;
	char message[200];
	uint64_t slots;

	assert_int_equal(sc_text_parse(&s, text, strlen(text), message, sizeof(message)), 0);
	slots = ((const struct sc_trace_header *)s.trace)->slots;
	assert_int_equal(sc_reader_open_memory(&r, s.trace, s.bytes, message, sizeof(message)), 0);
	sc_reader_set_end(r, slots + 100);
	assert_true(sc_reader_stats(r)->is_cut);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(sc_reader_next(r, &record), 0);
	sc_reader_set_end(r, slots);
	assert_false(sc_reader_stats(r)->is_cut);
	sc_reader_free(r);
	sc_text_script_fini(&s);
}
