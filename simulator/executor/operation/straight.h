/* Straight: the short way of accesses by all lanes at addresses with constant distances, such as
 * elements side by side, or one element for all.
 *
 * Lane i's address is first + i % 8 * stride, plus jump[0] if i has the bit 8, plus jump[1] if it
 * has the bit 16: so are those of blocks 8, 16 or 32 threads wide, too, at rows and columns of a
 * matrix. For handlers that are compiled for each level.
 */
#pragma once

#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/race.h"

/* Vectors in the source, because the compiler takes the loops apart otherwise. */
typedef uint32_t exec_row4 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint64_t exec_row8 __attribute__((vector_size(32), aligned(8), may_alias));

static inline bool exec_straight_wide(const uint64_t *address, struct exec_shape *shape)
{
	uint64_t first = address[0], stride = address[1] - first;
	uint64_t jump[] = {0, address[EXEC_PIECE] - first, address[EXEC_PIECE * 2] - first, 0};
	exec_row8 begin = {first, first + stride, first + 2 * stride, first + 3 * stride};
	exec_row8 end = begin + 4 * stride, differs = {0};

	jump[3] = jump[1] + jump[2];
	for (unsigned p = 0; p < EXEC_PIECES; p++) {
		const exec_row8 *at = (const exec_row8 *)(address + (size_t)p * EXEC_PIECE);

		differs |= (at[0] ^ (begin + jump[p])) | (at[1] ^ (end + jump[p]));
	}
	*shape = (struct exec_shape){first, (int64_t)stride, {(int64_t)jump[1], (int64_t)jump[2]}};
	return !(differs[0] | differs[1] | differs[2] | differs[3]);
}

static inline bool exec_straight_narrow(const uint32_t *address, struct exec_shape *shape)
{
	uint32_t first = address[0], stride = address[1] - first;
	uint32_t jump[] = {0, address[EXEC_PIECE] - first, address[EXEC_PIECE * 2] - first, 0};
	exec_row4 lanes = {0, 1, 2, 3, 4, 5, 6, 7}, differs = {0};
	exec_row8 any;

	lanes = lanes * stride + first;
	jump[3] = jump[1] + jump[2];
	for (unsigned p = 0; p < EXEC_PIECES; p++)
		differs |=
			*(const exec_row4 *)(address + (size_t)p * EXEC_PIECE) ^ (lanes + jump[p]);
	any = (exec_row8)differs;
	*shape = (struct exec_shape){first, (int32_t)stride, {(int32_t)jump[1], (int32_t)jump[2]}};
	return !(any[0] | any[1] | any[2] | any[3]);
}

/* An access before has noted the same bytes for that use, which nobody watches. */
static inline bool exec_straight_is_noted(const struct exec_warp *w,
					  const struct exec_instruction *in,
					  const struct exec_known *k, unsigned bytes,
					  enum exec_use use)
{
	const struct exec_block *b = w->block;

	return k->is_noted && k->noted_at == k->shape.first + in->value &&
	       k->noted_bytes == bytes && k->noted_uses >> exec_noted_use(in, use) & 1 &&
	       k->noted_in == w->run->touched && !w->run->kernel->waits && k->space == in->space &&
	       in->width[1] == 8 && !b->watch && !b->sees_all &&
	       !(b->race && exec_race_may_notify(in, use));
}

/* The same as exec_straight_find for an address of which an access before has found the shape. */
static inline bool exec_straight_again(struct exec_warp *w, const struct exec_instruction *in,
				       struct exec_known *k, unsigned bytes, enum exec_use use,
				       struct exec_straight *places)
{
	bool is_read = use == EXEC_READ || use == EXEC_ATOMIC_READ;
	bool is_there = k->has_place ? k->space == in->space && (is_read || k->is_writable) &&
					       exec_known_has(k, in, bytes)
				     : exec_straight_is_noted(w, in, k, bytes, use);

	if (!is_there)
		return exec_straight_place(w, in, k, bytes, use, places);
	w->wrote |= !is_read && in->space != SC_SPACE_LOCAL;
	*places = exec_known_places(k, in);
	return 1;
}

/* Unrolled, so that the places stay in registers. */
#define EXEC_EACH_PIECE _Pragma("GCC unroll 4") for (unsigned p = 0; p < EXEC_PIECES; p++)

static inline bool exec_shape_alike(const struct exec_shape *a, const struct exec_shape *b)
{
	return !((a->stride ^ b->stride) | (a->jump[0] ^ b->jump[0]) | (a->jump[1] ^ b->jump[1]));
}

/* The same for a shape at another address than before, as in loops. False: nothing has happened. */
static inline bool exec_straight_move(struct exec_warp *w, const struct exec_instruction *in,
				      struct exec_known *k, const struct exec_shape *s,
				      unsigned bytes, enum exec_use use,
				      struct exec_straight *places)
{
	bool is_read = use == EXEC_READ || use == EXEC_ATOMIC_READ;

	if (!k->has_place || !k->is_lasting || k->space != in->space ||
	    (!is_read && !k->is_writable) || w->block->watch || w->block->sees_all ||
	    (w->block->race && exec_race_may_notify(in, use)) || !exec_shape_alike(&k->shape, s))
		return 0;
	if (in->width[1] != 8 && (k->before > s->first || s->first + k->after > UINT32_MAX))
		return 0;
	k->shape.first = s->first;
	if (!exec_known_has(k, in, bytes))
		return 0;
	w->wrote |= !is_read;
	*places = exec_known_places(k, in);
	return 1;
}

/* Finds `bytes` (a power of two) at the instruction's address (slot 1) for all lanes. False: it
 * takes the long way (exec_places_find), and nothing has happened. */
static inline __attribute__((always_inline)) bool
exec_straight_find(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		   enum exec_use use, struct exec_straight *places)
{
	const void *address = exec_lanes(w, in->slot[1]);
	struct exec_known *k = &w->known[in->known];
	struct exec_shape shape;

	if (in->again && k->is_known && k->slot == in->slot[1])
		return exec_straight_again(w, in, k, bytes, use, places);
	k->slot = in->slot[1];
	k->is_known = in->width[1] == 8 ? exec_straight_wide(address, &shape)
					: exec_straight_narrow(address, &shape);
	if (!k->is_known)
		return 0;
	if (exec_straight_move(w, in, k, &shape, bytes, use, places))
		return 1;
	k->shape = shape;
	return exec_straight_place(w, in, k, bytes, use, places);
}
