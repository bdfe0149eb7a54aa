/* Byte sets: sets of bytes that grow by spans, and become strided ranges. */
#pragma once

#include <stdbool.h>
#include "footprint/footprint.h"
#include "base/vector.h"

struct sc_byte_span {
	int64_t first, end;
};

/* An empty set is all zero. */
struct sc_byte_set {
	SC_VECTOR(struct sc_byte_span) spans;
	size_t tidy; /* so many of them when they were last put together */
};

/* Adds [first, end); false if *room, the number of spans that may be kept, is used up. */
bool sc_byte_set_add(struct sc_byte_set *t, int64_t first, int64_t end, size_t *room);
void sc_byte_set_fini(struct sc_byte_set *t);
/* Drops what the other set covers. */
void sc_byte_set_drop(struct sc_byte_set *t, struct sc_byte_set *other);
/* Puts the spans together and appends them as ranges like `like`; false if that takes more than
 * `most` ranges, then `*hull` is one range that covers all of them. */
bool sc_byte_set_emit(struct sc_byte_set *t, const struct sc_footprint_range *like, size_t most,
		      struct sc_footprint_range *ranges, size_t *count,
		      struct sc_footprint_range *hull);
