/* Straight: the short way of accesses by all lanes at addresses with a constant distance, such as
 * elements side by side, or one element for all. For handlers that are compiled for each level. */
#ifndef EXEC_STRAIGHT_H
#define EXEC_STRAIGHT_H

#include "simulator/executor/memory.h"

/* So that no address between the first and the last one lies outside of these two. */
#define EXEC_STRIDE_MOST (INT64_C(1) << 32)

static inline bool exec_straight_wide(const uint64_t *address, int64_t *stride)
{
	uint64_t first = address[0], step = address[1] - first, differs = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		differs |= address[i] ^ (first + i * step);
	*stride = (int64_t)step;
	return !differs && *stride<EXEC_STRIDE_MOST && * stride> - EXEC_STRIDE_MOST;
}

static inline bool exec_straight_narrow(const uint32_t *address, int64_t *stride)
{
	uint32_t first = address[0], step = address[1] - first, differs = 0;

	for (uint32_t i = 0; i < EXEC_LANES; i++)
		differs |= address[i] ^ (first + i * step);
	*stride = (int32_t)step;
	/* Addresses do not wrap around. */
	return !differs && first + (EXEC_LANES - 1) * *stride == address[EXEC_LANES - 1];
}

/* Finds `bytes` (a power of two) at the instruction's address (slot 1) for all lanes. False: it
 * takes the long way (exec_places_find), and nothing has happened. */
static inline bool exec_straight_find(struct exec_warp *w, const struct exec_instruction *in,
				      unsigned bytes, enum exec_use use,
				      struct exec_straight *places)
{
	const void *base = exec_lanes(w, in->slot[1]);
	uint64_t first;
	int64_t stride;

	if (in->width[1] == 8 ? !exec_straight_wide(base, &stride)
			      : !exec_straight_narrow(base, &stride))
		return 0;
	first = in->value + (in->width[1] == 8 ? *(const uint64_t *)base : *(const uint32_t *)base);
	return !((first | (uint64_t)stride) & (bytes - 1)) &&
	       exec_straight_place(w, in, first, stride, bytes, use, places);
}

#endif
