/* Giver: what of a trace is kept when its space is given back, and how it is read afterwards; and
 * the bound that the writer keeps meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "trace/giver.h"
#include "trace/reader.h"
#include "trace/writer.h"

#define MEGABYTE ((uint64_t)1 << 20)
#define KERNELS	 20000
#define LONG	 ((uint32_t)SC_RECORD_SLOTS * SC_SLOT_DATA + 1000)
#define BLOCK	 512

static struct sc_writer writer;
static struct sc_giver giver;
static struct sc_reader *reader;
static char path[64], rest[80];
static unsigned fell_behind;

static void count_fall(void)
{
	fell_behind++;
}

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_giver.%d.sct", getpid());
	snprintf(rest, sizeof(rest), "%s" SC_REMAINS_ENDING, path);
	unlink(path);
	unlink(rest);
	fell_behind = 0;
	reader = NULL;
	giver = (struct sc_giver){.window.fd = -1};
	return sc_writer_open(&writer, path, 64 * MEGABYTE);
}

static int end(void **state)
{
	(void)state;
	sc_writer_close(&writer);
	sc_writer_abandon(&writer);
	sc_reader_free(reader);
	sc_giver_close(&giver);
	unlink(path);
	unlink(rest);
	return 0;
}

static uint64_t put(enum sc_op_kind kind, uint32_t object)
{
	struct sc_op op = {.kind = (uint16_t)kind, .object = object};

	return sc_writer_put(&writer, &op, NULL, 0);
}

static uint64_t put_text(enum sc_op_kind kind, uint32_t object, const char *text, uint32_t bytes)
{
	struct sc_op op = {.kind = (uint16_t)kind, .object = object};
	struct sc_attachment part = {SC_ATTACH_TEXT, bytes, text};

	return sc_writer_put(&writer, &op, &part, 1);
}

static uint64_t used(const char *name)
{
	struct stat st;

	return stat(name, &st) ? 0 : (uint64_t)st.st_blocks * BLOCK;
}

/* A string, kernels, a long string, kernels; returns where the second half begins. */
static uint64_t write_trace(void)
{
	char *text = malloc(LONG);
	uint64_t half;

	memset(text, 'x', LONG);
	put_text(SC_OP_STRING, 1, "first", 5);
	for (uint32_t i = 0; i < KERNELS / 2; i++)
		put(SC_OP_KERNEL, i);
	put_text(SC_OP_STRING, 2, text, LONG);
	half = put(SC_OP_KERNEL, KERNELS / 2);
	for (uint32_t i = KERNELS / 2 + 1; i < KERNELS; i++)
		put(SC_OP_KERNEL, i);
	free(text);
	return half;
}

static void give(uint64_t slots)
{
	assert_int_equal(sc_giver_open(&giver, path, MEGABYTE), 0);
	assert_int_equal(sc_giver_take(&giver, slots), 0);
	assert_int_equal(sc_giver_punch(&giver), 0);
}

static unsigned count_kernels(void)
{
	struct sc_record record;
	unsigned kernels = 0;

	while (sc_reader_next(reader, &record))
		kernels += record.op.kind == SC_OP_KERNEL;
	return kernels;
}

EACH_TEST(begin, end)

TEST(space_is_free_and_definitions_stay)
{
	uint64_t half = write_trace(), before;

	sc_writer_close(&writer);
	before = used(path);
	give(half);
	assert_true(used(path) <= before - half * SC_SLOT_SIZE + 8192);
	assert_int_equal(sc_reader_open(&reader, path, NULL, 0), 0);
	assert_false(sc_reader_is_whole(reader));
	assert_int_equal(count_kernels(), KERNELS / 2);
	assert_string_equal(sc_reader_string(reader, 1), "first");
	assert_int_equal(strlen(sc_reader_string(reader, 2)), LONG);
	assert_int_equal(sc_reader_stats(reader)->gaps[SC_GAP_given_back], KERNELS / 2 + 2);
	assert_int_equal(sc_reader_stats(reader)->damaged, 0);
	assert_int_equal(sc_reader_stats(reader)->uncommitted, 0);
}

TEST(reader_goes_on)
{
	uint64_t half = write_trace();
	struct sc_record record;
	struct sc_op op;

	assert_int_equal(sc_reader_open(&reader, path, NULL, 0), 0);
	sc_reader_set_end(reader, half);
	assert_int_equal(count_kernels(), KERNELS / 2);
	give(half);
	sc_reader_give(reader, &giver.rest, giver.taken);
	sc_writer_close(&writer);
	sc_reader_finish(reader);
	assert_int_equal(count_kernels(), KERNELS / 2);
	assert_true(sc_reader_stats(reader)->closed);
	assert_int_equal(sc_reader_stats(reader)->gaps[SC_GAP_given_back], 0);
	assert_true(sc_reader_op(reader, 0, &op)); /* kept */
	assert_int_equal(op.kind, SC_OP_STRING);
	assert_false(sc_reader_op(reader, 3, &op)); /* the first kernel */
	assert_false(sc_reader_record(reader, 3, &record));
	assert_true(sc_reader_record(reader, half, &record));
	assert_int_equal(record.op.object, KERNELS / 2);
}

