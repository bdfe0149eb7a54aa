/* Answers: a decoder for what compilers put after a call. */
#include "interposer/stack/answer.h"

#include <stdbool.h>
#include <string.h>

#define MOST_PARTS	  16 /* ways that are still to be followed */
#define MOST_INSTRUCTIONS 256

enum {
	MODRM = 1,
	READS_R = 2,
	WRITES_R = 4,
	READS_M = 8,
	WRITES_M = 16,
	BYTE_R = 32,
	BYTE_M = 64,
	IMM8 = 128,
	IMM = 256,
	UNUSED = 512,
};

/* What becomes of eax: GOES_ON is that the next instruction says. */
enum step { GOES_ON, READ, DROPPED, RETURNED, PARTS };

struct code {
	const uint8_t *at, *start, *end;
	const uint8_t *target; /* of a jump; NULL: outside */
	bool is_short, w, r, x, b, has_rex;
	uint8_t map, opcode;
	uint8_t modrm;
	bool is_rax_address; /* the memory operand's address is made of rax */
};

static uint8_t take(struct code *c)
{
	return c->at < c->end ? *c->at++ : 0xf4; /* hlt: not understood */
}

static bool skip(struct code *c, unsigned bytes)
{
	if ((uint64_t)(c->end - c->at) < bytes)
		return false;
	c->at += bytes;
	return true;
}

static void take_opcode(struct code *c)
{
	uint8_t byte = take(c);

	c->is_short = c->w = c->r = c->x = c->b = c->has_rex = false;
	while (byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e ||
	       byte == 0x3e || byte == 0x64 || byte == 0x65) {
		c->is_short |= byte == 0x66;
		byte = take(c);
	}
	if ((byte & 0xf0) == 0x40) {
		c->has_rex = true;
		c->w = byte & 8;
		c->r = byte & 4;
		c->x = byte & 2;
		c->b = byte & 1;
		byte = take(c);
	}
	c->map = 1;
	if (byte == 0x0f) {
		c->map = 2;
		byte = take(c);
	}
	c->opcode = byte;
}

/* The ModRM byte, and the address after it. */
static bool take_operands(struct code *c)
{
	unsigned mode;
	uint8_t sib = 0;
	bool has_base = true;

	c->modrm = take(c);
	c->is_rax_address = false;
	mode = c->modrm >> 6;
	if (mode == 3)
		return true;
	if ((c->modrm & 7) == 4) {
		sib = take(c);
		has_base = mode || (sib & 7) != 5;
		c->is_rax_address = !(sib & 0x38) && !c->x;
		c->is_rax_address |= has_base && !(sib & 7) && !c->b;
	} else {
		has_base = mode || (c->modrm & 7) != 5;
		c->is_rax_address = has_base && !(c->modrm & 7) && !c->b;
	}
	return skip(c, mode == 1 ? 1 : mode == 2 || !has_base ? 4 : 0);
}

/* Of a byte operand without REX, 4 is ah. */
static bool is_rax(const struct code *c, unsigned number, bool is_far, bool is_byte)
{
	return !is_far && (!number || (is_byte && !c->has_rex && number == 4));
}

/* All of eax gets a value that does not come from it. */
static enum step judge_operands(const struct code *c, unsigned what)
{
	bool is_register = c->modrm >> 6 == 3;
	bool r = is_rax(c, c->modrm >> 3 & 7, c->r, what & BYTE_R);
	bool m = is_register && is_rax(c, c->modrm & 7, c->b, what & BYTE_M);
	bool is_part = c->is_short;

	if ((!is_register && c->is_rax_address) || (what & READS_R && r) || (what & READS_M && m))
		return READ;
	if (what & WRITES_R && r)
		return is_part || what & BYTE_R ? READ : DROPPED;
	if (what & WRITES_M && m)
		return is_part || what & BYTE_M ? READ : DROPPED;
	return GOES_ON;
}

static const uint8_t *target(const struct code *c, int64_t distance)
{
	if (distance < c->start - c->at || distance >= c->end - c->at)
		return NULL;
	return c->at + distance;
}

static void take_target(struct code *c, bool is_near)
{
	int32_t far = 0;

	if (is_near) {
		far = (int8_t)take(c);
	} else if (skip(c, 4)) {
		memcpy(&far, c->at - 4, sizeof(far));
	}
	c->target = target(c, far);
}

/* Calls, jumps and returns; no function gets an argument in rax that the caller had not put there
 * for it. */
static enum step step_flow(struct code *c)
{
	uint8_t o = c->opcode;

	if (c->map == 2 && (o & 0xf0) == 0x80) {
		take_target(c, false);
		return PARTS;
	}
	if (c->map == 2)
		return o == 0x0b ? DROPPED : GOES_ON; /* ud2: never reached */
	if ((o & 0xf0) == 0x70) {
		take_target(c, true);
		return PARTS;
	}
	if (o == 0xeb || o == 0xe9) {
		take_target(c, o == 0xeb);
		if (!c->target)
			return READ;
		c->at = c->target;
		return GOES_ON;
	}
	if (o == 0xe8)
		return DROPPED;
	return o == 0xc3 || o == 0xc2 ? RETURNED : GOES_ON;
}

static bool is_flow(const struct code *c)
{
	uint8_t o = c->opcode;

	if (c->map == 2)
		return (o & 0xf0) == 0x80 || o == 0x0b;
	return (o & 0xf0) == 0x70 || o == 0xe8 || o == 0xe9 || o == 0xeb || o == 0xc3 || o == 0xc2;
}

