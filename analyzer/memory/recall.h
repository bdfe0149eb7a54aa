/* Recall: the memory that bytes belong to, from the span of exactly these bytes, without a search
 * among the allocations; part of analyzer/memory/memory.h.
 */
#ifndef SC_ANALYZER_MEMORY_RECALL_H
#define SC_ANALYZER_MEMORY_RECALL_H

#include "analyzer/memory/memory.h"

/* The allocation of a history that is no implicit object's. */
static inline struct sc_allocation *sc_history_memory(const struct sc_history *h)
{
	return (struct sc_allocation *)((char *)h - offsetof(struct sc_allocation, history));
}

/* The span of exactly these bytes in a live allocation, at its home address, if it was looked up
 * lately; NULL says nothing. */
static inline struct sc_span *sc_memory_span(struct sc_memory_map *m, uint64_t first, uint64_t end)
{
	struct sc_span *s = sc_span_anywhere(&m->notes, first, end);
	const struct sc_range *home;

	if (!s)
		return NULL;
	home = &sc_history_memory(sc_span_history(s))->home.range;
	return first >= home->start && first < home->end ? s : NULL;
}

#endif
