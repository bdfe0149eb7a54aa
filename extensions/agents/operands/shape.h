/* Shapes: elements in several dimensions, each with a step, as the bytes of one access.
 *
 * Dimensions are added in any order, in elements; sc_shape_bytes() joins those that follow each
 * other without a gap. What is left of at most two dimensions is said exactly, as rows and slices;
 * of more, or of rows that overlap, from the first byte to the last one, as an upper bound.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/attach.h"

#define SC_SHAPE_DIMENSIONS 8

/* `count` pieces, `step` bytes from one to the next. */
struct sc_shape_dimension {
	uint64_t count, step;
};

struct sc_shape {
	struct sc_shape_dimension dimension[SC_SHAPE_DIMENSIONS]; /* smallest steps first */
	unsigned count;
	bool is_senseless; /* a count or step below 1, too large numbers, or too many dimensions */
};

/* Adds a dimension of `count` elements, `step` elements of `element` bytes apart. */
void sc_shape_add(struct sc_shape *s, int64_t count, int64_t step, unsigned element);
/* Fills in the bytes of an access whose base and width are those of the first element; false if the
 * shape makes no sense, or does not lie in the address space. Uses the shape up. */
bool sc_shape_bytes(struct sc_shape *s, struct sc_access *out);
/* Whether all of an access lies in the address space. */
bool sc_shape_fits(const struct sc_access *a);
