/* Declared footprints: formulas are worked out with every step checked. */
#include "analyzer/declare/declared_footprint.h"

#include <stdbool.h>
#include <string.h>

static struct sc_param param_at(const struct sc_declared_launch *l, uint32_t number)
{
	if (!l->params)
		return (struct sc_param){number * 8, 8};
	if (number < l->param_count)
		return l->params[number];
	return (struct sc_param){UINT32_MAX, 0};
}

static uint32_t count_params(const struct sc_declared_launch *l)
{
	return l->params ? l->param_count : l->image_bytes / 8;
}

/* A number of 1, 2, 4 or 8 bytes; with a sign, as sizes and counts of C are. */
static bool read_number(const struct sc_declared_launch *l, uint64_t offset, unsigned bytes,
			int64_t *value)
{
	uint64_t raw = 0;

	if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || offset > l->image_bytes ||
	    bytes > l->image_bytes - offset)
		return 0;
	memcpy(&raw, l->image + offset, bytes);
	*value = (int64_t)(raw << (64 - 8 * bytes)) >> (64 - 8 * bytes);
	return 1;
}

static bool operate(unsigned kind, int64_t a, int64_t b, int64_t *value)
{
	switch (kind) {
	case SC_FORMULA_ADD: return !__builtin_add_overflow(a, b, value);
	case SC_FORMULA_SUBTRACT: return !__builtin_sub_overflow(a, b, value);
	case SC_FORMULA_MULTIPLY: return !__builtin_mul_overflow(a, b, value);
	}
	if (!b || (a == INT64_MIN && b == -1))
		return 0;
	*value = kind == SC_FORMULA_DIVIDE ? a / b : a % b;
	return 1;
}

static bool load(const struct sc_formula_step *s, const struct sc_declared_launch *l,
		 int64_t *value)
{
	struct sc_param p;

	switch (s->kind) {
	case SC_FORMULA_NUMBER: *value = s->value; return 1;
	case SC_FORMULA_GRID: *value = l->grid[s->value]; return 1;
	case SC_FORMULA_BLOCK: *value = l->block[s->value]; return 1;
	case SC_FORMULA_FIELD: return read_number(l, (uint64_t)s->value, s->bytes, value);
	}
	if (s->value > UINT16_MAX)
		return 0;
	p = param_at(l, (uint32_t)s->value);
	return read_number(l, p.offset, p.bytes, value);
}

static bool work_out(const struct sc_formula *f, const struct sc_declared_launch *l, int64_t *value)
{
	int64_t stack[SC_FORMULA_STEPS] = {0};
	uint32_t depth = 0;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct sc_formula_step *s = &f->steps[i];

		if (s->kind < SC_FORMULA_ADD) {
			if (!load(s, l, &stack[depth++]))
				return 0;
			continue;
		}
		depth--;
		if (!operate(s->kind, stack[depth - 1], stack[depth], &stack[depth - 1]))
			return 0;
	}
	*value = stack[0];
	return 1;
}

/* All parts that are given; false if one of them makes no sense. */
static bool work_out_all(const struct sc_declared_access *a, const struct sc_declared_launch *l,
			 int64_t values[SC_DECLARED_PARTS])
{
	static const int64_t defaults[SC_DECLARED_PARTS] = {
		[SC_DECLARED_ROWS] = 1, [SC_DECLARED_SLICES] = 1};

	for (unsigned i = 0; i < SC_DECLARED_PARTS; i++) {
		values[i] = defaults[i];
		if (a->parts[i].count && !work_out(&a->parts[i], l, &values[i]))
			return 0;
	}
	return values[SC_DECLARED_PITCH] >= 0 && values[SC_DECLARED_SLICE_PITCH] >= 0;
}

static void add_access(const struct sc_declared_access *a, const struct sc_declared_launch *l,
		       sc_declared_ranges *out)
{
	struct sc_footprint_range r = {.base_kind = SC_BASE_PARAMETER, .mode = a->mode};
	int64_t values[SC_DECLARED_PARTS];

	r.base = a->is_offset ? a->pointer : param_at(l, a->pointer).offset;
	r.reason = a->is_bound ? SC_REASON_AT_MOST : SC_REASON_NONE;
	if (!a->parts[SC_DECLARED_BYTES].count || !work_out_all(a, l, values)) {
		r.is_unbounded = 1;
		r.reason = a->parts[SC_DECLARED_BYTES].count ? SC_REASON_LAUNCH : SC_REASON_AT_MOST;
		sc_vector_push(out, r);
		return;
	}
	if (values[SC_DECLARED_BYTES] <= 0 || values[SC_DECLARED_ROWS] <= 0 ||
	    values[SC_DECLARED_SLICES] <= 0)
		return;
	r.offset = values[SC_DECLARED_FROM];
	r.width = (uint64_t)values[SC_DECLARED_BYTES];
	r.rows = (uint64_t)values[SC_DECLARED_ROWS];
	r.pitch = (uint64_t)values[SC_DECLARED_PITCH];
	r.slices = (uint64_t)values[SC_DECLARED_SLICES];
	r.slice_pitch = (uint64_t)values[SC_DECLARED_SLICE_PITCH];
	sc_vector_push(out, r);
}

static bool is_mentioned(const struct sc_declaration *d, const struct sc_declared_launch *l,
			 uint32_t offset)
{
	for (const struct sc_declared_access *a = d->accesses; a; a = a->next)
		if ((a->is_offset ? a->pointer : param_at(l, a->pointer).offset) == offset)
			return 1;
	return 0;
}

/* Pointers that are not mentioned, in structs passed by value too. */
static void add_others(const struct sc_declaration *d, const struct sc_declared_launch *l,
		       sc_declared_ranges *out)
{
	struct sc_footprint_range r = {.base_kind = SC_BASE_PARAMETER,
				       .mode = d->others,
				       .is_unbounded = 1,
				       .reason = SC_REASON_AT_MOST};

	for (uint32_t i = 0; i < count_params(l); i++) {
		struct sc_param p = param_at(l, i);
		uint64_t end = (uint64_t)p.offset + p.bytes;

		for (uint64_t at = (p.offset + UINT64_C(7)) & ~UINT64_C(7);
		     at + 8 <= end && end <= l->image_bytes; at += 8) {
			r.base = (uint32_t)at;
			if (!is_mentioned(d, l, r.base))
				sc_vector_push(out, r);
		}
	}
}

void sc_declared_add(const struct sc_declaration *d, const struct sc_declared_launch *launch,
		     sc_declared_ranges *out)
{
	for (const struct sc_declared_access *a = d->accesses; a; a = a->next)
		add_access(a, launch, out);
	if (d->others)
		add_others(d, launch, out);
}
