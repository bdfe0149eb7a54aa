/* Clocks: copy-on-write vector clocks, dense or sparse over a published base. */
#include "analyzer/clock/clock.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"
#include "analyzer/clock/clock_pool.h"
#include "analyzer/clock/lanes.h"
#include "analyzer/clock/point.h"
#include "base/message.h"

#define FEW   16 /* entries that are worth a sparse clock whatever the width */
#define SHARE 8	 /* beyond: sparse up to one lane in so many */

static uint64_t version_of(const struct sc_clock *c)
{
	return c->is_dense ? c->version : 0;
}

/* Version of the youngest published clock in it. */
static uint64_t contained(const struct sc_clock *c)
{
	if (c->is_dense)
		return c->contains;
	return c->base ? c->base->version : 0;
}

void sc_clock_drop(struct sc_clock_pool *pool, struct sc_clock *c)
{
	struct sc_clock *base = c->is_dense ? NULL : c->base;

	sc_clock_release(pool, c);
	if (base && !--base->refs)
		sc_clock_release(pool, base);
}

void sc_clock_set(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	struct sc_clock *old = *c;

	*c = sc_clock_get(other);
	sc_clock_put(pool, old);
}

/* Looking up. */

static uint32_t dense_at(const struct sc_clock *c, uint32_t lane)
{
	sc_assert(!c || c->is_dense);
	return c && lane < c->count ? c->at[lane] : 0;
}

/* Index of the first entry of the lane or a later one. */
static uint32_t entry_of(const struct sc_clock *c, uint32_t lane)
{
	uint32_t low = 0, high = c->count;

	sc_assert(!c->is_dense);
	while (high - low > 4) {
		uint32_t middle = (low + high) / 2;

		if (c->further[middle].lane < lane)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < high && c->further[low].lane < lane)
		low++;
	return low;
}

uint64_t sc_clock_search(const struct sc_clock *c, uint32_t lane)
{
	uint32_t i = entry_of(c, lane);

	if (i < c->count && c->further[i].lane == lane)
		return c->further[i].position;
	return dense_at(c->base, lane);
}

static uint32_t width_of(const struct sc_clock *c)
{
	uint32_t base, own;

	if (c->is_dense)
		return c->count;
	base = c->base ? c->base->count : 0;
	own = c->count ? c->further[c->count - 1].lane + 1 : 0;
	return base > own ? base : own;
}

/* True if all lanes of a dense clock are in the other one. */
static bool dense_is_within(const struct sc_clock *c, const struct sc_clock *other)
{
	const struct sc_clock *flat = other->is_dense ? other : other->base;
	uint32_t both = flat && flat->count < c->count ? flat->count : c->count;
	uint32_t i = 0;

	while (i < c->count) {
		if (flat && i < both)
			i = sc_lanes_first_beyond(c->at, flat->at, i, both);
		if (i < c->count && c->at[i] > sc_clock_at(other, i))
			return 0;
		i++;
	}
	return 1;
}

bool sc_clock_is_within(const struct sc_clock *c, const struct sc_clock *other)
{
	if (!c || c == other)
		return 1;
	if (version_of(c) && other && version_of(c) <= contained(other))
		return 1;
	if (c->is_dense)
		return other ? dense_is_within(c, other) : !c->count;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->further[i].position > sc_clock_at(other, c->further[i].lane))
			return 0;
	return sc_clock_is_within(c->base, other);
}

/* Changing. */

/* A dense copy, count 1, with at least `lanes` lanes. */
static struct sc_clock *dense_copy(struct sc_clock_pool *pool, const struct sc_clock *old,
				   uint32_t lanes)
{
	const struct sc_clock *flat = old && !old->is_dense ? old->base : old;
	uint32_t had = flat ? flat->count : 0, wide = old ? width_of(old) : 0;
	struct sc_clock *c;

	if (wide < lanes)
		wide = lanes;
	c = sc_clock_take(pool, sc_clock_bytes_dense(wide), 1);
	c->count = wide;
	c->contains = old ? contained(old) : 0;
	if (flat)
		memcpy(c->at, flat->at, had * sizeof(c->at[0]));
	memset(c->at + had, 0, (wide - had) * sizeof(c->at[0]));
	for (uint32_t i = 0; old && !old->is_dense && i < old->count; i++)
		c->at[old->further[i].lane] = old->further[i].position;
	return c;
}

