/* Clocks: copy-on-write vector clocks, dense or sparse over a published base. */
#include "analyzer/clock/clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/heap.h"
#include "base/message.h"

#define FEW   16 /* entries that are worth a sparse clock whatever the width */
#define SHARE 8	 /* beyond: sparse up to one lane in so many */
#define WORTH 8	 /* entries that are worth a base of their own */

/* ---- memory ---- */

/* The smallest is one cache line. */
static size_t bytes_of(unsigned rank)
{
	const size_t head = offsetof(struct sc_clock, at);

	return head + ((SC_CACHE_LINE - head) << rank);
}

static size_t dense_bytes(uint32_t lanes)
{
	return offsetof(struct sc_clock, at) + lanes * sizeof(uint64_t);
}

static size_t sparse_bytes(uint32_t entries)
{
	return offsetof(struct sc_clock, further) + entries * sizeof(struct sc_clock_entry);
}

/* An empty clock of so many bytes, count 1. */
static struct sc_clock *take(struct sc_clock_pool *pool, size_t bytes, bool is_dense)
{
	unsigned rank = 0;
	struct sc_clock *c;

	while (bytes_of(rank) < bytes)
		rank++;
	c = sc_slab_take(&pool->slabs[rank], bytes_of(rank));
	*c = (struct sc_clock){.refs = 1, .rank = rank, .is_dense = is_dense};
	return c;
}

void sc_clock_drop(struct sc_clock_pool *pool, struct sc_clock *c)
{
	if (sc_clock_is_pair(c)) {
		sc_clock_put(pool, c->sure);
		sc_clock_put(pool, c->all);
		sc_slab_give(&pool->slabs[0], c);
		return;
	}
	sc_assert(!c->refs && c->rank < SC_CLOCK_RANKS);
	if (!c->is_dense)
		sc_clock_put(pool, c->base);
	sc_slab_give(&pool->slabs[c->rank], c);
}

void sc_clock_pool_fini(struct sc_clock_pool *pool)
{
	for (unsigned i = 0; i < SC_CLOCK_RANKS; i++)
		sc_slab_fini(&pool->slabs[i]);
	*pool = (struct sc_clock_pool){0};
}

static void replace(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *with)
{
	struct sc_clock *old = *c;

	*c = with;
	sc_clock_put(pool, old);
}

void sc_clock_set(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	sc_assert(!other || other->refs > 0);
	replace(pool, c, sc_clock_get(other));
}

/* ---- looking up ---- */

static uint64_t version_of(const struct sc_clock *c)
{
	return c->is_dense ? c->version : 0;
}

/* Version of the youngest published clock in it. */
static uint64_t contained(const struct sc_clock *c)
{
	if (!c)
		return 0;
	if (c->is_dense)
		return c->contains;
	return c->base ? c->base->version : 0;
}

static uint64_t dense_at(const struct sc_clock *c, uint32_t lane)
{
	sc_assert(!c || c->is_dense);
	return c && lane < c->count ? c->at[lane] : 0;
}

/* The first entry of the lane or a later one; without branches that cannot be guessed. */
static const struct sc_clock_entry *entry_of(const struct sc_clock *c, uint32_t lane)
{
	const struct sc_clock_entry *e = c->further;

	sc_assert(!c->is_dense);
	for (uint32_t n = c->count, half; n; n -= half) {
		half = (n + 1) / 2;
		e += e[half - 1].lane < lane ? half : 0;
	}
	return e;
}

uint64_t sc_clock_search(const struct sc_clock *c, uint32_t lane)
{
	const struct sc_clock_entry *e;

	if (sc_clock_is_pair(c))
		return sc_clock_at(c->all, lane);
	e = entry_of(c, lane);
	if (e < c->further + c->count && e->lane == lane)
		return e->position;
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

/* Without a branch in the inner loop, so that the compiler compares several lanes at once; what is
 * beyond in a clock of many lanes (ranks) is mostly so early. */
static bool is_any_beyond(const uint64_t *a, const uint64_t *b, uint32_t count)
{
	uint32_t is_beyond = 0, i = 0;

	while (i < count && !is_beyond)
		for (uint32_t end = count - i < 128 ? count : i + 128; i < end; i++)
			is_beyond |= a[i] > b[i];
	return is_beyond;
}

static bool dense_is_within(const struct sc_clock *c, const struct sc_clock *other)
{
	if (other->is_dense && other->count >= c->count)
		return !is_any_beyond(c->at, other->at, c->count);
	for (uint32_t i = 0; i < c->count; i++)
		if (c->at[i] > sc_clock_at(other, i))
			return 0;
	return 1;
}

/* Of two sparse clocks the entries are passed once, side by side. */
static bool entries_are_within(const struct sc_clock *c, const struct sc_clock *other)
{
	bool is_sparse = other && !other->is_dense;
	uint32_t k = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct sc_clock_entry *e = &c->further[i];
		uint64_t at;

		while (is_sparse && k < other->count && other->further[k].lane < e->lane)
			k++;
		if (is_sparse && k < other->count && other->further[k].lane == e->lane)
			at = other->further[k].position;
		else
			at = dense_at(is_sparse ? other->base : other, e->lane);
		if (e->position > at)
			return 0;
	}
	return 1;
}

