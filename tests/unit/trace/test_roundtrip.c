/* Text form: everything that can be printed parses back. */
#include "trace/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "base/buf.h"
#include "base/vector.h"
#include "tests/sealed.h"
#include "tests/unit/trace/text_form.h"
#include "trace/field.h"
#include "trace/slot.h"

TEST(numbers_without_a_name)
{
	assert_null(sc_op_kind_text(SC_OP_KINDS));
	assert_null(sc_memory_text(SC_MEM_KINDS));
	assert_null(sc_engine_text(SC_ENGINES));
	assert_null(sc_op_flag_text(UINT32_C(1) << 31));
	assert_false(sc_memory_is_host(SC_MEM_KINDS));
	assert_false(sc_engine_is_work(SC_ENGINES));
	assert_int_equal(sc_op_kind_class(SC_OP_KINDS), SC_CLASS_DEFINE);
}

/* A trace in memory, built record by record. */
struct built {
	struct sc_buf bytes;
};

static void begin_trace(struct built *t)
{
	struct sc_trace_header header = {.magic = SC_TRACE_MAGIC,
					 .version = SC_TRACE_VERSION,
					 .op_bytes = sizeof(struct sc_op),
					 .closed = 1};

	*t = (struct built){0};
	sc_buf_add_bytes(&t->bytes, &header, sizeof(header));
	sc_buf_fill(&t->bytes, 0, SC_TRACE_HEADER - sizeof(header));
}

static void add_record(struct built *t, const struct sc_op *op, const struct sc_attachment *a,
		       unsigned count)
{
	struct sc_slot slots[64] = {0};
	uint32_t n = sc_slot_count(a, count);

	assert_in_range(n, 2, 64);
	sc_slot_fill(slots, n, op, a, count);
	sc_buf_add_bytes(&t->bytes, slots, n * sizeof(slots[0]));
	((struct sc_trace_header *)t->bytes.text)->slots += n;
}

/* Compares line by line, so that a failure names the one line that differs. */
static void assert_same_lines(const char *first, const char *second)
{
	while (*first || *second) {
		int a = (int)strcspn(first, "\n"), b = (int)strcspn(second, "\n");

		if (a != b || memcmp(first, second, (size_t)a))
			fail_msg("\n%.*s\nbecame\n%.*s", a, first, b, second);
		first += a + !!first[a];
		second += b + !!second[b];
	}
}

