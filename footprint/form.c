/* Linear forms: base + constant + sum of coefficient × variable, over the integers. */
#include "footprint/form.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"

int64_t sc_clamp(__int128 value)
{
	if (value > SC_INFINITE)
		return SC_INFINITE;
	return value < -SC_INFINITE ? -SC_INFINITE : (int64_t)value;
}

int64_t sc_floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

struct sc_linear_form sc_form_constant(int64_t value)
{
	return (struct sc_linear_form){.constant = value};
}

struct sc_linear_form sc_form_variable(uint32_t variable)
{
	return (struct sc_linear_form){.count = 1, .terms = {{.factor = 1, .variable = variable}}};
}

static bool append(struct sc_linear_form *f, uint32_t variable, int64_t factor)
{
	if (!factor)
		return 1;
	sc_assert(f->count <= SC_FORM_TERMS);
	if (f->count == SC_FORM_TERMS || factor == INT64_MIN)
		return 0;
	f->terms[f->count].variable = variable;
	f->terms[f->count++].factor = factor;
	return 1;
}

/* a + factor × b */
static bool fused(int64_t a, int64_t b, int64_t factor, int64_t *out)
{
	return !__builtin_mul_overflow(b, factor, &b) && !__builtin_add_overflow(a, b, out);
}

bool sc_form_add(struct sc_linear_form *out, const struct sc_linear_form *x,
		 const struct sc_linear_form *y, int64_t factor)
{
	struct sc_linear_form f = {.base = x->base, .base_kind = x->base_kind};
	unsigned i = 0, j = 0;
	int64_t sum;

	if (y->base_kind && (factor != 1 || x->base_kind))
		return 0;
	if (y->base_kind) {
		f.base = y->base;
		f.base_kind = y->base_kind;
	}
	if (!fused(x->constant, y->constant, factor, &f.constant))
		return 0;
	while (i < x->count || j < y->count) {
		uint32_t vx = i < x->count ? x->terms[i].variable : UINT32_MAX;
		uint32_t vy = j < y->count ? y->terms[j].variable : UINT32_MAX;
		int64_t fx = vx <= vy ? x->terms[i++].factor : 0;
		int64_t fy = vy <= vx ? y->terms[j++].factor : 0;

		if (!fused(fx, fy, factor, &sum) || !append(&f, vx < vy ? vx : vy, sum))
			return 0;
	}
	*out = f;
	return 1;
}

bool sc_form_scale(struct sc_linear_form *out, const struct sc_linear_form *x, int64_t factor)
{
	struct sc_linear_form zero = {0};

	return sc_form_add(out, &zero, x, factor);
}

int64_t sc_form_factor(const struct sc_linear_form *f, uint32_t variable)
{
	for (unsigned i = 0; i < f->count; i++)
		if (f->terms[i].variable == variable)
			return f->terms[i].factor;
	return 0;
}

struct sc_linear_form sc_form_without(const struct sc_linear_form *f, uint32_t variable)
{
	struct sc_linear_form out = *f;

	out.count = 0;
	for (unsigned i = 0; i < f->count; i++)
		if (f->terms[i].variable != variable)
			out.terms[out.count++] = f->terms[i];
	return out;
}

bool sc_form_replace(struct sc_linear_form *f, uint32_t variable, const struct sc_linear_form *by)
{
	int64_t factor = sc_form_factor(f, variable);
	struct sc_linear_form rest;

	if (!factor)
		return 1;
	rest = sc_form_without(f, variable);
	return sc_form_add(f, &rest, by, factor);
}

bool sc_form_has_unknown(const struct sc_linear_form *f, const struct sc_box *box, uint8_t *reason)
{
	for (unsigned i = 0; i < f->count; i++)
		if (box->v[f->terms[i].variable].is_unknown) {
			*reason = box->v[f->terms[i].variable].reason;
			return 1;
		}
	return 0;
}

struct sc_form_span sc_form_span(const struct sc_linear_form *f, const struct sc_box *box)
{
	__int128 low = f->constant, high = f->constant;

	for (unsigned i = 0; i < f->count; i++) {
		const struct sc_form_variable *v = &box->v[f->terms[i].variable];
		__int128 factor = f->terms[i].factor;

		low += factor * (factor > 0 ? v->low : v->high);
		high += factor * (factor > 0 ? v->high : v->low);
	}
	return (struct sc_form_span){.low = sc_clamp(low), .high = sc_clamp(high)};
}

int64_t sc_form_ratio(const struct sc_linear_form *f, const struct sc_linear_form *g)
{
	int64_t ratio;

	if (!f->count || f->count != g->count || f->terms[0].factor % g->terms[0].factor)
		return 0;
	ratio = f->terms[0].factor / g->terms[0].factor;
	for (unsigned i = 0; i < f->count; i++)
		if (f->terms[i].variable != g->terms[i].variable ||
		    (__int128)g->terms[i].factor * ratio != f->terms[i].factor)
			return 0;
	return ratio;
}

static int64_t common_factor(const struct sc_linear_form *f)
{
	int64_t g = 0;

	for (unsigned i = 0; i < f->count; i++) {
		int64_t a = llabs(f->terms[i].factor);

		while (a) {
			int64_t r = g % a;

			g = a;
			a = r;
		}
	}
	return g;
}

struct sc_constraint sc_form_at_most(const struct sc_linear_form *form, int64_t bound)
{
	struct sc_constraint c = {.form = *form, .low = -SC_INFINITE, .high = SC_INFINITE};
	int64_t g = common_factor(form);
	int64_t limit = sc_clamp((__int128)bound - form->constant);

	c.form.constant = 0;
	if (!g) {
		c.high = limit;
		return c;
	}
	for (unsigned i = 0; i < c.form.count; i++)
		c.form.terms[i].factor /= form->terms[0].factor > 0 ? g : -g;
	limit = sc_floor_div(limit, g);
	if (form->terms[0].factor > 0)
		c.high = limit;
	else
		c.low = -limit;
	return c;
}
