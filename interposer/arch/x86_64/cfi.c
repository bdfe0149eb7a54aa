/* Call frame information of x86-64, as far as finding callers needs it. */
#include "interposer/arch/cfi.h"
#include "base/search.h"

#include <stddef.h>
#include <string.h>

/* DWARF's names for what we meet (DWARF 5, 6.4.2 and 7.24; LSB, .eh_frame). */
enum { REG_RBP = 6, REG_RSP = 7, REG_RA = 16, REG_OTHER = 255 };
enum { ENC_PCREL_SDATA4 = 0x1b, ENC_TABLE = 0x3b, ENC_OMIT = 0xff };
enum { OP_DEREF = 0x06, OP_BREG_RBP = 0x76 };

struct bytes {
	const uint8_t *at, *end;
};

static uint64_t fixed(struct bytes *b, unsigned size)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->at = b->end;
		return 0;
	}
	memcpy(&v, b->at, size);
	b->at += size;
	return v;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (b->at < b->end) {
		uint8_t byte = *b->at++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

static int64_t sleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte = 0;

	while (b->at < b->end) {
		byte = *b->at++;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	if (shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

/* ---- the state of the table's machine ---- */

struct row {
	uint8_t cfa; /* enum sc_cfa */
	uint8_t cfa_register;
	int64_t cfa_offset;
	bool is_base_saved, is_ra_lost;
	int64_t base_offset;
};

#define MOST_ROWS 8

struct machine {
	struct row row, initial, saved[MOST_ROWS];
	unsigned depth;
	uint64_t location, pc;
	uint64_t code_align;
	int64_t data_align;
};

static void set_cfa(struct row *r, uint64_t reg, int64_t offset)
{
	r->cfa_register = reg == REG_RSP || reg == REG_RBP ? (uint8_t)reg : REG_OTHER;
	r->cfa_offset = offset;
	r->cfa = reg == REG_RSP ? SC_CFA_SP : reg == REG_RBP ? SC_CFA_BASE : SC_CFA_END;
}

/* The only expression that compilers use: the CFA was stored in the frame (realigned stack). The
 * one of procedure linkage tables is taken as if the frame were a plain call's. */
static void set_cfa_expression(struct row *r, struct bytes e)
{
	r->cfa = SC_CFA_SP;
	r->cfa_offset = 8;
	if (e.at < e.end && *e.at == OP_BREG_RBP) {
		e.at++;
		r->cfa_offset = sleb(&e);
		r->cfa = e.at < e.end && *e.at == OP_DEREF ? SC_CFA_BASE_DEREF : SC_CFA_BASE;
	}
}

static void set_saved(struct row *r, uint64_t reg, int64_t offset)
{
	if (reg == REG_RBP) {
		r->is_base_saved = true;
		r->base_offset = offset;
	}
}

static void set_same(struct machine *m, uint64_t reg)
{
	if (reg == REG_RBP) {
		m->row.is_base_saved = m->initial.is_base_saved;
		m->row.base_offset = m->initial.base_offset;
	}
}

static struct bytes block(struct bytes *b)
{
	uint64_t size = uleb(b);
	struct bytes inner = {b->at, b->end};

	if (size < (uint64_t)(b->end - b->at))
		inner.end = b->at + size;
	b->at = inner.end;
	return inner;
}

static void expression_saved(struct machine *m, struct bytes *b)
{
	uint64_t reg = uleb(b);
	struct bytes e = block(b);

	/* realigned stacks say so: saved at rbp + 0 while the CFA is found through rbp */
	if (reg == REG_RBP && e.at < e.end && *e.at == OP_BREG_RBP)
		m->row.is_base_saved = false;
}

/* Instructions of the low page; false when the rest cannot be understood. */
static bool extended(struct machine *m, uint8_t op, struct bytes *b)
{
	struct row *r = &m->row;
	uint64_t reg;

	switch (op) {
	case 0x00: break;					      /* nop */
	case 0x02: m->location += fixed(b, 1) * m->code_align; break; /* advance_loc1 */
	case 0x03: m->location += fixed(b, 2) * m->code_align; break;
	case 0x04: m->location += fixed(b, 4) * m->code_align; break;
	case 0x05:
		reg = uleb(b);
		set_saved(r, reg, (int64_t)uleb(b) * m->data_align);
		break;
	case 0x06: set_same(m, uleb(b)); break;		      /* restore_extended */
	case 0x07: r->is_ra_lost |= uleb(b) == REG_RA; break; /* undefined */
	case 0x08: set_same(m, uleb(b)); break;		      /* same_value */
	case 0x09:
		uleb(b);
		uleb(b);
		break; /* register */
	case 0x0a:     /* remember_state */
		if (m->depth++ < MOST_ROWS)
			m->saved[m->depth - 1] = *r;
		break;
	case 0x0b: /* restore_state */
		if (m->depth && --m->depth < MOST_ROWS)
			*r = m->saved[m->depth];
		break;
	case 0x0c:
		reg = uleb(b);
		set_cfa(r, reg, (int64_t)uleb(b));
		break;
	case 0x0d: set_cfa(r, uleb(b), r->cfa_offset); break;
	case 0x0e: r->cfa_offset = (int64_t)uleb(b); break;
	case 0x0f: set_cfa_expression(r, block(b)); break;
	case 0x10: expression_saved(m, b); break;
	case 0x11:
		reg = uleb(b);
		set_saved(r, reg, sleb(b) * m->data_align);
		break;
	case 0x12:
		reg = uleb(b);
		set_cfa(r, reg, sleb(b) * m->data_align);
		break;
	case 0x13: r->cfa_offset = sleb(b) * m->data_align; break;
	case 0x14:
		uleb(b);
		uleb(b);
		break; /* val_offset */
	case 0x16:
		uleb(b);
		block(b);
		break;		   /* val_expression */
	case 0x2e: uleb(b); break; /* GNU_args_size */
	default: return false;
	}
	return true;
}

static bool execute(struct machine *m, struct bytes b)
{
	while (b.at < b.end) {
		uint8_t op = *b.at++;
		uint8_t low = op & 0x3f;

		switch (op >> 6) {
		case 1: m->location += low * m->code_align; break;
		case 2: set_saved(&m->row, low, (int64_t)uleb(&b) * m->data_align); break;
		case 3: set_same(m, low); break;
		default:
			if (!extended(m, op, &b))
				return false;
		}
		if (m->location > m->pc)
			break; /* what follows is for later addresses */
	}
	return true;
}

/* ---- entries ---- */

struct common { /* a CIE */
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses in its FDEs */
	bool has_data, is_signal;
	struct bytes program;
};

static unsigned encoded_size(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x02:
	case 0x0a: return 2;
	case 0x03:
	case 0x0b: return 4;
	}
	return 8;
}

static bool read_augmentation(struct common *c, const char *text, struct bytes *b)
{
	struct bytes data;

	if (*text != 'z')
		return !*text;
	c->has_data = true;
	data = block(b);
	for (text++; *text; text++) {
		switch (*text) {
		case 'R': c->encoding = (uint8_t)fixed(&data, 1); break;
		case 'L': fixed(&data, 1); break;
		case 'P': fixed(&data, encoded_size((uint8_t)fixed(&data, 1))); break;
		case 'S': c->is_signal = true; break;
		default: break;
		}
	}
	return true;
}

static bool read_common(struct common *c, const uint8_t *at)
{
	struct bytes b = {at, at + 4};
	const char *text;

	memset(c, 0, sizeof(*c));
	b.end = at + 4 + fixed(&b, 4);
	fixed(&b, 4);	      /* id, 0 */
	if (fixed(&b, 1) > 3) /* version */
		return false;
	text = (const char *)b.at;
	b.at += strnlen(text, (size_t)(b.end - b.at)) + 1;
	c->code_align = uleb(&b);
	c->data_align = sleb(&b);
	uleb(&b); /* return address register */
	if (!read_augmentation(c, text, &b))
		return false;
	c->program = b;
	return true;
}

static struct sc_cfi pack(const struct row *r)
{
	struct sc_cfi cfi = {.cfa = r->cfa, .offset = (int32_t)r->cfa_offset};

	if (r->is_ra_lost)
		return (struct sc_cfi){.cfa = SC_CFA_END};
	if (r->is_base_saved && r->base_offset >= INT16_MIN && r->base_offset <= INT16_MAX) {
		cfi.is_base_saved = true;
		cfi.base_offset = (int16_t)r->base_offset;
	}
	return cfi;
}

static struct sc_cfi read_entry(const uint8_t *at, uint64_t pc)
{
	struct sc_cfi none = {.cfa = SC_CFA_CHAIN};
	struct bytes b = {at, at + 4};
	struct machine m = {.pc = pc};
	const uint8_t *id;
	struct common c;
	uint64_t length = fixed(&b, 4), size;

	if (!length || length == UINT32_MAX)
		return none;
	b.end = at + 4 + length;
	id = b.at;
	if (!read_common(&c, id - (int32_t)fixed(&b, 4)) || c.encoding != ENC_PCREL_SDATA4)
		return none;
	m.location = (uint64_t)b.at;
	m.location += (uint64_t)(int64_t)(int32_t)fixed(&b, 4);
	size = fixed(&b, 4);
	if (pc - m.location >= size)
		return none;
	if (c.is_signal)
		return (struct sc_cfi){.cfa = SC_CFA_SIGNAL};
	if (c.has_data)
		block(&b);
	m.code_align = c.code_align;
	m.data_align = c.data_align;
	if (!execute(&m, c.program))
		return none;
	m.initial = m.row;
	return execute(&m, b) ? pack(&m.row) : none;
}

static int64_t word_at(const uint8_t *at)
{
	int32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

struct sc_cfi sc_cfi_find(const uint8_t *hdr, uint64_t pc)
{
	struct sc_cfi none = {.cfa = SC_CFA_CHAIN};
	const uint8_t *table;
	uint32_t count;
	size_t after;

	/* version 1, any pointer, a 4-byte count, the usual table */
	if (!hdr || hdr[0] != 1 || hdr[2] != 0x03 || hdr[3] != ENC_TABLE ||
	    (hdr[1] & 0x0f) != (ENC_PCREL_SDATA4 & 0x0f))
		return none;
	memcpy(&count, hdr + 8, 4);
	table = hdr + 12;
	/* pairs of 4-byte offsets from the header: a function's start and its description */
	SC_SEARCH(after, count, (uint64_t)hdr + (uint64_t)word_at(table + 8 * after) <= pc);
	return after ? read_entry(hdr + word_at(table + 8 * after - 4), pc) : none;
}