/* Prints, parses and prints again: the bytes and the text must be the same. */
static void assert_round_trip(struct built *t)
{
	char *first, *second;
	struct sc_text_script s;

	sealed((uint8_t *)t->bytes.text, t->bytes.bytes);
	first = print_all(t->bytes.text, t->bytes.bytes);
	s = parse(first);
	second = print_all(s.trace, s.bytes);
	assert_same_lines(first, second);
	assert_int_equal(s.bytes, t->bytes.bytes);
	for (size_t at = SC_TRACE_HEADER; at < s.bytes; at += SC_SLOT_SIZE)
		if (memcmp(s.trace + at, t->bytes.text + at, SC_SLOT_SIZE))
			fail_msg("slot %zu differs, text:\n%s",
				 (at - SC_TRACE_HEADER) / SC_SLOT_SIZE, first);
	free(first);
	free(second);
	sc_text_script_fini(&s);
	sc_buf_fini(&t->bytes);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A value that the field can hold and a reader accepts. */
static uint64_t random_value(unsigned field, uint64_t random)
{
	switch (sc_field_format(field)) {
	case SC_AS_MEMORY: return random % SC_MEM_KINDS;
	case SC_AS_ENGINE: return random % SC_ENGINES;
	case SC_AS_PHASE: return random % (SC_PHASE_END + 1);
	default: return random;
	}
}

static struct sc_op random_op(unsigned kind, uint64_t *state, unsigned zeros)
{
	struct sc_op op = {.kind = (uint16_t)kind};

	for (unsigned field = 0; field < SC_FIELDS; field++) {
		uint64_t random = next_random(state);

		if ((random >> 40) % 8 >= zeros)
			sc_field_set(&op, field, random_value(field, random));
	}
	return op;
}

/* Kinds whose text or frames stand as an operand have them first, so that order is kept. */
TEST(every_kind_goes_both_ways)
{
	uint64_t random = 88172645463325252u;

	for (unsigned zeros = 0; zeros <= 8; zeros += 2) {
		struct built t;

		begin_trace(&t);
		for (unsigned kind = 1; kind < SC_OP_KINDS; kind++)
			for (int i = 0; i < 20; i++) {
				struct sc_op op = random_op(kind, &random, zeros);

				add_record(&t, &op, NULL, 0);
			}
		assert_round_trip(&t);
	}
}

/* Every member of an access differs from 0 somewhere, `spare` apart. */
static const struct sc_access accesses[] = {
	{16, 1, 0, 1, 0, 1, SC_READ, SC_KNOWN_EXACT, SC_MEM_DEVICE, 0, SC_SOURCE_STREAM, {0}},
	{UINT64_MAX,
	 2,
	 3,
	 4,
	 0,
	 1,
	 SC_WRITE,
	 SC_KNOWN_OVER,
	 SC_MEM_NONE,
	 SC_HOW_PROGRAM,
	 SC_SOURCE_ANY,
	 {0}},
	{0,
	 2,
	 3,
	 4,
	 5,
	 6,
	 SC_READ_WRITE,
	 SC_KNOWN_PARAMETER,
	 SC_MEM_UNKNOWN,
	 0,
	 SC_SOURCE_DURING_CALL,
	 {0}},
	{0,
	 0,
	 0,
	 0,
	 0,
	 0,
	 SC_ATOMIC,
	 SC_KNOWN_EXACT,
	 SC_MEM_ARRAY,
	 SC_HOW_PROGRAM,
	 SC_SOURCE_UNKNOWN,
	 {0}},
};

TEST(every_attachment_goes_both_ways)
{
	static const char text[] = "quote \" slash \\ line\n tab\t \x01\x7f\xc3\xa9 # [x]";
	static const uint64_t frames[] = {1, UINT64_MAX, 0};
	static const struct sc_launch plain = {{1, 2, 3}, {4, 5, 6}, 7, 0, 8, 0};
	static const struct {
		struct sc_launch launch;
		uint8_t params[5];
	} full = {{{0, 0, 0}, {9, 9, 9}, 1, 5, UINT32_MAX, 0}, {1, 2, 3, 0xfe, 0xff}};
	static const struct sc_param layout[] = {{0, 8}, {8, UINT32_MAX}};
	static const struct {
		struct sc_node node;
		struct sc_dependency on[4];
	} place = {{7, 3, 64 + SC_NODE_MORE + SC_NODE_UPDATE, 2},
		   {{1, 0, 0, 0}, {UINT32_MAX, 2, 1, 0}, {4, 1, 0, 0}, {5, 255, 255, 65535}}};
	struct sc_attachment all[] = {
		{SC_ATTACH_TEXT, sizeof(text) - 1, text},
		{SC_ATTACH_FRAMES, sizeof(frames), frames},
		{SC_ATTACH_ACCESSES, sizeof(accesses), accesses},
		{SC_ATTACH_LAUNCH, sizeof(plain), &plain},
		{SC_ATTACH_LAUNCH, sizeof(full.launch) + 5, &full},
		{SC_ATTACH_LAYOUT, sizeof(layout), layout},
		{SC_ATTACH_BUILD_ID, 5, "\0\1\2\3\xff"},
		{SC_ATTACH_PYTHON, sizeof(text) - 1, text},
		{SC_ATTACH_RUN, sizeof(text) - 1, text},
		{SC_ATTACH_NODE, sizeof(place), &place},
		{SC_ATTACH_NODE, sizeof(place.node), &place},
		{77, 3, "abc"},
		{UINT32_MAX, 0, NULL},
	};
	const unsigned count = sizeof(all) / sizeof(all[0]);
	struct built t;

	begin_trace(&t);
	for (unsigned kind = 1; kind < SC_OP_KINDS; kind++) {
		struct sc_op op = {.kind = (uint16_t)kind, .phase = SC_PHASE_BEGIN, .bytes = 1};

		for (unsigned i = 0; i < count; i++)
			add_record(&t, &op, &all[i], 1);
		if (kind == SC_OP_STACK) /* what is an operand stands first */
			all[0] = all[1];
		add_record(&t, &op, all, count);
		all[0] = (struct sc_attachment){SC_ATTACH_TEXT, sizeof(text) - 1, text};
	}
	assert_round_trip(&t);
}
