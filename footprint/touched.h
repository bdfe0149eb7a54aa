/* Touched: a set of bytes that grows by spans, and becomes strided ranges. */
#ifndef SC_FOOTPRINT_TOUCHED_H
#define SC_FOOTPRINT_TOUCHED_H

#include <stdbool.h>
#include "footprint/footprint.h"
#include "base/vector.h"

struct sc_touched_span {
	int64_t first, end;
};

/* An empty set is all zero. */
struct sc_touched_bytes {
	SC_VECTOR(struct sc_touched_span) spans;
	size_t tidy; /* so many of them when they were last put together */
};

/* Adds [first, end); false if *room, the number of spans that may be kept, is used up. */
bool sc_touched_add(struct sc_touched_bytes *t, int64_t first, int64_t end, size_t *room);
void sc_touched_fini(struct sc_touched_bytes *t);
/* Drops what the other set covers. */
void sc_touched_drop(struct sc_touched_bytes *t, struct sc_touched_bytes *other);
/* Puts the spans together and appends them as ranges like `like`; false if that takes more than
 * `most` ranges, then `*hull` is one range that covers all of them. */
bool sc_touched_emit(struct sc_touched_bytes *t, const struct sc_footprint_range *like, size_t most,
		     struct sc_footprint_range *ranges, size_t *count,
		     struct sc_footprint_range *hull);

#endif
