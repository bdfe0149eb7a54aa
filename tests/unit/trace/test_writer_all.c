/* Writer: several ops at once are as many records, all of them or none. */
#include <stdio.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "trace/reader.h"
#include "trace/writer.h"

#define MEGABYTE ((uint64_t)1 << 20)
#define OPS	 3

static struct sc_writer writer;
static char path[64];

static int open_writer(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_writer_all.%d.sct", getpid());
	unlink(path);
	return sc_writer_open(&writer, path, MEGABYTE);
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void put_all(uint64_t number)
{
	struct sc_op ops[OPS] = {0};

	for (unsigned i = 0; i < OPS; i++)
		ops[i] = (struct sc_op){.kind = SC_OP_KERNEL, .value = number + i};
	sc_writer_put_all(&writer, ops, OPS);
}

/* Closes the trace and reads it: how many records there are, all in the order they were put in. */
static uint64_t count_records(uint64_t *lost)
{
	struct sc_record record;
	struct sc_reader *r;
	char message[200];
	uint64_t n = 0;

	sc_writer_close(&writer);
	assert_int_equal(sc_reader_open(&r, path, message, sizeof(message)), 0);
	while (sc_reader_next(r, &record))
		assert_int_equal(record.op.value, n++);
	*lost = sc_reader_stats(r)->lost;
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	sc_reader_free(r);
	return n;
}

EACH_TEST(open_writer, remove_path)

TEST(each_is_a_record)
{
	struct sc_op op = {.kind = SC_OP_KERNEL, .value = OPS};
	uint64_t lost;

	put_all(0);
	sc_writer_put_all(&writer, &op, 0);
	assert_int_equal(sc_writer_put(&writer, &op, NULL, 0), 2 * OPS);
	assert_int_equal(count_records(&lost), OPS + 1);
	assert_int_equal(lost, 0);
}

TEST(without_room_none_is_written)
{
	uint64_t room = (MEGABYTE - SC_TRACE_HEADER) / 128, lost;

	for (uint64_t i = 0; i < room / OPS + 1; i++)
		put_all(OPS * i);
	assert_int_equal(count_records(&lost), room / OPS * OPS);
	assert_int_equal(lost, OPS);
}

TEST(a_closed_trace_takes_none)
{
	uint64_t lost;

	put_all(0);
	sc_writer_close(&writer);
	put_all(OPS);
	assert_int_equal(count_records(&lost), OPS);
	assert_int_equal(lost, 0);
}
