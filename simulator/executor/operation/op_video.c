/* Handlers of video instructions: arithmetic of parts of registers, alone or two or four at once.
 *
 * An opcode has so many parts that they are described in the instruction (exec_video_describe), and
 * one handler reads the description. The forms' `m` are operands of which a part may be named.
 */
#include "simulator/executor/operation/video.h"

#include <string.h>

#include "simulator/executor/operation/operation.h"

enum operation { ADD, SUB, ABSDIFF, MIN, MAX, AVERAGE, SHL, SHR, MAD, SET, OPERATIONS };

enum { IS_SIGNED = 1 }; /* of a type */

struct video {
	uint8_t operation;
	uint8_t parts; /* of each register: 1, 2, 4 */
	uint8_t types; /* signed ones: bit 0 of the result, 1 and 2 of the factors */
	uint8_t saturates;
	uint8_t second; /* enum operation: ADD, MIN, MAX with the third operand; OPERATIONS: none */
	uint8_t compare;
	uint8_t wraps;
	uint8_t shift;
};

_Static_assert(sizeof(struct video) == sizeof(uint64_t), "it is an instruction's value");

/* ---- opcodes ---- */

static bool is(const char *text, size_t bytes, const char *word)
{
	return strlen(word) == bytes && !memcmp(text, word, bytes);
}

static bool find_operation(struct video *v, const char *text, size_t bytes)
{
	static const char *const names[OPERATIONS] = {"vadd",  "vsub", "vabsdiff", "vmin", "vmax",
						      "vavrg", "vshl", "vshr",	   "vmad", "vset"};

	v->parts = 1;
	if (bytes && (text[bytes - 1] == '2' || text[bytes - 1] == '4'))
		v->parts = (uint8_t)(text[--bytes] - '0');
	for (unsigned i = 0; i < OPERATIONS; i++)
		if (is(text, bytes, names[i])) {
			v->operation = (uint8_t)i;
			return v->parts == 1 ? i != AVERAGE : i < SHL || i == SET;
		}
	return 0;
}

/* A part after the operation and the types; false: it is not known. */
static bool set_part(struct video *v, const char *text, size_t bytes)
{
	static const struct {
		const char *word;
		uint8_t second, compare;
	} parts[] = {{"add", ADD, 0},
		     {"min", MIN, 0},
		     {"max", MAX, 0},
		     {"eq", OPERATIONS, SC_COMPARE_EQ},
		     {"ne", OPERATIONS, SC_COMPARE_NE},
		     {"lt", OPERATIONS, SC_COMPARE_LT},
		     {"le", OPERATIONS, SC_COMPARE_LE},
		     {"gt", OPERATIONS, SC_COMPARE_GT},
		     {"ge", OPERATIONS, SC_COMPARE_GE}};

	if (is(text, bytes, "sat")) {
		v->saturates = 1;
		return 1;
	}
	if (is(text, bytes, "wrap") || is(text, bytes, "clamp")) {
		v->wraps = *text == 'w';
		return v->operation == SHL || v->operation == SHR;
	}
	if (is(text, bytes, "shr7") || is(text, bytes, "shr15")) {
		v->shift = bytes == 4 ? 7 : 15;
		return v->operation == MAD;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!is(text, bytes, parts[i].word))
			continue;
		if (parts[i].second != OPERATIONS)
			v->second = parts[i].second;
		else
			v->compare = parts[i].compare;
		return parts[i].second != OPERATIONS ? v->parts == 1 || v->second == ADD
						     : v->operation == SET;
	}
	return 0;
}

bool exec_video_describe(const char *opcode, uint64_t *description)
{
	struct video v = {.second = OPERATIONS};
	unsigned types = 0, most;

	if (*opcode != 'v' || !find_operation(&v, opcode, strcspn(opcode, ".")))
		return 0;
	most = v.operation == SET ? 2 : 3; /* the result of a comparison has none */
	for (const char *at = strchr(opcode, '.'); at; at = strchr(at, '.')) {
		size_t bytes = strcspn(++at, ".");

		if (types < most && (is(at, bytes, "u32") || is(at, bytes, "s32"))) {
			v.types |= (uint8_t)((*at == 's') << (types++ + (most == 2)));
			continue;
		}
		if (!set_part(&v, at, bytes))
			return 0;
	}
	memcpy(description, &v, sizeof(v));
	return types == most && (v.operation == SET) == (v.compare != 0);
}

/* ---- lanes ---- */

/* So many bits from that one on, with their sign if they have one. */
static int64_t field(uint32_t value, unsigned first, unsigned bits, bool is_signed)
{
	uint64_t part = (uint64_t)value >> first << (64 - bits);

	return is_signed ? (int64_t)part >> (64 - bits) : (int64_t)(part >> (64 - bits));
}

/* Where the part of a register lies that an operand names. */
static void locate(unsigned component, unsigned *first, unsigned *bits)
{
	*first = 0;
	*bits = 32;
	if (component >= SC_COMPONENT_H0) {
		*first = 16 * (component - SC_COMPONENT_H0);
		*bits = 16;
	} else if (component >= SC_COMPONENT_B0) {
		*first = 8 * (component - SC_COMPONENT_B0);
		*bits = 8;
	}
}

static bool compares(unsigned compare, int64_t a, int64_t b)
{
	switch (compare) {
	case SC_COMPARE_EQ: return a == b;
	case SC_COMPARE_NE: return a != b;
	case SC_COMPARE_LT: return a < b;
	case SC_COMPARE_LE: return a <= b;
	case SC_COMPARE_GT: return a > b;
	}
	return a >= b;
}

