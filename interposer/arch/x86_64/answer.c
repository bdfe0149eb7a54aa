/* Answers: a decoder for what compilers put after a call. */
#include "interposer/arch/answer.h"

#include <stdbool.h>
#include <string.h>

#define MOST_PARTS	  16 /* ways that are still to be followed */
#define MOST_INSTRUCTIONS 256
#define MOST_CHOICES	  16 /* instructions until both answers are at one place again */
#define COMPLETE	  0  /* the answers of a query */
#define NOT_READY	  600
#define RAX		  0 /* numbers of registers */
#define RBX		  3
#define RBP		  5
#define R12		  12
#define REGISTERS	  16
#define NO_REGISTER	  16 /* only flags are left */

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

/* What becomes of the register: GOES_ON is that the next instruction says. */
enum step { GOES_ON, READ, DROPPED, RETURNED, PARTS };

struct code {
	const uint8_t *at, *start, *end;
	const uint8_t *target; /* of a jump; NULL: outside */
	bool is_short, w, r, x, b, has_rex;
	uint8_t map, opcode;
	uint8_t modrm;
	unsigned held;	      /* number of the register that is followed */
	bool is_held_address; /* the memory operand's address is made of it */
	bool has_flags;	      /* they depend on the answer */
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

/* A register by its three bits in an instruction, and the bit of the prefix. */
static bool is_number(const struct code *c, unsigned bits, bool is_far)
{
	return (bits & 7) + (is_far ? 8 : 0) == c->held;
}

/* The ModRM byte, and the address after it. */
static bool take_operands(struct code *c)
{
	unsigned mode;
	uint8_t sib = 0;
	bool has_base = true;

	c->modrm = take(c);
	c->is_held_address = false;
	mode = c->modrm >> 6;
	if (mode == 3)
		return true;
	if ((c->modrm & 7) == 4) {
		sib = take(c);
		has_base = mode || (sib & 7) != 5;
		c->is_held_address = is_number(c, sib >> 3, c->x);
		c->is_held_address |= has_base && is_number(c, sib, c->b);
	} else {
		has_base = mode || (c->modrm & 7) != 5;
		c->is_held_address = has_base && is_number(c, c->modrm, c->b);
	}
	return skip(c, mode == 1 ? 1 : mode == 2 || !has_base ? 4 : 0);
}

/* Of a byte operand without REX, 4 is ah, and 7 bh. */
static bool is_held(const struct code *c, unsigned bits, bool is_far, bool is_byte)
{
	return is_number(c, bits, is_far) || (is_byte && !c->has_rex && (bits & 7) == c->held + 4);
}

/* All of the register gets a value that does not come from it. */
static enum step judge_operands(const struct code *c, unsigned what)
{
	bool is_register = c->modrm >> 6 == 3;
	bool r = is_held(c, c->modrm >> 3, c->r, what & BYTE_R);
	bool m = is_register && is_held(c, c->modrm, c->b, what & BYTE_M);
	bool is_part = c->is_short;

	if ((!is_register && c->is_held_address) || (what & READS_R && r) || (what & READS_M && m))
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

/* No function gets an argument in rax that the caller had not put there for it; the other registers
 * that are followed outlast calls, and are to be what they were when the function returns. */
static enum step step_call(const struct code *c)
{
	return c->held == RAX || c->held == NO_REGISTER ? DROPPED : GOES_ON;
}

static enum step step_return(const struct code *c)
{
	if (c->held == NO_REGISTER)
		return DROPPED;
	return c->held == RAX ? RETURNED : READ;
}

/* Calls, jumps and returns. */
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
		return skip(c, 4) ? step_call(c) : READ;
	return o == 0xc3 || o == 0xc2 ? step_return(c) : GOES_ON;
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
		return step_call(c);
	if (number == 4) /* of a function of another file, whose address is in a table */
		return (c->modrm & 0xc7) == 5 && step_call(c) == DROPPED ? DROPPED : READ;
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
	bool is_mine = is_number(c, c->opcode, c->b);

