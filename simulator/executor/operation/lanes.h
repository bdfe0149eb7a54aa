/* Places of accesses that are not straight (straight.h), but in one piece of memory: by some lanes
 * at one address, or by lanes at any. For handlers that are compiled for each level. */
#pragma once

#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"

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
