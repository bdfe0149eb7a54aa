/* Span index: finds the span of exactly some bytes, whatever object the bytes belong to; part of
 * span.h.
 *
 * Naive form: a search for the object of the bytes, then among its spans. Most ops use bytes that
 * were used before, so the spans that were looked up last are kept by their bytes. The memory of a
 * span stays a span until all are freed, so a span that was freed can be recognized.
 */
#pragma once

#include <stdint.h>
#include "base/slab.h"

#define SC_SPAN_INDEX_LOG 14

struct sc_span;

/* An empty one is all zero. */
struct sc_span_index {
	struct sc_slab slab;				/* of all spans */
	struct sc_span *recent[1 << SC_SPAN_INDEX_LOG]; /* borrowed, perhaps freed: in pairs */
};

/* The pair of spans where that of these bytes is, if it was looked up lately. The upper bits of the
 * product spread what is evenly spaced, as tiles are. */
static inline struct sc_span **sc_span_index_pair(struct sc_span_index *index, uint64_t first,
						  uint64_t end)
{
	uint64_t mixed = (3 * end - 2 * first) * UINT64_C(0x9E3779B97F4A7C15);

	return &index->recent[mixed >> (64 - SC_SPAN_INDEX_LOG) & ~UINT64_C(1)];
}
