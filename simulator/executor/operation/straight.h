/* Straight: the short way of accesses by all lanes at addresses with constant distances, such as
 * elements side by side, or one element for all.
 *
 * Lane i's address is first + i % 8 * stride, plus jump[0] if i has the bit 8, plus jump[1] if it
 * has the bit 16: so are those of blocks 8, 16 or 32 threads wide, too, at rows and columns of a
 * matrix. For handlers that are compiled for each level.
 */
#pragma once

#include "simulator/executor/memory.h"

/* Vectors in the source, because the compiler takes the loops apart otherwise. */
#define SHAPE(id, T, SIGNED)                                                                      \
	static inline bool id(const T *address, struct exec_shape *shape)                         \
	{                                                                                         \
		typedef T vector __attribute__((vector_size(32), aligned(sizeof(T)), may_alias)); \
		const unsigned each = sizeof(vector) / sizeof(T);                                 \
		T first = address[0], stride = address[1] - first, any = 0;                       \
		T low = address[EXEC_PIECE] - first, high = address[EXEC_PIECE * 2] - first;      \
		vector steps = {0}, differs = {0};                                                \
		for (unsigned i = 0; i < each; i++)                                               \
			steps[i] = i * stride;                                                    \
		for (unsigned i = 0; i < EXEC_LANES; i += each) {                                 \
			T at = first + (i & EXEC_PIECE ? low : 0) +                               \
			       (i & EXEC_PIECE * 2 ? high : 0) + i % EXEC_PIECE * stride;         \
			differs |= *(const vector *)(address + i) ^ (steps + at);                 \
		}                                                                                 \
		for (unsigned i = 0; i < each; i++)                                               \
			any |= differs[i];                                                        \
		*shape = (struct exec_shape){first, (SIGNED)stride, {(SIGNED)low, (SIGNED)high}}; \
		return !any;                                                                      \
	}
SHAPE(exec_straight_wide, uint64_t, int64_t)
SHAPE(exec_straight_narrow, uint32_t, int32_t)
#undef SHAPE

/* Finds `bytes` (a power of two) at the instruction's address (slot 1) for all lanes. False: it
 * takes the long way (exec_places_find), and nothing has happened. */
static inline bool exec_straight_find(struct exec_warp *w, const struct exec_instruction *in,
				      unsigned bytes, enum exec_use use,
				      struct exec_straight *places)
{
	const void *address = exec_lanes(w, in->slot[1]);
	struct exec_shape shape;

	return (in->width[1] == 8 ? exec_straight_wide(address, &shape)
				  : exec_straight_narrow(address, &shape)) &&
	       exec_straight_place(w, in, &shape, bytes, use, places);
}