/* A late result must not bring a page of a hole back. */
TEST(given_records_are_not_touched)
{
	uint64_t half = write_trace(), before;

	sc_writer_bound(&writer, 64 * MEGABYTE, count_fall);
	give(half);
	before = used(path);
	sc_writer_set_result(&writer, 3, 700);
	sc_writer_set_polled(&writer, 3);
	assert_int_equal(used(path), before);
	assert_false(sc_writer_is_given(&writer, half));
}

TEST(bound_is_kept)
{
	uint64_t last = 0, next;

	sc_writer_bound(&writer, 32 * MEGABYTE, count_fall);
	while ((next = put(SC_OP_KERNEL, 1)) != SC_NOT_WRITTEN)
		last = next;
	assert_int_equal(fell_behind, 1);
	assert_true(used(path) <= 32 * MEGABYTE);
	assert_true(used(path) >= 28 * MEGABYTE);
	assert_int_equal(writer.head->lost, 1);
	assert_false(sc_writer_has_room(&writer));
	give(last);
	assert_true(sc_writer_has_room(&writer));
	/* No slot was reserved in vain, at which a reader would wait. */
	assert_int_equal(put(SC_OP_KERNEL, 2), last + 4); /* after the op that says so */
	assert_int_equal(put(SC_OP_KERNEL, 3), last + 6);
}

/* Threads wait at three quarters of the share, but what does not wait has the whole bound. */
TEST(share)
{
	sc_writer_bound(&writer, 64 * MEGABYTE, count_fall);
	give(0);
	sc_giver_share(&giver, 16 * MEGABYTE, MEGABYTE);
	while (!fell_behind)
		assert_int_not_equal(put(SC_OP_KERNEL, 1), SC_NOT_WRITTEN);
	assert_in_range(used(path), 12 * MEGABYTE, 17 * MEGABYTE);
	assert_false(sc_writer_has_room(&writer));
	sc_giver_share(&giver, 32 * MEGABYTE, MEGABYTE);
	assert_true(sc_writer_has_room(&writer));
	while (used(path) < 40 * MEGABYTE)
		assert_int_not_equal(put(SC_OP_KERNEL, 1), SC_NOT_WRITTEN);
}

TEST(reader_is_known_to_live)
{
	write_trace();
	sc_writer_bound(&writer, 32 * MEGABYTE, count_fall);
	assert_false(sc_writer_is_followed(&writer));
	assert_int_equal(sc_giver_open(&giver, path, MEGABYTE), 0);
	assert_true(sc_writer_is_followed(&writer));
	sc_giver_close(&giver);
	assert_false(sc_writer_is_followed(&writer));
}

/* Bits: kept where there is room, kept always. */
TEST(what_is_kept)
{
	static const struct {
		enum sc_op_kind kind;
		unsigned kept;
	} cases[] = {
		{SC_OP_STRING, 3},	  {SC_OP_FUNCTION, 3},	  {SC_OP_LABEL, 1},
		{SC_OP_STREAM_CREATE, 1}, {SC_OP_ALLOC, 1},	  {SC_OP_FREE_ASYNC, 1},
		{SC_OP_KERNEL, 0},	  {SC_OP_STREAM_SYNC, 0}, {SC_OP_HOST_READ, 0},
		{SC_OP_MARK, 0},
	};
	const unsigned count = sizeof(cases) / sizeof(*cases);
	struct sc_record record;

	for (unsigned i = 0; i < count; i++)
		put(cases[i].kind, 1);
	for (unsigned room = 0; room < 2; room++) {
		unlink(rest);
		assert_int_equal(sc_giver_open(&giver, path, room ? MEGABYTE : 0), 0);
		assert_int_equal(sc_giver_take(&giver, 2 * count), 0);
		assert_int_equal(sc_reader_open(&reader, path, NULL, 0), 0);
		for (unsigned i = 0; i < count; i++)
			if (cases[i].kept >> !room & 1) {
				assert_int_equal(sc_reader_next(reader, &record), 1);
				assert_int_equal(record.op.kind, cases[i].kind);
			}
		assert_int_equal(sc_reader_next(reader, &record), 0);
		sc_reader_free(reader);
		reader = NULL;
		sc_giver_close(&giver);
	}
}