static int64_t shifted(const struct video *v, int64_t a, int64_t by)
{
	uint32_t count = (uint32_t)by;

	count = v->wraps ? count & 31 : count > 32 ? 32 : count;
	return v->operation == SHL ? (int64_t)((uint64_t)a << count) : a >> count;
}

static int64_t computed(const struct video *v, int64_t a, int64_t b)
{
	switch ((enum operation)v->operation) {
	case ADD: return a + b;
	case SUB: return a - b;
	case ABSDIFF: return a < b ? b - a : a - b;
	case MIN: return a < b ? a : b;
	case MAX: return a < b ? b : a;
	case AVERAGE: return (a + b + (a + b >= 0)) >> 1;
	case SHL:
	case SHR: return shifted(v, a, b);
	case SET: return compares(v->compare, a, b);
	case MAD: /* with its third operand: sum_of_product */
	case OPERATIONS: break;
	}
	return 0;
}

static int64_t clamped(int64_t a, unsigned bits, bool is_signed)
{
	int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;

	return a < least ? least : a > most ? most : a;
}

static uint32_t inserted(uint32_t into, uint32_t value, unsigned first, unsigned bits)
{
	uint32_t mask = (bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX) << first;

	return (into & ~mask) | (value << first & mask);
}

/* An H200 takes a sum with the highest bit set for larger than any third operand. */
static bool wins(const struct video *v, uint32_t result)
{
	return v->operation == ADD && !v->types && result >> 31;
}

/* Of a signed and an unsigned number, sums that are too large for an unsigned one are not clamped.
 */
static int64_t saturated(const struct video *v, int64_t result, unsigned bits)
{
	bool is_mixed = v->types == 2 || v->types == 4;

	if (v->operation == ADD && is_mixed && result > 0)
		return result;
	return clamped(result, bits, v->types & IS_SIGNED);
}

/* The result with the third operand, or in a part of it. */
static uint32_t combined(const struct video *v, int64_t result, uint32_t c, unsigned first,
			 unsigned bits)
{
	bool is_signed = v->types & IS_SIGNED;
	int64_t x = field((uint32_t)result, 0, 32, is_signed), y = field(c, 0, 32, is_signed);

	switch (v->second) {
	case ADD: return (uint32_t)result + c;
	case MIN: return (uint32_t)(x < y ? x : y);
	case MAX: return (uint32_t)(x < y && !wins(v, (uint32_t)result) ? y : x);
	}
	return inserted(c, (uint32_t)result, first, bits);
}

static uint32_t sum_of_product(const struct video *v, int64_t a, int64_t b, uint32_t c)
{
	bool is_signed = (v->types >> 1 | v->types >> 2) & IS_SIGNED;
	int64_t sum = (int64_t)((uint64_t)a * (uint64_t)b + (uint64_t)field(c, 0, 32, is_signed));

	sum = is_signed ? sum >> v->shift : (int64_t)((uint64_t)sum >> v->shift);
	if (v->saturates)
		sum = !is_signed && sum < 0 ? UINT32_MAX : sum;
	return (uint32_t)(v->saturates ? clamped(sum, 32, v->types & IS_SIGNED) : sum);
}

static uint32_t in_parts(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	unsigned bits = 32U / v->parts;
	uint32_t out = v->second == ADD ? c : 0;

	for (unsigned at = 0; at < 32; at += bits) {
		int64_t part = computed(v, field(a, at, bits, v->types >> 1 & IS_SIGNED),
					field(b, at, bits, v->types >> 2 & IS_SIGNED));

		if (v->saturates)
			part = clamped(part, bits, v->types & IS_SIGNED);
		out = v->second == ADD
			      ? out + (uint32_t)field((uint32_t)part, 0, bits, v->types & IS_SIGNED)
			      : inserted(out, (uint32_t)part, at, bits);
	}
	return out;
}

static int64_t operand(const struct exec_instruction *in, unsigned slot, uint32_t value,
		       bool is_signed)
{
	unsigned first, bits;

	locate(in->width[slot] >> EXEC_COMPONENT_SHIFT, &first, &bits);
	return field(value, first, bits, is_signed);
}

static void video(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint32_t *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]);
	const uint32_t *c = exec_lanes(w, in->width[3] ? in->slot[3] : EXEC_SLOT_SINK);
	uint32_t mask = exec_mask(w, in), out[EXEC_LANES];
	unsigned first, bits;
	struct video v;

	memcpy(&v, &in->value, sizeof(v));
	locate(in->width[0] >> EXEC_COMPONENT_SHIFT, &first, &bits);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t third = in->width[3] ? c[i] : 0;
		int64_t x = operand(in, 1, a[i], v.types >> 1 & IS_SIGNED);
		int64_t y = operand(in, 2, b[i],
				    v.types >> 2 & IS_SIGNED && v.operation != SHL &&
					    v.operation != SHR);
		int64_t result = computed(&v, x, y);

		if (v.saturates)
			result = saturated(&v, result, bits);
		out[i] = v.parts > 1	      ? in_parts(&v, a[i], b[i], third)
			 : v.operation == MAD ? sum_of_product(&v, x, y, third)
					      : combined(&v, result, third, first, bits);
	}
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}

static const struct exec_row rows[] = {
	{EXEC_VIDEO_KEY, "=m m m ?m", 0, video},
};

const struct exec_rows exec_video_rows = EXEC_ROWS(rows);
