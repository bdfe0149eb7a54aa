/* Tensor maps: what the driver writes into the 128 bytes that programs hand to kernels, and the
 * copies of tiles read. Ours alone: the bytes say nothing to a real device.
 *
 * Kernels may make up such bytes, so whoever reads them checks them (exec_tensor_is_good).
 */
#ifndef EXEC_TENSOR_H
#define EXEC_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#define EXEC_TENSOR_MAGIC UINT64_C(0x70616d726f736e74) /* "tnsormap" */
#define EXEC_TENSOR_RANK  5
#define EXEC_TENSOR_PIECE 16		   /* bytes that a swizzle keeps together */
#define EXEC_TENSOR_MOST  ((1U << 20) - 1) /* bytes of a tile */

struct exec_tensor {
	uint64_t magic;
	uint64_t address;
	uint64_t stride[EXEC_TENSOR_RANK - 1]; /* bytes, of all dimensions but the first */
	uint32_t last[EXEC_TENSOR_RANK];       /* index of the last element in each dimension */
	uint16_t box[EXEC_TENSOR_RANK];	       /* elements that are passed in each dimension */
	uint8_t step[EXEC_TENSOR_RANK];	       /* of which so many-th ones are copied */
	uint8_t rank;
	uint8_t type; /* enum sc_ptx_type */
	uint8_t element_bytes;
	uint8_t swizzle;    /* 0, or log2 of the pieces that change places: 1 to 3 */
	uint8_t fills_ones; /* what lies outside has all bits, else none */
	uint8_t unused[40];
};

_Static_assert(sizeof(struct exec_tensor) == 128, "a CUtensorMap");

/* Elements of a tile in one dimension. */
static inline uint32_t exec_tensor_extent(const struct exec_tensor *t, unsigned d)
{
	return ((uint32_t)t->box[d] + t->step[d] - 1) / t->step[d];
}

static inline uint32_t exec_tensor_bytes(const struct exec_tensor *t)
{
	uint64_t bytes = t->element_bytes;

	for (unsigned d = 0; d < t->rank && bytes <= EXEC_TENSOR_MOST; d++)
		bytes *= exec_tensor_extent(t, d);
	return bytes <= EXEC_TENSOR_MOST ? (uint32_t)bytes : UINT32_MAX;
}

/* Can it be executed? */
static inline bool exec_tensor_is_good(const struct exec_tensor *t)
{
	uint32_t size = t->element_bytes, row;

	if (t->magic != EXEC_TENSOR_MAGIC || !t->rank || t->rank > EXEC_TENSOR_RANK ||
	    (size != 1 && size != 2 && size != 4 && size != 8) || t->swizzle > 3)
		return 0;
	for (unsigned d = 0; d < t->rank; d++)
		if (!t->box[d] || t->box[d] > 256 || !t->step[d] || t->step[d] > 8)
			return 0;
	row = t->box[0] * size;
	return t->step[0] == 1 && row % EXEC_TENSOR_PIECE == 0 &&
	       (!t->swizzle || row == (UINT32_C(1) << t->swizzle) * EXEC_TENSOR_PIECE) &&
	       exec_tensor_bytes(t) <= EXEC_TENSOR_MOST;
}

#endif