/* The file of the rest is somebody else's, or its name is too long. */
TEST(rest_that_is_none)
{
	char name[4095];
	uint64_t half = write_trace();

	sc_writer_close(&writer);
	give(half);
	unlink(rest);
	assert_int_equal(mkfifo(rest, 0600), 0);
	assert_int_equal(sc_reader_open(&reader, path, NULL, 0), 0);
	assert_int_equal(count_kernels(), KERNELS / 2);
	assert_string_equal(sc_reader_string(reader, 1), "");
	assert_true(sc_reader_stats(reader)->gaps[SC_GAP_given_back] > 0);
	sc_reader_free(reader);
	sc_giver_close(&giver);
	assert_int_equal(sc_giver_open(&giver, path, MEGABYTE), -EEXIST);
	memset(name, '/', sizeof(name));
	strcpy(name + sizeof(name) - strlen(path) - 1, path);
	assert_int_equal(sc_giver_open(&giver, name, MEGABYTE), -ENAMETOOLONG);
	assert_int_equal(sc_giver_open(&giver, "/nonexistent/t.sct", MEGABYTE), -ENOENT);
	assert_int_equal(sc_reader_open(&reader, name, NULL, 0), 0);
	assert_int_equal(count_kernels(), KERNELS / 2);
}

/* Returns what was there. */
static uint64_t overwrite(const char *name, off_t at, uint64_t value)
{
	int fd = open(name, O_RDWR | O_CLOEXEC);
	uint64_t before;

	assert_int_equal(pread(fd, &before, sizeof(before), at), sizeof(before));
	assert_int_equal(pwrite(fd, &value, sizeof(value), at), sizeof(value));
	close(fd);
	return before;
}

TEST(hostile_words)
{
	static const uint64_t values[] = {0, 1, 2, UINT64_MAX, UINT64_MAX / 64, (uint64_t)1 << 32};
	uint64_t half = write_trace();

	sc_writer_close(&writer);
	give(half);
	for (unsigned i = 0; i < 4 * sizeof(values) / sizeof(*values); i++) {
		/* number, size and head of the second record; how much was given back */
		const off_t second = 2 * sizeof(uint64_t) + 3 * SC_SLOT_SIZE;
		const off_t places[] = {second, second + 8, second + 16, SC_TRACE_GIVEN};
		const char *name = i % 4 < 3 ? rest : path;
		uint64_t before = overwrite(name, places[i % 4], values[i / 4]);

		assert_int_equal(sc_reader_open(&reader, path, NULL, 0), 0);
		count_kernels();
		assert_true(sc_reader_stats(reader)->gaps[SC_GAP_given_back] ||
			    sc_reader_stats(reader)->uncommitted);
		sc_reader_free(reader);
		overwrite(name, places[i % 4], before);
	}
	reader = NULL;
}

/* Of the kernel's own memory for this process. */
static uint64_t page_table_bytes(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kibibytes = 0;
	char line[128];

	assert_non_null(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "VmPTE: %lu", &kibibytes) == 1)
			break;
	fclose(status);
	return (uint64_t)kibibytes << 10;
}

/* Writes so many slots more, and gives them back now and then. */
static void write_and_give(uint64_t slots)
{
	for (uint64_t end = writer.head->slots + slots, due = 0; writer.head->slots < end;) {
		due += 8 * MEGABYTE / SC_SLOT_SIZE;
		while (writer.head->slots < end - slots + due)
			assert_int_not_equal(put(SC_OP_KERNEL, 1), SC_NOT_WRITTEN);
		assert_int_equal(sc_giver_take(&giver, writer.head->slots), 0);
		assert_int_equal(sc_giver_punch(&giver), 0);
	}
}

/* Sanitizers have memory of their own for what the program touches, and page tables for that. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW true
#else
#define HAS_SHADOW false
#endif

/* A page of them for two megabytes of the trace, if nothing is done. */
TEST(page_tables_are_given_back)
{
	uint64_t before;

	if (HAS_SHADOW)
		skip();
	sc_writer_close(&writer);
	sc_writer_abandon(&writer);
	unlink(path);
	assert_int_equal(sc_writer_open(&writer, path, 2048 * MEGABYTE), 0);
	sc_writer_bound(&writer, 64 * MEGABYTE, count_fall);
	assert_int_equal(sc_giver_open(&giver, path, MEGABYTE), 0);
	write_and_give(128 * MEGABYTE / SC_SLOT_SIZE);
	before = page_table_bytes();
	write_and_give(512 * MEGABYTE / SC_SLOT_SIZE);
	assert_in_range(page_table_bytes(), 0, before + MEGABYTE / 2);
	assert_int_equal(writer.head->lost, 0);
}
