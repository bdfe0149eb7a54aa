/* Transforms: the bytes that cuFFT's functions read and write, as its manual lays data out.
 *
 * A plan says how often, over which sizes and with which steps between elements; an execution adds
 * two addresses. Nothing here looks at memory or asks a library.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/attach.h"

#define SC_TRANSFORM_RANK     3
#define SC_TRANSFORM_ACCESSES 4 /* of one execution, at most */

/* One side of a transform, input or output. */
struct sc_transform_side {
	int type;			  /* enum sc_vendor_type */
	int64_t embed[SC_TRANSFORM_RANK]; /* sizes of the array that it lies in */
	int64_t step, distance;		  /* elements: to the next one, to the next transform */
};

struct sc_transform {
	int rank;
	int64_t size[SC_TRANSFORM_RANK]; /* outermost first, in elements of the real side */
	int64_t batch;
	bool is_plain; /* the sides have no layout of their own: embed, step and distance are unset
			*/
	struct sc_transform_side in, out;
};

/* Types of both sides by cuFFT's type of a transform; false: there is no such type. */
bool sc_transform_set_type(struct sc_transform *t, int type);
/* What an execution touches; returns how many accesses, 0: it is not known, or nothing. */
unsigned sc_transform_bytes(const struct sc_transform *t, const void *in, const void *out,
			    struct sc_access list[SC_TRANSFORM_ACCESSES]);
