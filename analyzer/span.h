/* Spans: the touched bytes of an object, cut where touches begin and end; part of history.h.
 *
 * Disjoint and in order, each with the touches that nothing newer on all of its bytes replaces.
 */
#ifndef SC_ANALYZER_SPAN_H
#define SC_ANALYZER_SPAN_H

#include "analyzer/range.h"
#include "analyzer/touch.h"

struct sc_span {
	struct sc_range range;		    /* first */
	SC_VECTOR(struct sc_touch) touches; /* references of their own */
};

/* An empty set is all zero. */
struct sc_spans {
	struct sc_ranges ranges; /* struct sc_span, owned */
	struct sc_range *found;	 /* borrowed: the exact span that was looked up last, or NULL */
};

/* The lowest span that ends above the address, or NULL. */
static inline struct sc_span *sc_span_from(const struct sc_spans *all, uint64_t address)
{
	return (struct sc_span *)sc_ranges_from(&all->ranges, address);
}
/* The span of exactly these bytes, or NULL. */
struct sc_span *sc_span_exact(struct sc_spans *all, uint64_t first, uint64_t end);
/* A span of bytes that belong to none, with one touch. */
void sc_span_new(struct sc_spans *all, uint64_t first, uint64_t end, const struct sc_touch *touch);
void sc_span_free(struct sc_spans *all, struct sc_notes *notes, struct sc_span *s);
/* Cuts the span that contains `at` in two, so that one begins there. */
void sc_span_cut(struct sc_spans *all, uint64_t at);
void sc_spans_fini(struct sc_spans *all, struct sc_notes *notes);

#endif