static struct sc_clock *sparse_new(struct sc_clock_pool *pool, struct sc_clock *base,
				   uint32_t entries)
{
	struct sc_clock *c = sc_clock_take(pool, sc_clock_bytes_sparse(entries), 0);

	c->base = sc_clock_get(base);
	return c;
}

static void replace(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *with)
{
	struct sc_clock *old = *c;

	*c = with;
	sc_clock_put(pool, old);
}

/* Makes *c dense, ours alone and at least so wide. */
static void own_dense(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lanes)
{
	struct sc_clock *old = *c;

	if (lanes >= SC_CLOCK_LANES_MAX)
		sc_die("more than %u streams at once", SC_CLOCK_LANES_MAX);
	if (!old || !old->is_dense || old->refs > 1 ||
	    sc_clock_bytes(old->rank) < sc_clock_bytes_dense(lanes)) {
		replace(pool, c, dense_copy(pool, old, lanes));
		return;
	}
	old->version = 0;
	if (old->count >= lanes)
		return;
	memset(old->at + old->count, 0, (lanes - old->count) * sizeof(old->at[0]));
	old->count = lanes;
}

/* Makes *c sparse, ours alone, with room for one more entry. */
static void own_sparse(struct sc_clock_pool *pool, struct sc_clock **c)
{
	struct sc_clock *old = *c, *new;

	if (old && old->refs == 1 &&
	    sc_clock_bytes(old->rank) >= sc_clock_bytes_sparse(old->count + 1))
		return;
	new = sparse_new(pool, old ? old->base : NULL, old ? old->count + 1 : 1);
	if (old) {
		memcpy(new->further, old->further, old->count * sizeof(old->further[0]));
		new->count = old->count;
	}
	replace(pool, c, new);
}

static bool is_too_many(uint32_t entries, uint32_t width)
{
	return entries > FEW && entries > width / SHARE;
}

/* A published clock is not changed; what is added goes into a sparse clock over it. */
static void stand_on(struct sc_clock_pool *pool, struct sc_clock **c)
{
	if (*c && version_of(*c) && (*c)->refs > 1)
		replace(pool, c, sparse_new(pool, *c, 1));
}

static void raise_sparse(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
			 uint64_t position)
{
	struct sc_clock *own;
	uint32_t i;

	own_sparse(pool, c);
	own = *c;
	i = entry_of(own, lane);
	if (i == own->count || own->further[i].lane != lane) {
		memmove(&own->further[i + 1], &own->further[i],
			(own->count - i) * sizeof(own->further[0]));
		own->count++;
	}
	own->further[i] = (struct sc_clock_entry){(uint32_t)position, (uint16_t)lane};
	if (is_too_many(own->count, width_of(own)))
		replace(pool, c, dense_copy(pool, own, 0));
}

void sc_clock_raise(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
		    uint64_t position)
{
	if (sc_clock_at(*c, lane) >= position)
		return;
	stand_on(pool, c);
	if (lane < SC_CLOCK_LANES_SPARSE && (!*c || !(*c)->is_dense)) {
		raise_sparse(pool, c, lane, position);
		return;
	}
	own_dense(pool, c, lane + 1);
	(*c)->at[lane] = (uint32_t)position;
}

/* Joining: neither side contains the other. */

static void note_contained(struct sc_clock *c, const struct sc_clock *other)
{
	if (c->contains < contained(other))
		c->contains = contained(other);
}

/* *c, dense, ours alone and wide enough, is joined with a dense clock. */
static void join_flat(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lanes,
		      const struct sc_clock *flat)
{
	struct sc_clock *old = *c, *own;

	if (old && old->is_dense && old->refs > 1 && flat && flat->count == old->count &&
	    lanes <= old->count) { /* copied and joined in one pass */
		own = sc_clock_take(pool, sc_clock_bytes_dense(old->count), 1);
		own->count = old->count;
		own->contains = old->contains;
		sc_lanes_join(own->at, old->at, flat->at, own->count);
		replace(pool, c, own);
		return;
	}
	own_dense(pool, c, lanes);
	if (flat)
		sc_lanes_join((*c)->at, (*c)->at, flat->at, flat->count);
}