	switch (c->opcode & 0xf8) {
	case 0x50: return is_mine ? READ : GOES_ON;
	case 0x58: return !is_mine ? GOES_ON : c->is_short ? READ : DROPPED;
	case 0x90: return c->opcode == 0x90 && !c->b ? GOES_ON : READ;
	case 0xb0: return skip(c, 1) && !is_held(c, c->opcode, c->b, true) ? GOES_ON : READ;
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
#include "interposer/arch/x86_64/answer.def"
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

	return c->map == 1 && (o == 0x31 || o == 0x29) && c->modrm >= 0xc0 && !c->is_short &&
	       is_number(c, c->modrm >> 3, c->r) && is_number(c, c->modrm, c->b);
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
	if (c->map == 1 && c->opcode == 0xc9 && c->held == RBP) /* leave */
		return READ;
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

/* ---- answers that make no difference ---- */

/* A test or comparison of eax with a number; false: it is another instruction. */
static bool take_comparison(struct code *c, int64_t *with)
{
	int32_t number = 0;

	take_opcode(c);
	if (c->map != 1 || c->w || c->is_short)
		return false;
	if (c->opcode == 0x3d) {
		if (!skip(c, 4))
			return false;
		memcpy(&number, c->at - 4, sizeof(number));
		*with = number;
		return c->held == RAX;
	}
	if (c->opcode != 0x85 && c->opcode != 0x81 && c->opcode != 0x83)
		return false;
	if (!take_operands(c) || c->modrm < 0xc0 || !is_number(c, c->modrm, c->b))
		return false;
	if (c->opcode == 0x85) { /* with itself: as with 0 */
		*with = 0;
		return is_number(c, c->modrm >> 3, c->r);
	}
	if ((c->modrm >> 3 & 7) != 7 || !skip(c, c->opcode == 0x81 ? 4 : 1))
		return false;
	if (c->opcode == 0x81)
		memcpy(&number, c->at - 4, sizeof(number));
	else
		number = (int8_t)c->at[-1];
	*with = number;
	return true;
}

/* Whether a condition holds after that comparison; negative: it is another one. */
static int holds(uint8_t condition, int64_t value, int64_t with)
{
	bool is;

	switch (condition >> 1 & 7) {
	case 1: is = (uint32_t)value < (uint32_t)with; break;
	case 2: is = value == with; break;
	case 3: is = (uint32_t)value <= (uint32_t)with; break;
	case 4: is = (int32_t)(value - with) < 0; break;
	case 6: is = value < with; break;
	case 7: is = value <= with; break;
	default: return -1;
	}
	return is ^ (condition & 1);
}

/* A copy of eax in a register that outlasts calls, as code keeps an error that it may report. */
static bool take_copy(struct code *c, unsigned *copies)
{
	unsigned to;

	take_opcode(c);
	if (c->map != 1 || c->opcode != 0x89 || c->is_short || !take_operands(c))
		return false;
	to = (c->modrm & 7) + (c->b ? 8 : 0);
	if (c->modrm < 0xc0 || !is_number(c, c->modrm >> 3, c->r) ||
	    (to != RBX && to != RBP && to < R12))
		return false;
	*copies |= 1U << to;
	return true;
}

static bool is_condition(const struct code *c)
{
	return c->map == 2 ? (c->opcode & 0xf0) == 0x80 : (c->opcode & 0xf0) == 0x70;
}

/* Goes where that answer leads, past what only compares it and jumps; false: that does not end. */
static bool take_choices(struct code *c, int64_t value, unsigned *copies)
{
	bool is_compared = false;
	int64_t with = 0;

	for (unsigned i = 0; i < MOST_CHOICES; i++) {
		struct code next = *c;
		int is;

		if (take_comparison(&next, &with)) {
			c->at = next.at;
			is_compared = c->has_flags = true;
			continue;
		}
		next = *c;
		if (take_copy(&next, copies)) {
			c->at = next.at;
			continue;
		}
		next = *c;
		take_opcode(&next);
		if (!is_flow(&next))
			return is_compared;
		if (step_flow(&next) == GOES_ON && next.map == 1) { /* a jump */
			c->at = next.at;
			continue;
		}
		if (!is_condition(&next) || !is_compared)
			return is_compared;
		is = holds(next.opcode, value, with);
		if (is < 0 || !next.target)
			return false;
		c->at = is ? next.target : next.at;
	}
	return false;
}

static enum sc_answer answer_of(const struct code *from, unsigned *left);

/* Goes on where both answers lead, if nothing that they went through makes a difference later. */
static bool settle(struct code *c, unsigned *left)
{
	struct code complete = *c, not_ready = *c;
	unsigned copies = 0;

	if (c->held != RAX || !take_choices(&complete, COMPLETE, &copies) ||
	    !take_choices(&not_ready, NOT_READY, &copies) || complete.at != not_ready.at)
		return false;
	c->at = complete.at;
	for (unsigned i = 0; i < REGISTERS; i++) {
		struct code copy = *c;

		copy.held = i;
		copy.has_flags = false;
		if (copies >> i & 1 && answer_of(&copy, left) != SC_ANSWER_DROPPED)
			return false;
	}
	c->has_flags = true;
	return true;
}

/* What the last instruction does with flags that depend on the answer; false: it looks at them. */
static bool keeps_flags_unread(struct code *c)
{
	uint8_t o = c->opcode, number = c->modrm >> 3 & 7;
	bool is_group = c->map == 1 && (o == 0x80 || o == 0x81 || o == 0x83);
	bool is_sum = c->map == 1 && o < 0x40 && (o & 7) < 6;
	bool carries = is_sum && ((o >> 3) == 2 || (o >> 3) == 3);

	bool is_turn = c->map == 1 && (o == 0xc0 || o == 0xc1 || (o & 0xfc) == 0xd0);

	if (is_flow(c))
		return !is_condition(c);
	if (c->map == 2)
		return (o & 0xe0) != 0x40 && (o & 0xf0) != 0x90;
	if (carries || ((is_group || is_turn) && (number == 2 || number == 3)))
		return false;
	c->has_flags &= !(is_sum || is_group || o == 0x84 || o == 0x85);
	return true;
}

/* ---- ways ---- */

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
		struct code choice = *c;

		if (!*left)
			return READ;
		--*left;
		if (settle(&choice, left)) {
			*c = choice;
			continue;
		}
		s = step(c);
		if (c->has_flags && !keeps_flags_unread(c))
			return READ;
		if (s == DROPPED && c->has_flags && !is_flow(c)) {
			c->held = NO_REGISTER;
			s = GOES_ON;
		}
		if (s == GOES_ON && c->held == NO_REGISTER && !c->has_flags)
			return DROPPED;
		if (s == PARTS)
			s = add(p, c->target) ? GOES_ON : READ;
	}
	return s;
}

static enum sc_answer answer_of(const struct code *from, unsigned *left)
{
	struct parts parts = {{from->at}, 1};
	enum sc_answer found = SC_ANSWER_DROPPED;

	for (unsigned i = 0; i < parts.count; i++) {
		struct code c = *from;
		enum step s;

		c.at = parts.at[i];
		s = follow(&c, &parts, left);
		if (s == READ)
			return SC_ANSWER_READ;
		if (s == RETURNED)
			found = SC_ANSWER_RETURNED;
	}
	return found;
}

enum sc_answer sc_answer_at(const uint8_t *place, const uint8_t *start, const uint8_t *end)
{
	const struct code c = {.at = place, .start = start, .end = end, .held = RAX};
	unsigned left = MOST_INSTRUCTIONS;

	return answer_of(&c, &left);
}
