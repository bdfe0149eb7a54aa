/* Places: where spans lie, and where they are found by their bytes; part of span.h.
 *
 * Naive form: a search in the ranges of the object. A span lies at the home of its bytes, or in the
 * home beside, if one of them is free, so the bytes give the span's address; the others lie in a
 * slab, and those that were looked up lately are remembered. With more spans than homes most would
 * be elsewhere, and homes are not searched. Memory of a span stays until all are freed, so a stale
 * span can be recognized.
 */
#ifndef SC_ANALYZER_MEMORY_PLACES_H
#define SC_ANALYZER_MEMORY_PLACES_H

#include <stdint.h>
#include "base/slab.h"

#define SC_PLACES_HOMES_LOG  14
#define SC_PLACES_HOMES	     (1 << SC_PLACES_HOMES_LOG)
#define SC_PLACES_RECENT_LOG 15
#define SC_PLACES_RECENT     (1 << SC_PLACES_RECENT_LOG)

struct sc_span;

/* Empty ones are all zero. */
struct sc_places {
	struct sc_span *homes; /* borrowed from `memory`; NULL: not to be looked at */
	void *memory;	       /* owned, or NULL */
	struct sc_slab slab;
	size_t count;				  /* spans that are in use */
	struct sc_span *recent[SC_PLACES_RECENT]; /* borrowed, perhaps stale: by their bytes */
};

void sc_places_fini(struct sc_places *p);
/* A place for a span of these bytes; its content is undefined. */
struct sc_span *sc_places_take(struct sc_places *p, uint64_t first, uint64_t end);
/* Gives one back, whose owner is gone already. */
void sc_places_give(struct sc_places *p, struct sc_span *s);

/* The upper bits of the product spread what is evenly spaced, as tiles are. */
static inline uint64_t sc_places_mixed(uint64_t first, uint64_t end)
{
	return (3 * end - 2 * first) * UINT64_C(0x9E3779B97F4A7C15);
}

/* The number of the bytes' home, if there are homes; the home beside is number ^ 1. */
static inline uint64_t sc_places_home(uint64_t first, uint64_t end)
{
	return sc_places_mixed(first, end) >> (64 - SC_PLACES_HOMES_LOG);
}

/* The two places where the span of these bytes was when they were looked up last. */
static inline struct sc_span **sc_places_recent(struct sc_places *p, uint64_t first, uint64_t end)
{
	uint64_t mixed = sc_places_mixed(first, end);

	return &p->recent[mixed >> (64 - SC_PLACES_RECENT_LOG) & ~UINT64_C(1)];
}

#endif
