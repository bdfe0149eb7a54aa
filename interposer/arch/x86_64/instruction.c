/* x86-64 instructions, as far as their memory operand goes. */
#include "interposer/arch/instruction.h"

#include <string.h>

enum map { ONE = 1, TWO, THREE, FOUR };
enum { NP = 1, P66 = 2, PF3 = 4, PF2 = 8, ANY = 15 };
enum { WORD = 128, LONG, VECTOR, HALF, QUARTER, EIGHTH, MMX };

struct instruction {
	const uint8_t *at; /* next byte */
	uint8_t map, opcode, modrm;
	uint8_t prefix; /* of the opcode: NP, P66, … */
	bool w, r, x, b;
	bool is_vex, is_evex, is_broadcast, is_masked;
	bool is_address32, is_locked;
	uint8_t vector_bytes;
};

/* ---- the encoding ---- */

static bool take_legacy(struct instruction *i)
{
	switch (*i->at) {
	case 0x66: i->prefix = i->prefix == NP ? P66 : i->prefix; return true;
	case 0xf3: i->prefix = PF3; return true;
	case 0xf2: i->prefix = PF2; return true;
	case 0x67: i->is_address32 = true; return true;
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x26:
	case 0x64:
	case 0x65: return true;
	case 0xf0: i->is_locked = true; return true;
	}
	return false;
}

static const uint8_t prefix_of[] = {NP, P66, PF3, PF2};

static void take_vex(struct instruction *i)
{
	bool is_long = *i->at++ == 0xc4;
	uint8_t byte = *i->at++;

	i->is_vex = true;
	i->r = !(byte & 0x80);
	i->map = TWO;
	if (is_long) {
		i->x = !(byte & 0x40);
		i->b = !(byte & 0x20);
		i->map = (byte & 0x1f) + 1;
		byte = *i->at++;
		i->w = byte & 0x80;
	}
	i->vector_bytes = byte & 4 ? 32 : 16;
	i->prefix = prefix_of[byte & 3];
	i->opcode = *i->at++;
}

static void take_evex(struct instruction *i)
{
	const uint8_t *p = i->at + 1;

	i->is_vex = i->is_evex = true;
	i->r = !(p[0] & 0x80);
	i->x = !(p[0] & 0x40);
	i->b = !(p[0] & 0x20);
	i->map = (p[0] & 7) + 1;
	i->w = p[1] & 0x80;
	i->prefix = prefix_of[p[1] & 3];
	i->vector_bytes = (uint8_t)(16 << (p[2] >> 5 & 3));
	i->is_broadcast = p[2] & 0x10;
	i->is_masked = p[2] & 7;
	i->at += 4;
	i->opcode = *i->at++;
}

static void take_plain(struct instruction *i)
{
	i->map = ONE;
	i->opcode = *i->at++;
	if (i->opcode != 0x0f)
		return;
	i->map = TWO;
	i->opcode = *i->at++;
	if (i->opcode != 0x38 && i->opcode != 0x3a)
		return;
	i->map = i->opcode == 0x38 ? THREE : FOUR;
	i->opcode = *i->at++;
}

static void take_opcode(struct instruction *i)
{
	bool has_66 = false;

	for (unsigned n = 0; n < 14; n++, i->at++) {
		has_66 |= *i->at == 0x66;
		if (!take_legacy(i))
			break;
	}
	if ((*i->at & 0xf0) == 0x40) {
		i->w = *i->at & 8;
		i->r = *i->at & 4;
		i->x = *i->at & 2;
		i->b = *i->at++ & 1;
	}
	if (*i->at == 0xc4 || *i->at == 0xc5)
		take_vex(i);
	else if (*i->at == 0x62)
		take_evex(i);
	else
		take_plain(i);
	if (i->map == ONE && has_66)
		i->prefix = P66;
}

