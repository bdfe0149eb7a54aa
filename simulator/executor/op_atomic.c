/* Handlers of atomics and reductions: one after the other lane, each a loop of compare and swap on
 * host memory, so that kernels, copies and the host see each one whole. */
#include "simulator/executor/memory.h"
#include "simulator/executor/operation.h"

/* Calls a lane's operation for all lanes. Where memory has no bytes here, each lane's are read and
 * written back before the next one's. */
static void each_lane(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		      void (*operate)(struct exec_warp *w, const struct exec_instruction *in,
				      char *at, unsigned lane, void *before))
{
	uint32_t mask = exec_mask(w, in);
	struct exec_places places;
	uint64_t before[EXEC_LANES] = {0};
	uint32_t borrowed;
	bool wrote = w->wrote;

	w->polls = 1;
	if (!mask || !exec_places_find(w, in, mask, bytes, EXEC_ATOMIC, &places))
		return;
	w->wrote = wrote; /* one that changes nothing only polls */
	borrowed = places.borrowed;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (borrowed >> i & 1 &&
		    !exec_places_find(w, in, UINT32_C(1) << i, bytes, EXEC_ATOMIC, &places))
			return;
		operate(w, in, places.lane[i], i, before);
		if (borrowed >> i & 1)
			exec_places_end(w, in, bytes, &places);
	}
	exec_keep(exec_lanes(w, in->slot[0]), before, bytes, mask);
}

/* `old` is what memory has, `a` (and `b`) the operands; the value is what it has then. */
#define ATOMIC(id, T, BITS, value)                                                                 \
	static void id##_lane(struct exec_warp *w, const struct exec_instruction *in, char *place, \
			      unsigned i, void *before)                                            \
	{                                                                                          \
		const T *as = exec_lanes(w, in->slot[2]), *bs = exec_lanes(w, in->slot[3]);        \
		BITS *at = (BITS *)place, seen = __atomic_load_n(at, __ATOMIC_RELAXED), next;      \
		T old, a = as[i], b = bs[i], after;                                                \
		(void)a;                                                                           \
		(void)b;                                                                           \
		do {                                                                               \
			memcpy(&old, &seen, sizeof(old));                                          \
			after = (T)(value);                                                        \
			memcpy(&next, &after, sizeof(next));                                       \
		} while (!__atomic_compare_exchange_n(at, &seen, next, 0, __ATOMIC_SEQ_CST,        \
						      __ATOMIC_RELAXED));                          \
		w->wrote |= next != seen;                                                          \
		memcpy((char *)before + i * sizeof(T), &old, sizeof(old));                         \
	}                                                                                          \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                     \
	{                                                                                          \
		each_lane(w, in, sizeof(T), id##_lane);                                            \
	}
#include "simulator/executor/atomic.def"
#undef ATOMIC

static const struct exec_row rows[] = {
#define ATOMIC(id, T, BITS, value)
#define BOTH(id, pattern, form) \
	{"atom." pattern, "=" form " a " form, 0, id}, {"red." pattern, "_ a " form, 0, id},
#define RESULT(id, pattern, form, operands) {"atom." pattern, "=" form " a " operands, 0, id},
#include "simulator/executor/atomic.def"
#undef ATOMIC
};

const struct exec_rows exec_atomic_rows = EXEC_ROWS(rows);
