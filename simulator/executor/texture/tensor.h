/* Tensor maps: what the driver writes into the 128 bytes that programs hand to kernels, and the
 * copies of tiles read. Ours alone: the bytes say nothing to a real device.
 *
 * Kernels may make up such bytes, so whoever reads them checks them (exec_tensor_is_good).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/isa.h"

#define EXEC_TENSOR_MAGIC UINT64_C(0x70616d726f736e74) /* "tnsormap" */
#define EXEC_TENSOR_RANK  5
#define EXEC_TENSOR_SPACE \
	(EXEC_TENSOR_RANK - 2) /* dimensions of pixels: neither channels nor images */
#define EXEC_TENSOR_PIXELS_MOST 1024
#define EXEC_TENSOR_PIECE	16	     /* bytes that a swizzle keeps together */
#define EXEC_TENSOR_MOST	(228U << 10) /* bytes of a tile: all shared memory of a processor */

/* What a copy passes: a box of elements, or some channels of pixels in a row (im2col). */
enum exec_tensor_kind { EXEC_TENSOR_TILES, EXEC_TENSOR_PIXELS };

struct exec_tensor {
	uint64_t magic;
	uint64_t address;
	uint64_t stride[EXEC_TENSOR_RANK - 1]; /* bytes, of all dimensions but the first */
	uint32_t last[EXEC_TENSOR_RANK];       /* index of the last element in each dimension */
	uint16_t box[EXEC_TENSOR_RANK];	       /* elements that are passed in each dimension; of
						  pixels the first one only: channels */
	uint16_t pixels;		       /* that a copy passes */
	int16_t lower[EXEC_TENSOR_SPACE];      /* of pixels: where they may begin, from the */
	int16_t upper[EXEC_TENSOR_SPACE];      /* tensor's first and last one */
	uint8_t step[EXEC_TENSOR_RANK];	       /* of which so many-th ones are copied */
	uint8_t rank;
	uint8_t kind; /* enum exec_tensor_kind */
	uint8_t type; /* enum sc_ptx_type, as kernels compute with it */
	uint8_t element_bytes;
	uint8_t swizzle;   /* 0, or log2 of the pieces that change places: 1 to 3 */
	uint8_t fills_nan; /* what lies outside is no number, else zero */
	uint8_t rounds;	   /* to tf32 what is loaded */
	uint8_t flushes;   /* subnormal sums of single precision */
	uint8_t unused[22];
};

_Static_assert(sizeof(struct exec_tensor) == 128, "a CUtensorMap");

/* Elements of a tile in one dimension. */
static inline uint32_t exec_tensor_extent(const struct exec_tensor *t, unsigned d)
{
	return ((uint32_t)t->box[d] + t->step[d] - 1) / t->step[d];
}

/* Bytes of a row of elements, or of a pixel. */
static inline uint32_t exec_tensor_row(const struct exec_tensor *t)
{
	return (uint32_t)t->box[0] * t->element_bytes;
}

/* From row to row in shared memory: what is swizzled counts whole. */
static inline uint32_t exec_tensor_pitch(const struct exec_tensor *t)
{
	return t->swizzle ? (UINT32_C(1) << t->swizzle) * EXEC_TENSOR_PIECE : exec_tensor_row(t);
}

static inline uint32_t exec_tensor_row_count(const struct exec_tensor *t)
{
	uint64_t rows = 1;

	if (t->kind == EXEC_TENSOR_PIXELS)
		return t->pixels;
	for (unsigned d = 1; d < t->rank && rows <= EXEC_TENSOR_MOST; d++)
		rows *= exec_tensor_extent(t, d);
	return rows <= EXEC_TENSOR_MOST ? (uint32_t)rows : UINT32_MAX;
}

/* What a barrier counts. */
static inline uint32_t exec_tensor_bytes(const struct exec_tensor *t)
{
	uint64_t bytes = (uint64_t)exec_tensor_row(t) * exec_tensor_row_count(t);

	return bytes <= EXEC_TENSOR_MOST ? (uint32_t)bytes : UINT32_MAX;
}

/* Are its elements of the size of their type? */
static inline bool exec_tensor_is_typed(const struct exec_tensor *t)
{
	return t->type && t->type < SC_TYPES && t->element_bytes <= 8 &&
	       sc_type_bits(t->type) == 8U * t->element_bytes &&
	       (t->type == SC_TYPE_F32 || (!t->rounds && !t->flushes));
}

/* Can it be executed? */
static inline bool exec_tensor_is_good(const struct exec_tensor *t)
{
	bool has_pixels = t->kind == EXEC_TENSOR_PIXELS;

	if (t->magic != EXEC_TENSOR_MAGIC || !t->rank || t->rank > EXEC_TENSOR_RANK ||
	    t->swizzle > 3 || t->kind > EXEC_TENSOR_PIXELS ||
	    (has_pixels && (t->rank < 3 || !t->pixels || t->pixels > EXEC_TENSOR_PIXELS_MOST)))
		return 0;
	for (unsigned d = 0; d < t->rank; d++)
		if ((!t->box[d] && (!has_pixels || !d)) || t->box[d] > 256 || !t->step[d] ||
		    t->step[d] > 8)
			return 0;
	return exec_tensor_is_typed(t) && t->step[0] == 1 &&
	       exec_tensor_row(t) % EXEC_TENSOR_PIECE == 0 &&
	       exec_tensor_row(t) <= exec_tensor_pitch(t) &&
	       exec_tensor_bytes(t) <= EXEC_TENSOR_MOST;
}
