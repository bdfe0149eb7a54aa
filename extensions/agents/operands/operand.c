/* Operands: matrices become bytes, products become accesses. */
#include "extensions/agents/operands/operand.h"

#include <string.h>
#include "extensions/agents/operands/shape.h"

unsigned sc_operand_element(int type)
{
	switch (type) {
#define ROW(id, name, number, bytes, kind) \
	case number: return bytes;
		VENDOR_TYPES(ROW)
#undef ROW
	default: return 0;
	}
}

static enum sc_number number_of(int type)
{
	switch (type) {
#define ROW(id, name, number, bytes, kind) \
	case number: return kind;
		VENDOR_TYPES(ROW)
#undef ROW
	default: return SC_NUMBER_OTHER;
	}
}

static bool is_complex(int type)
{
	return type == SC_TYPE_C_16F || type == SC_TYPE_C_32F || type == SC_TYPE_C_64F;
}

/* ---- scalars ---- */

/* A number without its sign, which a zero may have. */
static enum sc_scalar real_scalar(enum sc_number number, const void *value)
{
	uint64_t bits = 0;

	switch (number) {
	case SC_NUMBER_OTHER: return SC_SCALAR_UNKNOWN;
	case SC_NUMBER_INTEGER:
		memcpy(&bits, value, 4);
		return bits == 0 ? SC_SCALAR_ZERO : bits == 1 ? SC_SCALAR_ONE : SC_SCALAR_OTHER;
	case SC_NUMBER_HALF:
		memcpy(&bits, value, 2);
		return !(bits & 0x7fff) ? SC_SCALAR_ZERO
		       : bits == 0x3c00 ? SC_SCALAR_ONE
					: SC_SCALAR_OTHER;
	case SC_NUMBER_SINGLE:
		memcpy(&bits, value, 4);
		return !(bits & 0x7fffffff) ? SC_SCALAR_ZERO
		       : bits == 0x3f800000 ? SC_SCALAR_ONE
					    : SC_SCALAR_OTHER;
	case SC_NUMBER_DOUBLE:
		memcpy(&bits, value, 8);
		return !(bits << 1)		       ? SC_SCALAR_ZERO
		       : bits == UINT64_C(0x3ff) << 52 ? SC_SCALAR_ONE
						       : SC_SCALAR_OTHER;
	}
	return SC_SCALAR_UNKNOWN;
}

enum sc_scalar sc_operand_scalar(int type, const void *value)
{
	enum sc_number number = number_of(type);
	enum sc_scalar real = real_scalar(number, value), imaginary;

	if (!is_complex(type) || real == SC_SCALAR_UNKNOWN)
		return real;
	imaginary = real_scalar(number, (const char *)value + sc_operand_element(type) / 2);
	return imaginary == SC_SCALAR_ZERO ? real : SC_SCALAR_OTHER;
}

int sc_operand_scalar_type(int compute, int out_type)
{
	int type = SC_TYPE_UNKNOWN;

	switch (compute) {
#define ROW(name, number, scalars) \
	case number: type = SC_TYPE_##scalars; break;
		VENDOR_COMPUTES(ROW)
#undef ROW
	default: break;
	}
	if (!is_complex(out_type) || type == SC_TYPE_UNKNOWN)
		return type;
	switch (type) {
	case SC_TYPE_R_32F: return SC_TYPE_C_32F;
	case SC_TYPE_R_64F: return SC_TYPE_C_64F;
	default: return SC_TYPE_UNKNOWN;
	}
}

/* ---- bytes ---- */

/* *to = a * b, both not below zero; false if that is too much. */
static bool multiply(int64_t a, int64_t b, uint64_t *to)
{
	return a >= 0 && b >= 0 && !__builtin_mul_overflow((uint64_t)a, (uint64_t)b, to) &&
	       *to <= INT64_MAX;
}