static bool has_modrm(const struct instruction *i)
{
	uint8_t o = i->opcode;

	if (i->map != ONE)
		return true;
	if (o < 0x40)
		return (o & 7) < 4;
	return o == 0x63 || o == 0x69 || o == 0x6b || (o & 0xf0) == 0x80 || (o & 0xfe) == 0xc0 ||
	       (o & 0xfe) == 0xc6 || (o & 0xfc) == 0xd0 || (o & 0xf8) == 0xd8 || o == 0xf6 ||
	       o == 0xf7 || o >= 0xfe;
}

/* ---- sizes ---- */

static uint32_t word_bytes(const struct instruction *i)
{
	return i->w ? 8 : i->prefix == P66 ? 2 : 4;
}

static uint32_t bytes_of(const struct instruction *i, unsigned size)
{
	switch (size) {
	case WORD: return word_bytes(i);
	case LONG: return i->w ? 8 : 4;
	case VECTOR: return i->vector_bytes;
	case HALF: return i->vector_bytes / 2;
	case QUARTER: return i->vector_bytes / 4;
	case EIGHTH: return i->vector_bytes / 8;
	case MMX: return i->prefix == NP && !i->is_vex ? 8 : i->vector_bytes;
	}
	return size;
}

/* x87: some opcodes have a size for each value of the ModRM byte's middle field; 0 not known. */
static uint32_t x87_bytes(const struct instruction *i)
{
	static const uint8_t sizes[4][8] = {{4, 0, 4, 4, 0, 2, 0, 2},
					    {4, 4, 4, 4, 0, 10, 0, 10},
					    {8, 8, 8, 8, 0, 0, 0, 2},
					    {2, 2, 2, 2, 10, 8, 10, 8}};

	return sizes[(i->opcode - 0xd9) / 2][i->modrm >> 3 & 7];
}

static uint32_t listed_bytes(const struct instruction *i)
{
	static const struct {
		uint8_t map, first, last, prefixes, size;
	} rows[] = {
#define OPCODES(map, first, last, prefixes, size) {map, first, last, prefixes, size},
#include "interposer/arch/x86_64/instruction.def"
#undef OPCODES
	};

	for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		if (rows[n].map == i->map && rows[n].first <= i->opcode &&
		    i->opcode <= rows[n].last && rows[n].prefixes & i->prefix)
			return bytes_of(i, rows[n].size);
	}
	return 0;
}

static uint32_t operand_bytes(const struct instruction *i)
{
	if (i->is_masked)
		return 0;
	if (i->is_broadcast)
		return i->w ? 8 : 4;
	if (i->map == ONE && i->opcode < 0x40 && (i->opcode & 7) < 4)
		return i->opcode & 1 ? word_bytes(i) : 1;
	if (i->map == ONE && (i->opcode & 0xf9) == 0xd9)
		return x87_bytes(i);
	if (i->map == ONE && i->opcode == 0xff && (i->modrm & 0x38) >= 0x10)
		return 0; /* calls, jumps and pushes */
	if (i->map == TWO && i->opcode == 0xc7)
		return (i->modrm & 0x38) != 8 ? 0 : i->w ? 16 : 8;
	if (i->map == TWO && i->opcode == 0x12 && i->prefix == PF2)
		return i->vector_bytes == 16 ? 8 : i->vector_bytes;
	return listed_bytes(i);
}

/* ---- addresses ---- */

static uint64_t value_of(const ucontext_t *context, unsigned number)
{
	static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					  REG_R12, REG_R13, REG_R14, REG_R15};

	return (uint64_t)context->uc_mcontext.gregs[order[number]];
}

static uint64_t take_base(struct instruction *i, const ucontext_t *context, bool *has_disp32)
{
	uint8_t sib;
	unsigned index;
	uint64_t sum = 0;

	if ((i->modrm & 7) != 4)
		return value_of(context, (i->modrm & 7u) | i->b << 3);
	sib = *i->at++;
	index = (sib >> 3 & 7u) | i->x << 3;
	if (index != 4)
		sum = value_of(context, index) << (sib >> 6);
	if ((sib & 7) == 5 && !(i->modrm & 0xc0))
		*has_disp32 = true;
	else
		sum += value_of(context, (sib & 7u) | i->b << 3);
	return sum;
}

