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

/* The same for an address of which an access before has found the shape. */
static inline bool exec_straight_again(struct exec_warp *w, const struct exec_instruction *in,
				       struct exec_known *k, unsigned bytes, enum exec_use use,
				       struct exec_straight *places)
{
	bool is_read = use == EXEC_READ || use == EXEC_ATOMIC_READ;

	if (!k->has_place || k->space != in->space || (!is_read && !k->is_writable) ||
	    !exec_known_has(k, in, bytes))
		return exec_straight_place(w, in, k, bytes, use, places);
	w->wrote |= !is_read && in->space != SC_SPACE_LOCAL;
	*places = exec_known_places(k, in);
	return 1;
}

/* Finds `bytes` (a power of two) at the instruction's address (slot 1) for all lanes. False: it
 * takes the long way (exec_places_find), and nothing has happened. */
static inline bool exec_straight_find(struct exec_warp *w, const struct exec_instruction *in,
				      unsigned bytes, enum exec_use use,
				      struct exec_straight *places)
{
	const void *address = exec_lanes(w, in->slot[1]);
	struct exec_known *k = &w->known[in->known];

	if (in->again && k->is_known && k->slot == in->slot[1])
		return exec_straight_again(w, in, k, bytes, use, places);
	k->slot = in->slot[1];
	k->is_known = in->width[1] == 8 ? exec_straight_wide(address, &k->shape)
					: exec_straight_narrow(address, &k->shape);
	return k->is_known && exec_straight_place(w, in, k, bytes, use, places);
}

/* Reads that some lanes make at one address (of their own memory, if it is local). All lanes get a
 * place, those that do not take part in the same piece of memory. False: it takes the long way, and
 * nothing has happened. */
static inline bool exec_uniform_find(struct exec_warp *w, const struct exec_instruction *in,
				     uint32_t mask, unsigned bytes, struct exec_straight *places)
{
	const uint64_t *wide = exec_lanes(w, in->slot[1]);
	const uint32_t *narrow = exec_lanes(w, in->slot[1]);
	unsigned any = (unsigned)__builtin_ctz(mask);
	uint64_t first = in->width[1] == 8 ? wide[any] : narrow[any], differs = 0;
	uint32_t low = (uint32_t)first, differs_low = 0;
	struct exec_region r;
	struct exec_places one;
	char *at;

	if (in->width[1] == 8)
		EXEC_EACH_LANE
	differs |= (mask & exec_bits[i]) == exec_bits[i] ? wide[i] ^ first : 0;
	else EXEC_EACH_LANE differs_low |=
		(mask & exec_bits[i]) == exec_bits[i] ? narrow[i] ^ low : 0;
	first += in->value;
	if (differs || differs_low || first & (bytes - 1) ||
	    !exec_memory_region(w, in, first, in->use, &r) || r.size_bytes < bytes ||
	    first - r.base > r.size_bytes - bytes)
		return 0;
	EXEC_EACH_LANE
	one.address[i] = first;
	exec_memory_note(w, in, mask, bytes, in->use, &r, &one);
	at = (char *)((uintptr_t)r.bytes + (first - r.base));
	for (unsigned p = 0; p < EXEC_PIECES; p++)
		places->piece[p] = at + (size_t)p * EXEC_PIECE * r.apart;
	places->stride = r.apart;
	return 1;
}

/* Lanes of any addresses, all in one piece of memory. False: it takes the long way, and nothing has
 * happened. */
static inline bool exec_lanes_find(struct exec_warp *w, const struct exec_instruction *in,
				   uint32_t mask, unsigned bytes, enum exec_use use,
				   struct exec_places *p)
{
	const uint64_t *wide = exec_lanes(w, in->slot[1]);
	const uint32_t *narrow = exec_lanes(w, in->slot[1]);
	unsigned any = (unsigned)__builtin_ctz(mask);
	uint64_t outside = 0, odd = 0, last, first;
	struct exec_region r;

	first = (in->width[1] == 8 ? wide[any] : narrow[any]) + in->value;
	if (!exec_memory_region(w, in, first, use, &r) || r.size_bytes < bytes)
		return 0;
	last = r.size_bytes - bytes;
	if (in->width[1] == 8)
		EXEC_EACH_LANE
	p->address[i] = (mask & exec_bits[i]) == exec_bits[i] ? wide[i] + in->value : first;
	else EXEC_EACH_LANE p->address[i] =
		(mask & exec_bits[i]) == exec_bits[i] ? narrow[i] + in->value : first;
	EXEC_EACH_LANE
	{
		uint64_t at = p->address[i] - r.base;

		outside |= at | (last - at); /* the sign: one of them is negative */
		odd |= p->address[i];
		p->lane[i] = (char *)((uintptr_t)r.bytes + at + (size_t)i * r.apart);
	}
	if (outside >> 63 || (odd & (bytes - 1)))
		return 0;
	p->borrowed = 0;
	exec_memory_note(w, in, mask, bytes, use, &r, p);
	return 1;
}