bool sc_operand_bytes(const struct sc_matrix *m, struct sc_access *out)
{
	int64_t element = sc_operand_element(m->type);
	int64_t batches = m->batches ? m->batches : 1;
	bool is_one = m->columns == 1, is_repeated = batches > 1 && m->stride;

	*out = (struct sc_access){.base = (uint64_t)m->at, .rows = 1, .slices = 1};
	if (!element || m->rows < 0 || m->columns < 0 || batches < 0)
		return false;
	if (!m->rows || !m->columns)
		return true;
	if (!m->at || (!is_one && m->ld < m->rows) || !multiply(m->rows, element, &out->width))
		return false;
	out->rows = (uint64_t)m->columns;
	if (!is_one && !multiply(m->ld, element, &out->pitch))
		return false;
	if (is_repeated) {
		out->slices = (uint64_t)batches;
		if (!multiply(m->stride, element, &out->slice_pitch))
			return false;
	}
	return sc_shape_fits(out);
}

void sc_operand_add(struct sc_product *p, const void *at, uint64_t bytes, uint8_t mode,
		    uint8_t known)
{
	if (p->others == SC_PRODUCT_OTHERS || !at || !bytes) {
		p->is_unknown |= at && bytes;
		return;
	}
	p->other[p->others++] = (struct sc_access){.base = (uint64_t)at,
						   .width = bytes,
						   .rows = 1,
						   .slices = 1,
						   .mode = mode,
						   .known = known};
}

/* ---- lists ---- */

void sc_operand_list_add(struct sc_operand_list *list, const struct sc_matrix *m, uint8_t mode,
			 uint8_t known)
{
	struct sc_access a;

	if (!sc_operand_bytes(m, &a) || (a.width && list->count == SC_OPERANDS_MOST)) {
		list->is_unknown = true;
		return;
	}
	if (!a.width)
		return;
	a.mode = mode;
	a.known = m->is_partly_used ? SC_KNOWN_OVER : known;
	list->access[list->count++] = a;
}

void sc_operand_list_add_bytes(struct sc_operand_list *list, const void *at, uint64_t bytes,
			       uint8_t mode, uint8_t known)
{
	struct sc_matrix m = {.at = at, .rows = (int64_t)bytes, .columns = 1, .type = SC_TYPE_R_8U};

	if (at && bytes)
		sc_operand_list_add(list, &m, mode, known);
}

/* ---- products ---- */

/* The accesses of a product that is being put together. */
struct list {
	struct sc_access *out;
	unsigned count;
	bool is_sure; /* all of each operand is used */
	bool is_senseless;
};

static void add(struct list *list, const struct sc_matrix *m, uint8_t mode)
{
	struct sc_access *a = &list->out[list->count];

	if (!sc_operand_bytes(m, a)) {
		list->is_senseless = true;
		return;
	}
	if (!a->width)
		return;
	a->mode = mode;
	a->known = list->is_sure && !m->is_partly_used ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
	list->count++;
}

/* Where a scalar is 0 or not known, the function may leave operands alone. */
static bool is_sure(const struct sc_product *p)
{
	return (p->alpha == SC_SCALAR_OTHER || p->alpha == SC_SCALAR_ONE) &&
	       p->beta != SC_SCALAR_UNKNOWN;
}

unsigned sc_operands_of(const struct sc_product *p, struct sc_access *out)
{
	struct list list = {.out = out, .is_sure = is_sure(p)};
	bool adds = p->beta != SC_SCALAR_ZERO;
	bool is_in_place = !p->added.at;

	if (p->is_unknown || (!p->out_is_host && (!p->out.rows || !p->out.columns)))
		return 0;
	for (unsigned i = 0; i < SC_PRODUCT_INPUTS; i++)
		if (p->in[i].rows)
			add(&list, &p->in[i], SC_READ);
	if (adds && !is_in_place)
		add(&list, &p->added, SC_READ);
	if (!p->out_is_host)
		add(&list, &p->out,
		    (adds && is_in_place) || p->out_is_input ? SC_READ_WRITE : SC_WRITE);
	for (unsigned i = 0; i < p->others; i++)
		out[list.count++] = p->other[i];
	return list.is_senseless ? 0 : list.count;
}
