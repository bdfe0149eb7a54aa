/* Regions: the bytes that a linear address reaches over a box under linear constraints. */
#include "footprint/region.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "footprint/stride.h"

#define ROUNDS	    8	/* of shrinking the box */
#define PARTIAL	    64	/* values of one coordinate that are looked at one by one */
#define PIECES	    160 /* of one region */
#define NOWHERE	    UINT32_MAX
#define PIECE_STEPS 4

struct solver {
	struct sc_eval *e;
	const struct sc_footprint_range *like;
	sc_range_list *out;
	unsigned pieces;
};

struct wide_span {
	__int128 low, high;
};

static uint32_t slot_of(struct sc_region *r, uint32_t *map, const struct sc_eval *e,
			uint32_t variable)
{
	const struct sc_form_variable *v = &e->box.v[variable];
	uint32_t i = 0;

	while (i < r->variables && map[i] != variable)
		i++;
	sc_assert(r->variables <= SC_REGION_VARIABLES);
	if (i < r->variables || i == SC_REGION_VARIABLES)
		return i;
	map[i] = variable;
	r->low[i] = v->low;
	r->high[i] = v->high;
	r->unknown[i] = v->is_unknown;
	r->reasons[i] = v->reason;
	r->variables++;
	return i;
}

static void add_cut(struct sc_region *r, uint32_t *map, const struct sc_eval *e,
		    const struct sc_constraint *c)
{
	struct sc_cut *cut = &r->cut[r->cuts];

	sc_assert(r->cuts < SC_REGION_CONSTRAINTS);
	memset(cut, 0, sizeof(*cut));
	for (unsigned i = 0; i < c->form.count; i++) {
		uint32_t at = slot_of(r, map, e, c->form.terms[i].variable);

		if (at == SC_REGION_VARIABLES) {
			r->reason = SC_REASON_SHAPE;
			return;
		}
		cut->factors[at] = c->form.terms[i].factor;
	}
	cut->low = c->low;
	cut->high = c->high;
	r->cuts++;
}

void sc_region_make(struct sc_region *r, const struct sc_eval *e,
		    const struct sc_linear_form *address, const struct sc_clause *clause)
{
	uint32_t map[SC_REGION_VARIABLES];

	_Static_assert(SC_FORM_TERMS <= SC_REGION_VARIABLES &&
			       SC_CLAUSE_CONSTRAINTS + SC_EVAL_FACTS <= SC_REGION_CONSTRAINTS,
		       "an address and its constraints fit");
	memset(r, 0, offsetof(struct sc_region, cut));
	r->reason = clause->reason;
	r->start = address->constant;
	for (unsigned i = 0; i < address->count; i++)
		r->factors[slot_of(r, map, e, address->terms[i].variable)] =
			address->terms[i].factor;
	for (uint32_t i = 0; i < clause->count; i++)
		add_cut(r, map, e, &clause->constraints[i]);
	for (uint32_t i = 0; i < e->now->fact_count; i++)
		add_cut(r, map, e, &e->now->facts[i]);
}

void sc_region_extend(struct sc_region *r, int64_t factor, uint32_t count)
{
	uint32_t at = r->variables;

	if (count < 2)
		return;
	if (at == SC_REGION_VARIABLES) {
		r->is_unbounded = 1;
		return;
	}
	r->factors[at] = factor;
	r->low[at] = 0;
	r->high[at] = count - 1;
	for (uint32_t i = 0; i < r->cuts; i++)
		r->cut[i].factors[at] = 0;
	r->variables++;
}

static struct wide_span cut_span(const struct sc_region *r, const struct sc_cut *c)
{
	struct wide_span s = {0, 0};

	for (uint32_t i = 0; i < r->variables; i++) {
		__int128 f = c->factors[i];

		s.low += f * (f > 0 ? r->low[i] : r->high[i]);
		s.high += f * (f > 0 ? r->high[i] : r->low[i]);
	}
	return s;
}