static int32_t take_disp32(struct instruction *i)
{
	int32_t value;

	memcpy(&value, i->at, sizeof(value));
	i->at += sizeof(value);
	return value;
}

/* Of the immediate value after the address. */
static uint64_t immediate_bytes(const struct instruction *i)
{
	uint64_t word = i->prefix == P66 ? 2 : 4;

	if (i->map == FOUR)
		return 1;
	if (i->map == TWO)
		return i->opcode == 0x70 || i->opcode == 0xa4 || i->opcode == 0xac ||
		       i->opcode == 0xba || i->opcode == 0xc2 || i->opcode == 0xc4 ||
		       i->opcode == 0xc6;
	if (i->map != ONE)
		return 0;
	switch (i->opcode) {
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6: return 1;
	case 0x69:
	case 0x81:
	case 0xc7: return word;
	case 0xf6: return (i->modrm & 0x38) < 0x10;
	case 0xf7: return (i->modrm & 0x38) < 0x10 ? word : 0;
	}
	return 0;
}

/* The operand's address; relative to the next instruction, to registers, or absolute. */
static uint64_t take_address(struct instruction *i, const ucontext_t *context, uint32_t bytes)
{
	unsigned mode = i->modrm >> 6;
	bool has_disp32 = mode == 2;
	uint64_t sum;

	if (mode == 0 && (i->modrm & 7) == 5) {
		sum = (uint64_t)(int64_t)take_disp32(i);
		return sum + (uint64_t)i->at + immediate_bytes(i);
	}
	sum = take_base(i, context, &has_disp32);
	if (has_disp32)
		sum += (uint64_t)(int64_t)take_disp32(i);
	else if (mode == 1) /* EVEX counts it in operands */
		sum += (uint64_t)((int64_t)(int8_t)*i->at++ * (i->is_evex ? (int)bytes : 1));
	return i->is_address32 ? (uint32_t)sum : sum;
}

/* String instructions: their operands are where RSI and RDI point. */
static bool is_string(const struct instruction *i)
{
	return i->map == ONE && ((i->opcode >= 0xa4 && i->opcode <= 0xa7) ||
				 (i->opcode >= 0xaa && i->opcode <= 0xaf));
}

static struct sc_memory_operand string_extent(const struct instruction *i,
					      const ucontext_t *context, uint64_t fault)
{
	uint32_t bytes = i->opcode & 1 ? word_bytes(i) : 1;
	uint64_t source = value_of(context, 6), destination = value_of(context, 7);

	if (fault - source < bytes)
		return (struct sc_memory_operand){.address = source, .bytes = bytes};
	return (struct sc_memory_operand){.address = destination, .bytes = bytes};
}

struct sc_memory_operand sc_instruction_operand(const ucontext_t *context, uint64_t fault)
{
	struct instruction i = {.at = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP],
				.prefix = NP,
				.vector_bytes = 16};
	struct sc_memory_operand found = {.bytes = 0};

	take_opcode(&i);
	if (is_string(&i)) {
		found = string_extent(&i, context, fault);
	} else if (has_modrm(&i)) {
		i.modrm = *i.at++;
		found.bytes = i.modrm >> 6 == 3 ? 0 : operand_bytes(&i);
		if (found.bytes)
			found.address = take_address(&i, context, found.bytes);
	}
	if (fault - found.address >= found.bytes)
		found = (struct sc_memory_operand){.address = fault, .bytes = 1};
	found.is_locked = i.is_locked || (i.map == ONE && (i.opcode & 0xfe) == 0x86);
	return found;
}