static void join_dense(struct sc_clock_pool *pool, struct sc_clock **c,
		       const struct sc_clock *other)
{
	const struct sc_clock *flat = other->is_dense ? other : other->base;
	bool has_flat = flat && (!flat->version || flat->version > contained(*c));
	struct sc_clock *own;

	join_flat(pool, c, width_of(other), has_flat ? flat : NULL);
	own = *c;
	for (uint32_t i = 0; !other->is_dense && i < other->count; i++) {
		const struct sc_clock_entry *e = &other->further[i];

		if (own->at[e->lane] < e->position)
			own->at[e->lane] = e->position;
	}
	note_contained(own, other);
}

/* The entries of a clock for a merge: none if it is the base itself. */
static uint32_t entries_of(const struct sc_clock *c)
{
	return c->is_dense ? 0 : c->count;
}

/* A join in the making: the pool's scratch clock, and what each side has that the other one has
 * not. */
struct merge {
	struct sc_clock *new;
	bool has_mine, has_theirs;
};

static struct sc_clock *scratch_of(struct sc_clock_pool *pool, struct sc_clock *base,
				   uint32_t entries)
{
	struct sc_clock *c = pool->scratch;

	if (!c || sc_clock_bytes(c->rank) < sc_clock_bytes_sparse(entries)) {
		if (c)
			sc_clock_release(pool, c);
		c = pool->scratch = sc_clock_take(pool, sc_clock_bytes_sparse(entries), 0);
	}
	c->base = base; /* borrowed */
	return c;
}

/* Adds the entries that one side has alone, but for what the other's base has already. */
static inline struct sc_clock_entry *add_rest(struct sc_clock_entry *out,
					      const struct sc_clock *floor,
					      const struct sc_clock_entry *e,
					      const struct sc_clock_entry *end)
{
	for (; e < end; e++)
		if (!floor || e->position > dense_at(floor, e->lane))
			*out++ = *e;
	return out;
}

/* `floor_a` and `floor_b` are the base where the side has another one: what it has already does not
 * count. */
static inline __attribute__((always_inline)) struct merge
merged(struct sc_clock *new, const struct sc_clock *a, const struct sc_clock *floor_a,
       const struct sc_clock *b, const struct sc_clock *floor_b)
{
	const struct sc_clock_entry *x = a->further, *x_end = x + entries_of(a);
	const struct sc_clock_entry *y = b->further, *y_end = y + entries_of(b);
	struct sc_clock_entry *out = new->further, *mine;
	bool has_mine = 0, has_theirs = 0;

	while (x < x_end && y < y_end) {
		bool is_x = x->lane<y->lane, is_y = x->lane> y->lane;
		bool is_mine = is_x || (!is_y && x->position > y->position);
		bool is_theirs = is_y || (!is_x && x->position < y->position);
		const struct sc_clock_entry *e = is_mine ? x : y;
		const struct sc_clock *floor = is_mine ? floor_a : floor_b;

		x += !is_y;
		y += !is_x;
		if (floor && e->position <= dense_at(floor, e->lane))
			continue;
		*out++ = *e;
		has_mine |= is_mine;
		has_theirs |= is_theirs;
	}
	mine = add_rest(out, floor_a, x, x_end);
	has_mine |= mine > out;
	out = add_rest(mine, floor_b, y, y_end);
	new->count = (uint32_t)(out - new->further);
	return (struct merge){new, has_mine, has_theirs || out > mine};
}

/* A clock that can stand in a sparse join: sparse, or published and so its own base. */
static bool is_light(const struct sc_clock *c)
{
	return !c->is_dense || version_of(c);
}

/* The join of two light clocks, and of `more` if that is a younger base than theirs; with room for
 * one entry more. */
static struct merge join_of(struct sc_clock_pool *pool, const struct sc_clock *a,
			    const struct sc_clock *b, struct sc_clock *more)
{
	struct sc_clock *mine = a->is_dense ? (struct sc_clock *)a : a->base;
	struct sc_clock *theirs = b->is_dense ? (struct sc_clock *)b : b->base;
	struct sc_clock *base = contained(a) > contained(b) ? mine : theirs, *new;

	if (more && (!base || more->version > base->version))
		base = more;
	new = scratch_of(pool, base, entries_of(a) + entries_of(b) + 1);
	if (mine == theirs)
		return base == mine ? merged(new, a, NULL, b, NULL) : merged(new, a, base, b, base);
	if (base == mine)
		return merged(new, a, NULL, b, base);
	return merged(new, a, base, b, base == theirs ? NULL : base);
}

