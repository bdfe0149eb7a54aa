/* Splices: ops around the records of a trace, their numbers and links. */
#include <string.h>
#include "tests/unit/unit.h"
#include "trace/splice.h"

static const char script[] = "kernel s1\n"
			     "stream_sync s1\n"
			     "host_func s1\n"
			     "callback_begin 3\n"
			     "callback_end 3\n";

/* A wait of the host before each host function, a record of an event after each kernel. */
static void around(void *data, struct sc_splice *s, struct sc_record *r)
{
	struct sc_op op = {.kind = SC_OP_EVENT_SYNC, .phase = SC_PHASE_BEGIN};

	(*(unsigned *)data)++;
	if (r->op.kind == SC_OP_HOST_FUNC) {
		sc_splice_before(s, &op);
		op.phase = SC_PHASE_END;
		sc_splice_before(s, &op);
		r->op.value = 7;
	} else if (r->op.kind == SC_OP_KERNEL) {
		sc_splice_after(s, &(struct sc_op){.kind = SC_OP_EVENT_RECORD});
	}
}

static struct sc_reader *open_script(void)
{
	struct sc_reader *r;

	assert_int_equal(sc_reader_open_memory(&r, script, strlen(script), NULL, 0), 0);
	return r;
}

TEST(comes_out_in_order)
{
	static const uint16_t kinds[] = {
		SC_OP_KERNEL,	   SC_OP_EVENT_RECORD,	 SC_OP_STREAM_SYNC,
		SC_OP_STREAM_SYNC, SC_OP_EVENT_SYNC,	 SC_OP_EVENT_SYNC,
		SC_OP_HOST_FUNC,   SC_OP_CALLBACK_BEGIN, SC_OP_CALLBACK_END};
	struct sc_reader *r = open_script();
	struct sc_record record;
	unsigned met = 0, seen = 0;
	struct sc_splice s = {.around = around, .data = &met, .room = 16};
	uint64_t last = 0, begin = 0, function = 0;

	sc_reader_set_splice(r, &s);
	for (unsigned pass = 0; pass < 2; pass++) {
		sc_reader_rewind(r);
		for (seen = 0; sc_reader_next(r, &record);) {
			if (sc_op_kind_class(record.op.kind) == SC_CLASS_DEFINE)
				continue;
			assert_int_equal(record.op.kind, kinds[seen++]);
			assert_true(record.sequence > last || seen == 1);
			last = record.sequence;
			if (record.op.phase == SC_PHASE_END)
				assert_int_equal(record.op.link, begin + 1);
			begin = record.sequence;
			if (record.op.kind == SC_OP_HOST_FUNC) {
				assert_int_equal(record.op.value, 7);
				function = record.sequence;
			}
			if (record.op.kind == SC_OP_CALLBACK_BEGIN)
				assert_int_equal(record.op.link, function + 1);
		}
		assert_int_equal(seen, sizeof(kinds) / sizeof(*kinds));
	}
	sc_reader_free(r);
	sc_splice_fini(&s);
}

TEST(takes_out_what_is_at_a_number)
{
	struct sc_reader *r = open_script();
	struct sc_record record;
	unsigned met = 0;
	struct sc_splice s = {.around = around, .data = &met, .room = 16};
	struct sc_op op;

	sc_reader_set_splice(r, &s);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record)) {
		uint64_t place = sc_reader_place(r, record.sequence);

		if (record.sequence % 16) {
			assert_false(sc_reader_op(r, record.sequence, &op));
			continue;
		}
		assert_true(sc_reader_op(r, record.sequence, &op));
		assert_int_equal(op.kind, record.op.kind);
		assert_int_equal(place * 16, record.sequence);
	}
	sc_reader_set_splice(r, NULL);
	sc_reader_rewind(r);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(record.sequence, 0);
	sc_reader_free(r);
	sc_splice_fini(&s);
}

static void flood(void *data, struct sc_splice *s, struct sc_record *r)
{
	(void)r;
	for (unsigned i = 0; i < *(unsigned *)data; i++)
		sc_splice_before(s, &(struct sc_op){.kind = SC_OP_CALL});
}

TEST(refuses_more_than_there_is_room_for)
{
	struct sc_reader *r = open_script();
	struct sc_record record;
	unsigned calls = 20;
	struct sc_splice s = {.around = flood, .data = &calls, .room = 16};
	uint64_t last = 0;

	sc_reader_set_splice(r, &s);
	sc_reader_rewind(r);
	for (unsigned i = 0; sc_reader_next(r, &record); i++) {
		assert_true(!i || record.sequence > last);
		last = record.sequence;
	}
	assert_true(s.refused > 0);
	sc_reader_free(r);
	sc_splice_fini(&s);
}
