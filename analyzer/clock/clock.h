/* Clocks: what is known to be complete, one number per lane.
 *
 * A lane is the time line of a stream; the number is the trace position (sequence number + 1) up to
 * which the lane's ops are complete. Naive form: a map lane -> position, joined by taking maxima.
 * Here clocks are counted, shared and never changed while shared (copy on write), so that handing
 * one on costs a count, and the empty clock is NULL. Clocks are closed: a clock that has the end of
 * an op has everything that the op waited for.
 *
 * Two forms. A dense clock has a number for every lane. A sparse one has a base, which is a
 * published clock, and a few lanes that have come further than the base. The host publishes its
 * clock whenever it has learned something; published clocks form a line, each contains the ones
 * before, so of two bases the younger is the join. What a stream knows is then what the host knew
 * and the few streams that it exchanges events with, however many streams there are. Between the
 * processes of a run, a collective publishes what all knew.
 *
 * A clock in doubt is a pair of clocks: what is known for sure, and all that is known, which has
 * more by luck (E-6: what an allocator heard). Joins and raises keep both; what asks a clock gets
 * all. A pair both of whose clocks have become the same is a plain clock again.
 *
 * The naive form is kept in tests/unit/analyzer/test_clock.c and compared. Costs: sc_clock_at one
 * load if dense, a search among the few if sparse; a join that changes something one pass over the
 * entries of both sides, over all lanes only where one side is dense and not published.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/assert.h"
#include "base/slab.h"

#define SC_CLOCK_LEAVING   16
#define SC_CLOCK_RANKS	   25
#define SC_CLOCK_PAIR	   31 /* as a rank: a pair, of the smallest size */
#define SC_CLOCK_LANES_MAX (UINT32_C(1) << 26)

/* A position is below this, so that it fits an entry of a sparse clock. */
#define SC_CLOCK_POSITIONS (UINT64_C(1) << 48)

/* Later lanes are in dense clocks only. */
#define SC_CLOCK_LANES_SPARSE ((uint32_t)UINT16_MAX + 1)

/* Of eight bytes, so that a clock of six lanes beyond its base is one cache line. */
struct sc_clock_entry {
	uint64_t position : 48; /* below SC_TRACE_SLOTS_MAX */
	uint64_t lane : 16;
};
_Static_assert(sizeof(struct sc_clock_entry) == sizeof(uint64_t), "one word");

struct sc_clock {
	uint32_t refs;
	uint32_t count : 26;   /* dense: lanes, others are 0; sparse: entries */
	uint32_t rank : 5;     /* by its size */
	uint32_t is_dense : 1; /* has the second of these, else the first */
	union {
		struct {
			struct sc_clock *sure, *all; /* owned, of a pair: no pairs; or NULL */
		};
		struct {
			struct sc_clock *base;		  /* owned; NULL or a published clock */
			struct sc_clock_entry further[0]; /* by lane, each beyond the base */
		};
		struct {
			uint64_t version;  /* in the line of published clocks; 0: not published */
			uint64_t contains; /* version of the youngest published clock in it */
			uint64_t at[0];
		};
	};
};

/* Where clocks come from and go back to. An empty pool is all zero. */
struct sc_clock_pool {
	struct sc_slab slabs[SC_CLOCK_RANKS]; /* by size */
	uint64_t version;		      /* of the last published clock */
	bool has_pairs;			      /* there was one */
	struct sc_clock
		*leaving[SC_CLOCK_LEAVING]; /* counted: a ring of clocks to be put, or NULL */
	uint32_t left;			    /* how many were put there ever */
};

void sc_clock_pool_fini(struct sc_clock_pool *pool);

static inline bool sc_clock_is_pair(const struct sc_clock *c)
{
	return c && c->rank == SC_CLOCK_PAIR;
}
/* What is known for sure, and all that is known; borrowed. */
static inline struct sc_clock *sc_clock_sure(struct sc_clock *c)
{
	return sc_clock_is_pair(c) ? c->sure : c;
}
static inline struct sc_clock *sc_clock_all(struct sc_clock *c)
{
	return sc_clock_is_pair(c) ? c->all : c;
}

/* The lane's position in a sparse clock, or a pair. */
uint64_t sc_clock_search(const struct sc_clock *c, uint32_t lane);

static inline uint64_t sc_clock_at(const struct sc_clock *c, uint32_t lane)
{
	if (!c)
		return 0;
	if (c->is_dense)
		return lane < c->count ? c->at[lane] : 0;
	return sc_clock_search(c, lane);
}

static inline struct sc_clock *sc_clock_get(struct sc_clock *c)
{
	if (c)
		c->refs++;
	return c;
}

/* Nothing refers to the clock any more. */
void sc_clock_drop(struct sc_clock_pool *pool, struct sc_clock *c);
static inline void sc_clock_put(struct sc_clock_pool *pool, struct sc_clock *c)
{
	sc_assert(!c || c->refs > 0);
	if (c && !--c->refs)
		sc_clock_drop(pool, c);
}
/* The same some time later, when the clock has come into the cache: for clocks that were not used
 * for long. Without this an analysis of 256 streams takes 20 % longer. */
static inline void sc_clock_put_later(struct sc_clock_pool *pool, struct sc_clock *c)
{
	struct sc_clock **place = &pool->leaving[pool->left++ % SC_CLOCK_LEAVING], *old = *place;

	*place = c;
	__builtin_prefetch(c, 1);
	sc_clock_put(pool, old);
}
/* Replaces *c by another clock (counted up). */
void sc_clock_set(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other);
/* *c learns that the lane is complete up to `position`. */
void sc_clock_raise(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
		    uint64_t position);
/* *c learns everything in `other`; true if that was news, or if `other` rests on a published clock
 * that *c does not rest on. */
bool sc_clock_join(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other);
/* *c learns everything in `before`, and an op that came after that. */
void sc_clock_join_op(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *before,
		      uint32_t lane, uint64_t position);
/* True if all of `c` is in `other`. */
bool sc_clock_is_within(const struct sc_clock *c, const struct sc_clock *other);
/* Makes *c a pair of its own; the place of all that is known, which may learn more by luck: from
 * clocks that are no pairs. */
struct sc_clock **sc_clock_doubt(struct sc_clock_pool *pool, struct sc_clock **c);
/* Makes *c a plain clock if it is a pair whose two clocks are the same. */
void sc_clock_settle(struct sc_clock_pool *pool, struct sc_clock **c);
/* Puts *c, of a pair all that is known, at the end of the pool's line. It must contain all clocks
 * published before. */
void sc_clock_publish(struct sc_clock_pool *pool, struct sc_clock **c);
/* The same if *c contains all clocks published before; else nothing. */
void sc_clock_publish_if_last(struct sc_clock_pool *pool, struct sc_clock **c);