/* Of opcodes whose ModRM byte says what they are: a call or a jump by a pointer, which a place in
 * memory holds; or increments and pushes. */
static enum step step_group5(struct code *c)
{
	unsigned number;

	if (!take_operands(c))
		return READ;
	number = c->modrm >> 3 & 7;
	if (judge_operands(c, READS_M) == READ)
		return READ;
	if (number == 2)
		return DROPPED;
	if (number == 4) /* of a function of another file, whose address is in a table */
		return (c->modrm & 0xc7) == 5 ? DROPPED : READ;
	return number < 2 || number == 6 ? GOES_ON : READ;
}

/* test, not, neg; the rest uses rax. */
static enum step step_group3(struct code *c)
{
	unsigned number, what = c->opcode == 0xf6 ? READS_M | BYTE_M : READS_M;

	if (!take_operands(c))
		return READ;
	number = c->modrm >> 3 & 7;
	if (number > 3)
		return READ;
	if (number < 2 && !skip(c, c->opcode == 0xf6 ? 1 : c->is_short ? 2 : 4))
		return READ;
	return judge_operands(c, what);
}

/* Opcodes with a register in their last bits. */
static enum step step_register(struct code *c)
{
	bool is_mine = !(c->opcode & 7) && !c->b;

	switch (c->opcode & 0xf8) {
	case 0x50: return is_mine ? READ : GOES_ON;
	case 0x58: return !is_mine ? GOES_ON : c->is_short ? READ : DROPPED;
	case 0x90: return c->opcode == 0x90 && !c->b ? GOES_ON : READ;
	case 0xb0: return skip(c, 1) && !is_rax(c, c->opcode & 7, c->b, true) ? GOES_ON : READ;
	default:
		if (!skip(c, c->w ? 8 : c->is_short ? 2 : 4))
			return READ;
		return !is_mine ? GOES_ON : c->is_short ? READ : DROPPED;
	}
}

static bool is_of_register(const struct code *c)
{
	uint8_t high = c->opcode & 0xf8;

	return c->map == 1 &&
	       (high == 0x50 || high == 0x58 || high == 0x90 || high == 0xb0 || high == 0xb8);
}

static int listed(const struct code *c)
{
	static const struct {
		uint8_t map, first, last;
		int what;
	} rows[] = {
#define ANSWER(map, first, last, what) {map, first, last, what},
#include "interposer/stack/answer.def"
#undef ANSWER
	};

	if (c->map == 1 && c->opcode < 0x40 && (c->opcode & 7) < 4)
		return MODRM | READS_R | READS_M | (c->opcode & 1 ? 0 : BYTE_R | BYTE_M);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].map == c->map && rows[i].first <= c->opcode &&
		    c->opcode <= rows[i].last)
			return rows[i].what;
	return -1;
}

/* xor and sub of a register with itself make it zero. */
static bool is_zeroing(const struct code *c)
{
	uint8_t o = c->opcode & 0xfd;

	return c->map == 1 && (o == 0x31 || o == 0x29) && c->modrm == 0xc0 && !c->r && !c->b &&
	       !c->is_short;
}

static enum step step(struct code *c)
{
	int what;

	take_opcode(c);
	if (is_flow(c))
		return step_flow(c);
	if (is_of_register(c))
		return step_register(c);
	if (c->map == 1 && c->opcode == 0xff)
		return step_group5(c);
	if (c->map == 1 && (c->opcode == 0xf6 || c->opcode == 0xf7))
		return step_group3(c);
	what = listed(c);
	if (what < 0 || (what & MODRM && !take_operands(c)))
		return READ;
	if (what & IMM8 && !skip(c, 1))
		return READ;
	if (what & IMM && !skip(c, c->is_short ? 2 : 4))
		return READ;
	if (!(what & MODRM) || what & UNUSED)
		return GOES_ON;
	return is_zeroing(c) ? DROPPED : judge_operands(c, (unsigned)what);
}

struct parts {
	const uint8_t *at[MOST_PARTS];
	unsigned count;
};

/* Adds a way to be followed, once; false if there are too many, or it leads outside. */
static bool add(struct parts *p, const uint8_t *at)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->at[i] == at)
			return true;
	if (!at || p->count == MOST_PARTS)
		return false;
	p->at[p->count++] = at;
	return true;
}

/* Follows one way to where it says something; READ too if that is too far. */
static enum step follow(struct code *c, struct parts *p, unsigned *left)
{
	enum step s = GOES_ON;

	while (s == GOES_ON) {
		if (!(*left)--)
			return READ;
		s = step(c);
		if (s == PARTS)
			s = add(p, c->target) ? GOES_ON : READ;
	}
	return s;
}

enum sc_answer sc_answer_at(const uint8_t *place, const uint8_t *start, const uint8_t *end)
{
	struct parts parts = {{place}, 1};
	unsigned left = MOST_INSTRUCTIONS;
	enum sc_answer found = SC_ANSWER_DROPPED;

	for (unsigned i = 0; i < parts.count; i++) {
		struct code c = {.at = parts.at[i], .start = start, .end = end};
		enum step s = follow(&c, &parts, &left);

		if (s == READ)
			return SC_ANSWER_READ;
		if (s == RETURNED)
			found = SC_ANSWER_RETURNED;
	}
	return found;
}