/* Puts a copy of the scratch clock, no larger than it must be, in the place of *c. */
static void settle(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_clock *scratch)
{
	struct sc_clock *own;

	if (is_too_many(scratch->count, width_of(scratch))) {
		own = dense_copy(pool, scratch, 0);
	} else {
		own = sparse_new(pool, scratch->base, scratch->count);
		own->count = scratch->count;
		memcpy(own->further, scratch->further, own->count * sizeof(own->further[0]));
	}
	replace(pool, c, own);
}

/* One pass finds the join, and whether one side is the join. */
static bool join_light(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	struct merge m = join_of(pool, *c, other, NULL);
	struct sc_clock *mine = (*c)->is_dense ? *c : (*c)->base;
	struct sc_clock *theirs = other->is_dense ? other : other->base;

	if (m.new->base == mine && !m.has_theirs)
		return 0;
	if (m.new->base == theirs && !m.has_mine) {
		sc_clock_set(pool, c, other);
		return 1;
	}
	settle(pool, c, m.new);
	return 1;
}

/* The same with a position on a lane, and with `more`. */
static void join_light_point(struct sc_clock_pool *pool, struct sc_clock **c,
			     const struct sc_point *p, struct sc_clock *more)
{
	struct sc_clock *own = join_of(pool, *c, p->base, more).new;
	uint32_t i = own->count;

	while (i && own->further[i - 1].lane > p->lane)
		i--;
	if (i && own->further[i - 1].lane == p->lane) {
		if (own->further[i - 1].position < p->position)
			own->further[i - 1].position = (uint32_t)p->position;
	} else if (dense_at(own->base, p->lane) < p->position) {
		memmove(&own->further[i + 1], &own->further[i],
			(own->count++ - i) * sizeof(own->further[0]));
		own->further[i] = (struct sc_clock_entry){p->position, (uint16_t)p->lane};
	}
	settle(pool, c, own);
}

/* The same as sc_clock_is_within, but a base that the other one does not contain as a whole is not
 * looked into: the line says that it is younger. */
static bool is_plainly_within(const struct sc_clock *c, const struct sc_clock *other)
{
	uint64_t line = other ? contained(other) : 0;

	if (c && !c->is_dense && c->base && c->base->version > line)
		return 0;
	if (c && version_of(c) > line)
		return 0;
	return sc_clock_is_within(c, other);
}

bool sc_clock_join(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	if (!other || other == *c ||
	    (version_of(other) && *c && version_of(other) <= contained(*c)))
		return 0;
	if (*c && is_light(*c) && is_light(other))
		return join_light(pool, c, other);
	if (is_plainly_within(other, *c))
		return 0;
	if (is_plainly_within(*c, other))
		sc_clock_set(pool, c, other);
	else
		join_dense(pool, c, other);
	return 1;
}

void sc_clock_publish(struct sc_clock_pool *pool, struct sc_clock **c)
{
	if (!*c || version_of(*c))
		return;
	own_dense(pool, c, width_of(*c));
	(*c)->version = (*c)->contains = ++pool->version;
}

void sc_clock_add_point(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_point *p)
{
	if (*c && p->base && p->lane < SC_CLOCK_LANES_SPARSE && is_light(*c) && is_light(p->base)) {
		join_light_point(pool, c, p, NULL);
		return;
	}
	sc_clock_join(pool, c, p->base);
	sc_clock_raise(pool, c, p->lane, p->position);
}

void sc_clock_add_both(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_point *p,
		       struct sc_clock *other)
{
	if (other && version_of(other) && *c && p->base && p->lane < SC_CLOCK_LANES_SPARSE &&
	    is_light(*c) && is_light(p->base)) {
		join_light_point(pool, c, p, other);
		return;
	}
	sc_clock_join(pool, c, other);
	sc_clock_add_point(pool, c, p);
}

void sc_point_put(struct sc_clock_pool *pool, struct sc_point *p)
{
	sc_clock_put(pool, p->base);
	*p = (struct sc_point){0};
}