static __int128 floor_wide(__int128 a, __int128 b)
{
	__int128 q = a / b;

	return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Shrinks one coordinate by one cut, whose span is s; true if it moved. */
static bool shrink(struct sc_region *r, const struct sc_cut *c, uint32_t i, struct wide_span *s)
{
	__int128 f = c->factors[i];
	__int128 rest_low = s->low - f * (f > 0 ? r->low[i] : r->high[i]);
	__int128 rest_high = s->high - f * (f > 0 ? r->high[i] : r->low[i]);
	__int128 top = floor_wide(c->high - rest_low, f > 0 ? f : -f);
	__int128 bottom = -floor_wide(rest_high - c->low, f > 0 ? f : -f);
	__int128 low = f > 0 ? bottom : -top, high = f > 0 ? top : -bottom;
	bool moved = 0;

	if ((f > 0 ? c->low > -SC_INFINITE : c->high < SC_INFINITE) && low > r->low[i]) {
		r->low[i] = sc_clamp(low);
		moved = 1;
	}
	if ((f > 0 ? c->high < SC_INFINITE : c->low > -SC_INFINITE) && high < r->high[i]) {
		r->high[i] = sc_clamp(high);
		moved = 1;
	}
	s->low = rest_low + f * (f > 0 ? r->low[i] : r->high[i]);
	s->high = rest_high + f * (f > 0 ? r->high[i] : r->low[i]);
	return moved;
}

static bool is_empty(const struct sc_region *r)
{
	for (uint32_t i = 0; i < r->variables; i++)
		if (r->low[i] > r->high[i])
			return 1;
	return 0;
}

/* Shrinks all coordinates of one cut; false if nothing is left. */
static bool shrink_by(struct sc_region *r, const struct sc_cut *c, bool *moved)
{
	struct wide_span s = cut_span(r, c);

	for (uint32_t i = 0; i < r->variables; i++) {
		if (c->factors[i])
			*moved |= shrink(r, c, i, &s);
		if (r->low[i] > r->high[i])
			return 0;
	}
	return 1;
}

/* Shrinks the box to what the cuts allow; false if nothing is left. */
static bool shrink_all(struct sc_eval *e, struct sc_region *r)
{
	bool moved = 1;

	for (unsigned round = 0; moved && round < ROUNDS; round++) {
		moved = 0;
		sc_eval_spend(e, r->cuts);
		for (uint32_t c = 0; c < r->cuts; c++)
			if (!shrink_by(r, &r->cut[c], &moved))
				return 0;
	}
	for (uint32_t c = r->cuts; c-- > 0;) {
		struct wide_span s = cut_span(r, &r->cut[c]);

		if (s.high < r->cut[c].low || s.low > r->cut[c].high)
			return 0;
		if (s.low >= r->cut[c].low && s.high <= r->cut[c].high)
			r->cut[c] = r->cut[--r->cuts];
	}
	return 1;
}

static void drop_cut(struct sc_region *r, uint32_t c, uint8_t reason)
{
	sc_assert(c < r->cuts);
	r->cut[c] = r->cut[--r->cuts];
	if (!r->reason)
		r->reason = reason;
}

/* A cut with an unknown in it says nothing exact any more. */
static void drop_unknown(struct sc_region *r)
{
	for (uint32_t c = r->cuts; c-- > 0;)
		for (uint32_t i = 0; i < r->variables; i++)
			if (r->cut[c].factors[i] && r->unknown[i]) {
				drop_cut(r, c, r->reasons[i]);
				break;
			}
}

static uint32_t cuts_with(const struct sc_region *r, uint32_t variable, uint32_t *last)
{
	uint32_t count = 0;

	for (uint32_t c = 0; c < r->cuts; c++)
		if (r->cut[c].factors[variable]) {
			count++;
			*last = c;
		}
	return count;
}

/* Takes a coordinate that the address does not use out of its only cut, if that is exact:
 * one-sided cuts take its best value; two-sided ones must be at least one step wide. */
static bool project(struct sc_region *r, uint32_t i, uint32_t at)
{
	struct sc_cut *c = &r->cut[at];
	__int128 f = c->factors[i];
	__int128 least = f * (f > 0 ? r->low[i] : r->high[i]);
	__int128 most = f * (f > 0 ? r->high[i] : r->low[i]);
	bool below = c->low > -SC_INFINITE, above = c->high < SC_INFINITE;

	if (below && above && r->low[i] != r->high[i] &&
	    (__int128)c->high - c->low < (f > 0 ? f : -f) - 1)
		return 0;
	if (above)
		c->high = sc_clamp(c->high - least);
	if (below)
		c->low = sc_clamp(c->low - most);
	c->factors[i] = 0;
	return 1;
}

static bool project_any(struct sc_region *r)
{
	for (uint32_t i = 0; i < r->variables; i++) {
		uint32_t at = 0;

		if (!r->factors[i] && cuts_with(r, i, &at) == 1 && project(r, i, at))
			return 1;
	}
	return 0;
}

/* Factor between the address and the cut over the cut's coordinates, 0 if there is none, or if
 * another cut shares a coordinate. */
static int64_t address_ratio(const struct sc_region *r, uint32_t c)
{
	int64_t ratio = 0;
	uint32_t last;

	for (uint32_t i = 0; i < r->variables; i++) {
		int64_t f = r->cut[c].factors[i];

		if (!f)
			continue;
		if (!r->factors[i] || r->factors[i] % f || cuts_with(r, i, &last) != 1 ||
		    (ratio && r->factors[i] / f != ratio))
			return 0;
		ratio = r->factors[i] / f;
	}
	return ratio;
}

/* Values of the cut's sum over the box, if they are one progression: least, step, count - 1. */
static bool progression(const struct sc_region *r, const struct sc_cut *c, __int128 *least,
			int64_t *step, __int128 *last)
{
	bool done[SC_REGION_VARIABLES] = {0};
	__int128 extent = 0;

	*least = cut_span(r, c).low;
	*step = 0;
	for (;;) {
		uint32_t next = NOWHERE;
		int64_t f;

		for (uint32_t i = 0; i < r->variables; i++)
			if (c->factors[i] && !done[i] && r->low[i] < r->high[i] &&
			    (next == NOWHERE || llabs(c->factors[i]) < llabs(c->factors[next])))
				next = i;
		if (next == NOWHERE)
			break;
		done[next] = 1;
		f = llabs(c->factors[next]);
		if (!*step)
			*step = f;
		else if (f % *step || f > extent + *step)
			return 0;
		extent += (__int128)f * ((__int128)r->high[next] - r->low[next]);
	}
	*last = *step ? extent / *step : 0;
	return *step != 0;
}

/* Replaces the coordinates of a cut by their sum, and cuts that. */
static bool fuse(struct sc_region *r, uint32_t at)
{
	struct sc_cut *c = &r->cut[at];
	int64_t ratio = address_ratio(r, at), step;
	__int128 least, last, first, start;
	uint32_t home = NOWHERE;

	if (!ratio || !progression(r, c, &least, &step, &last))
		return 0;
	first = c->low > -SC_INFINITE ? -floor_wide(least - c->low, step) : 0;
	if (c->high < SC_INFINITE && floor_wide(c->high - least, step) < last)
		last = floor_wide(c->high - least, step);
	start = r->start + (__int128)ratio * least;
	if (start != sc_clamp(start) || (__int128)ratio * step != sc_clamp((__int128)ratio * step))
		return 0;
	for (uint32_t i = 0; i < r->variables; i++) {
		if (!c->factors[i])
			continue;
		home = home == NOWHERE ? i : home;
		r->factors[i] = 0;
		r->low[i] = r->high[i] = 0;
	}
	sc_assert(home != NOWHERE && step > 0);
	r->start = (int64_t)start;
	r->factors[home] = ratio * step;
	r->low[home] = sc_clamp(first > 0 ? first : 0);
	r->high[home] = sc_clamp(last);
	r->cut[at] = r->cut[--r->cuts];
	return 1;
}

static void solve(struct solver *s, struct sc_region *r);

static uint32_t coarsest(const struct sc_region *r, const struct sc_cut *c)
{
	uint32_t best = NOWHERE;

	for (uint32_t i = 0; i < r->variables; i++)
		if (c->factors[i] && r->low[i] < r->high[i] &&
		    (best == NOWHERE || llabs(c->factors[i]) > llabs(c->factors[best])))
			best = i;
	return best;
}

static void solve_slice(struct solver *s, const struct sc_region *r, uint32_t i, int64_t low,
			int64_t high)
{
	struct sc_region part;

	if (low > high)
		return;
	memcpy(&part, r, offsetof(struct sc_region, cut) + r->cuts * sizeof(*r->cut));
	part.low[i] = low;
	part.high[i] = high;
	solve(s, &part);
}

/* Cuts along the coarsest coordinate: the values for which the cut always holds in one piece, the
 * few others one by one. */
static bool slice(struct solver *s, const struct sc_region *r, uint32_t at)
{
	const struct sc_cut *c = &r->cut[at];
	uint32_t i = coarsest(r, c);
	struct wide_span span = cut_span(r, c);
	__int128 f, rest_low, rest_high, low, high;

	if (i == NOWHERE || s->pieces > PIECES || !s->e->fuel)
		return 0;
	f = c->factors[i];
	rest_low = span.low - f * (f > 0 ? r->low[i] : r->high[i]);
	rest_high = span.high - f * (f > 0 ? r->high[i] : r->low[i]);
	low = c->low > -SC_INFINITE ? -floor_wide(rest_low - c->low, f > 0 ? f : -f) : -SC_INFINITE;
	high = c->high < SC_INFINITE ? floor_wide(c->high - rest_high, f > 0 ? f : -f)
				     : SC_INFINITE;
	if (f < 0) {
		__int128 swap = low;

		low = -high;
		high = -swap;
	}
	low = low > r->low[i] ? low : r->low[i];
	high = high < r->high[i] ? high : r->high[i];
	if (low > high)
		low = (__int128)r->high[i] + 1, high = r->high[i];
	if (low - r->low[i] + r->high[i] - high > PARTIAL)
		return 0;
	for (int64_t v = r->low[i]; v < low; v++)
		solve_slice(s, r, i, v, v);
	solve_slice(s, r, i, (int64_t)low, (int64_t)high);
	for (int64_t v = (int64_t)high + 1; v <= r->high[i]; v++)
		solve_slice(s, r, i, v, v);
	return 1;
}

static bool fuse_any(struct sc_region *r)
{
	for (uint32_t c = 0; c < r->cuts; c++)
		if (fuse(r, c))
			return 1;
	return 0;
}

static void emit(struct solver *s, const struct sc_region *r)
{
	size_t before = s->out->count;

	sc_assert(!is_empty(r));
	sc_stride_emit(r, s->like, s->out);
	sc_eval_spend(s->e, (uint32_t)(s->out->count - before));
}

static void solve(struct solver *s, struct sc_region *r)
{
	s->pieces++;
	sc_eval_spend(s->e, PIECE_STEPS);
	while (!is_empty(r) && (!r->cuts || s->e->fuel)) {
		if (!shrink_all(s->e, r))
			return;
		drop_unknown(r);
		if (project_any(r) || fuse_any(r))
			continue;
		if (!r->cuts) {
			emit(s, r);
			return;
		}
		if (slice(s, r, 0))
			return;
		drop_cut(r, 0, SC_REASON_SHAPE);
	}
	if (is_empty(r))
		return;
	r->reason = r->reason ? r->reason : SC_REASON_BUDGET;
	emit(s, r);
}

void sc_region_emit(struct sc_eval *e, const struct sc_region *r,
		    const struct sc_footprint_range *like, sc_range_list *out)
{
	struct solver s = {.e = e, .like = like, .out = out};
	struct sc_region work = *r;

	solve(&s, &work);
}