static bool pair_is_within(const struct sc_clock *c, const struct sc_clock *other)
{
	struct sc_clock *x = (struct sc_clock *)c, *y = (struct sc_clock *)other;

	return sc_clock_is_within(sc_clock_sure(x), sc_clock_sure(y)) &&
	       sc_clock_is_within(sc_clock_all(x), sc_clock_all(y));
}

bool sc_clock_is_within(const struct sc_clock *c, const struct sc_clock *other)
{
	if (!c || c == other)
		return 1;
	if (sc_clock_is_pair(c) || sc_clock_is_pair(other))
		return pair_is_within(c, other);
	if (version_of(c) && other && version_of(c) <= contained(other))
		return 1;
	if (c->is_dense)
		return other ? dense_is_within(c, other) : !c->count;
	return entries_are_within(c, other) && sc_clock_is_within(c->base, other);
}

/* ---- changing ---- */

/* A dense copy, count 1, with at least `lanes` lanes. */
static struct sc_clock *dense_copy(struct sc_clock_pool *pool, const struct sc_clock *old,
				   uint32_t lanes)
{
	const struct sc_clock *flat = old && !old->is_dense ? old->base : old;
	uint32_t had = flat ? flat->count : 0, wide = old ? width_of(old) : 0;
	struct sc_clock *c;

	if (wide < lanes)
		wide = lanes;
	c = take(pool, dense_bytes(wide), 1);
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
	struct sc_clock *c = take(pool, sparse_bytes(entries), 0);

	c->base = sc_clock_get(base);
	return c;
}

/* A copy with room for `more` entries, and no larger than it must be. */
static struct sc_clock *sparse_copy(struct sc_clock_pool *pool, const struct sc_clock *old,
				    uint32_t more)
{
	struct sc_clock *c = sparse_new(pool, old->base, old->count + more);

	memcpy(c->further, old->further, old->count * sizeof(old->further[0]));
	c->count = old->count;
	return c;
}

/* Makes *c dense, ours alone and at least so wide. */
static void own_dense(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lanes)
{
	struct sc_clock *old = *c;

	if (!old || !old->is_dense || old->refs > 1 || bytes_of(old->rank) < dense_bytes(lanes)) {
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
	struct sc_clock *old = *c;

	if (!old)
		*c = sparse_new(pool, NULL, 1);
	else if (old->refs > 1 || bytes_of(old->rank) < sparse_bytes(old->count + 1))
		replace(pool, c, sparse_copy(pool, old, 1));
}

/* A sparse clock that has become too long turns dense. */
static void limit(struct sc_clock_pool *pool, struct sc_clock **c)
{
	if ((*c)->count > FEW && (*c)->count > width_of(*c) / SHARE)
		replace(pool, c, dense_copy(pool, *c, 0));
}

static void raise_sparse(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
			 uint64_t position)
{
	struct sc_clock *own;
	uint32_t i;

	sc_assert(lane < SC_CLOCK_LANES_SPARSE && position < SC_CLOCK_POSITIONS);
	own_sparse(pool, c);
	own = *c;
	i = (uint32_t)(entry_of(own, lane) - own->further);
	if (i == own->count || own->further[i].lane != lane) {
		memmove(&own->further[i + 1], &own->further[i],
			(own->count - i) * sizeof(own->further[0]));
		own->count++;
	}
	sc_assert(position > dense_at(own->base, lane));
	sc_assert(i + 1 == own->count || own->further[i + 1].lane > lane);
	own->further[i] = (struct sc_clock_entry){position, (uint16_t)lane};
	limit(pool, c);
}

/* ---- pairs ---- */

static struct sc_clock *pair_new(struct sc_clock_pool *pool, struct sc_clock *sure,
				 struct sc_clock *all)
{
	struct sc_clock *c = take(pool, sizeof(*c), 0);

	sc_assert(!sc_clock_is_pair(sure) && !sc_clock_is_pair(all));
	pool->has_pairs = 1;
	c->rank = SC_CLOCK_PAIR;
	c->sure = sc_clock_get(sure);
	c->all = sc_clock_get(all);
	return c;
}

struct sc_clock **sc_clock_doubt(struct sc_clock_pool *pool, struct sc_clock **c)
{
	if (!sc_clock_is_pair(*c) || (*c)->refs > 1)
		replace(pool, c, pair_new(pool, sc_clock_sure(*c), sc_clock_all(*c)));
	sc_assert(sc_clock_is_pair(*c) && (*c)->refs == 1);
	return &(*c)->all;
}

void sc_clock_settle(struct sc_clock_pool *pool, struct sc_clock **c)
{
	if (sc_clock_is_pair(*c) && sc_clock_is_within((*c)->all, (*c)->sure))
		sc_clock_set(pool, c, (*c)->sure);
}

static bool join_pairs(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	struct sc_clock *sure = sc_clock_get(sc_clock_sure(*c));
	struct sc_clock *all = sc_clock_get(sc_clock_all(*c));
	bool is_news = sc_clock_join(pool, &sure, sc_clock_sure(other));

	is_news |= sc_clock_join(pool, &all, sc_clock_all(other));
	if (is_news) {
		replace(pool, c, pair_new(pool, sure, all));
		sc_clock_settle(pool, c);
	}
	sc_clock_put(pool, sure);
	sc_clock_put(pool, all);
	return is_news;
}

static void raise_pair(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
		       uint64_t position)
{
	sc_clock_raise(pool, sc_clock_doubt(pool, c), lane, position);
	sc_clock_raise(pool, &(*c)->sure, lane, position);
}

void sc_clock_raise(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
		    uint64_t position)
{
	if (pool->has_pairs && sc_clock_is_pair(*c)) {
		raise_pair(pool, c, lane, position);
		return;
	}
	if (sc_clock_at(*c, lane) >= position)
		return;
	if (lane >= SC_CLOCK_LANES_MAX)
		sc_die("more than %u streams at once", SC_CLOCK_LANES_MAX);
	if (*c && version_of(*c) && (*c)->refs > 1) /* a published clock is not changed */
		replace(pool, c, sparse_new(pool, *c, 1));
	if (lane < SC_CLOCK_LANES_SPARSE && (!*c || !(*c)->is_dense)) {
		raise_sparse(pool, c, lane, position);
		return;
	}
	own_dense(pool, c, lane + 1);
	(*c)->at[lane] = position;
	sc_assert(sc_clock_at(*c, lane) == position && !(*c)->version);
}

void sc_clock_publish(struct sc_clock_pool *pool, struct sc_clock **c)
{
	if (sc_clock_is_pair(*c))
		c = sc_clock_doubt(pool, c);
	if (!*c || version_of(*c))
		return;
	own_dense(pool, c, width_of(*c));
	(*c)->version = (*c)->contains = ++pool->version;
}

void sc_clock_publish_if_last(struct sc_clock_pool *pool, struct sc_clock **c)
{
	const struct sc_clock *all = sc_clock_all(*c);

	if (all && contained(all) == pool->version && (all->is_dense || all->count >= WORTH))
		sc_clock_publish(pool, c);
}

/* ---- joining: neither side contains the other ---- */

static void join_dense(struct sc_clock_pool *pool, struct sc_clock **c,
		       const struct sc_clock *other)
{
	const struct sc_clock *flat = other->is_dense ? other : other->base;
	struct sc_clock *own;

	own_dense(pool, c, width_of(other));
	own = *c;
	if (flat && flat->version && flat->version <= own->contains)
		flat = NULL;
	for (uint32_t i = 0; flat && i < flat->count; i++)
		own->at[i] = own->at[i] > flat->at[i] ? own->at[i] : flat->at[i];
	for (uint32_t i = 0; !other->is_dense && i < other->count; i++) {
		const struct sc_clock_entry *e = &other->further[i];

		if (own->at[e->lane] < e->position)
			own->at[e->lane] = e->position;
	}
	if (own->contains < contained(other))
		own->contains = contained(other);
}

/* True if a sparse join can have the clock: it is sparse, or published and so its own base. */
static bool is_light(const struct sc_clock *c)
{
	return !c || !c->is_dense || c->version;
}

static struct sc_clock *base_of(struct sc_clock *c)
{
	return !c || c->is_dense ? c : c->base;
}

static uint32_t entries_of(const struct sc_clock *c)
{
	return c && !c->is_dense ? c->count : 0;
}

/* A merge of two clocks on the younger of their bases. */
struct merge {
	const struct sc_clock *base;
	struct sc_clock_entry *to; /* entries beyond the base */
	uint32_t count;
	bool x_knows, y_knows; /* the first clock has what the second one lacks, and vice versa */
};

static inline bool is_beyond(struct sc_clock_entry e, const uint64_t *at, uint32_t lanes)
{
	return e.lane >= lanes || e.position > at[e.lane];
}

/* Without branches that cannot be guessed: each step appends one entry, which the next step writes
 * over if the base has it. */
static void merge(struct merge *m, const struct sc_clock *c, const struct sc_clock *other)
{
	static const struct sc_clock nothing;
	const struct sc_clock_entry *x = (c ? c : &nothing)->further, *x_end = x + entries_of(c);
	const struct sc_clock_entry *y = other->further, *y_end = y + entries_of(other);
	const uint64_t *at = m->base ? m->base->at : NULL;
	uint32_t lanes = m->base ? m->base->count : 0;
	struct sc_clock_entry *to = m->to, *both, e;
	bool x_knows = 0, y_knows = 0;

	while (x < x_end && y < y_end) {
		bool has_x = x->lane <= y->lane, has_y = y->lane <= x->lane;
		bool of_x = has_x & (!has_y | (x->position > y->position));
		bool of_y = has_y & (!has_x | (y->position > x->position));
		bool stays;

		e = of_x ? *x : *y;
		*to = e;
		stays = is_beyond(e, at, lanes);
		to += stays;
		x_knows |= stays & of_x;
		y_knows |= stays & of_y;
		x += has_x;
		y += has_y;
	}
	for (both = to; x < x_end; to += is_beyond(e, at, lanes))
		*to = e = *x++;
	m->x_knows = x_knows | (to > both);
	for (both = to; y < y_end; to += is_beyond(e, at, lanes))
		*to = e = *y++;
	m->y_knows = y_knows | (to > both);
	m->count = (uint32_t)(to - m->to);
}

/* The merge gets one more entry, for which there is room. */
static void add_entry(struct merge *m, struct sc_clock_entry new)
{
	uint32_t i = m->count;

	if (dense_at(m->base, new.lane) >= new.position)
		return;
	while (i && m->to[i - 1].lane >= new.lane)
		i--;
	if (i == m->count || m->to[i].lane != new.lane) {
		memmove(&m->to[i + 1], &m->to[i], (m->count - i) * sizeof(new));
		m->to[i] = new;
		m->count++;
	} else if (m->to[i].position < new.position) {
		m->to[i] = new;
	}
}

/* *c becomes the result of a merge. */
static void take_merged(struct sc_clock_pool *pool, struct sc_clock **c, const struct merge *m)
{
	struct sc_clock *own = sparse_new(pool, (struct sc_clock *)m->base, m->count);

	memcpy(own->further, m->to, m->count * sizeof(*m->to));
	own->count = m->count;
	replace(pool, c, own);
	limit(pool, c);
}

/* In one pass over the entries of both sides; `more`: an entry besides, or NULL. True if that was
 * news. */
static bool join_light(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other,
		       const struct sc_clock_entry *more)
{
	uint64_t known = contained(*c), news = contained(other);
	uint32_t most = entries_of(*c) + entries_of(other) + 1;
	struct sc_clock_entry few[2 * FEW];
	struct merge m = {.base = base_of(known > news ? *c : other), .to = few};

	if (most > 2 * FEW)
		m.to = sc_heap_xcalloc(most, sizeof(*m.to));
	merge(&m, *c, other);
	m.y_knows |= news > known;
	m.x_knows |= known > news;
	if (more)
		add_entry(&m, *more);
	if (more || (m.x_knows && m.y_knows))
		take_merged(pool, c, &m);
	else if (m.y_knows)
		sc_clock_set(pool, c, other);
	if (m.to != few)
		free(m.to);
	return more || m.y_knows;
}

/* The same as sc_clock_is_within, but a base that is younger than the other's is not looked into.
 */
static bool is_plainly_within(const struct sc_clock *c, const struct sc_clock *other)
{
	const struct sc_clock *base = c && !c->is_dense ? c->base : c;

	if (base && base->version > contained(other))
		return 0;
	return sc_clock_is_within(c, other);
}

bool sc_clock_join(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	sc_assert(!other || other->refs > 0);
	if (!other || other == *c)
		return 0;
	if (pool->has_pairs && (sc_clock_is_pair(*c) || sc_clock_is_pair(other)))
		return join_pairs(pool, c, other);
	if (is_light(*c) && is_light(other))
		return join_light(pool, c, other, NULL);
	if (is_plainly_within(other, *c))
		return 0;
	if (is_plainly_within(*c, other))
		sc_clock_set(pool, c, other);
	else
		join_dense(pool, c, other);
	return 1;
}

void sc_clock_join_op(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *before,
		      uint32_t lane, uint64_t position)
{
	struct sc_clock_entry op = {position, (uint16_t)lane};

	sc_assert(position > 0 && position < SC_CLOCK_POSITIONS);
	if (before && lane < SC_CLOCK_LANES_SPARSE && is_light(*c) && is_light(before) &&
	    !pool->has_pairs) {
		join_light(pool, c, before, &op);
		return;
	}
	sc_clock_join(pool, c, before);
	sc_clock_raise(pool, c, lane, position);
	sc_assert(sc_clock_at(*c, lane) >= position);
}
