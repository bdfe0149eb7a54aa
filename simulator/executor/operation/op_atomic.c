/* Handlers of atomics and reductions: one after the other lane, each a loop of compare and swap on
 * host memory, so that kernels, copies and the host see each one whole. Shared memory is the
 * block's, which runs in one thread at a time. */
#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/mbarrier.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"

static bool is_shared(const struct exec_warp *w, const char *place)
{
	const struct exec_cluster *c = w->block->cluster;

	for (uint32_t i = 0; i < c->count; i++)
		if ((uintptr_t)place - (uintptr_t)c->blocks[i]->shared < c->blocks[i]->shared_bytes)
			return 1;
	return 0;
}

/* In global memory, sums of singles know no subnormal numbers. */
static float sum_of_singles(const struct exec_warp *w, const char *place, float a, float b)
{
	if (is_shared(w, place))
		return exec_canonical(a + b);
	return exec_flush(exec_canonical(exec_flush(a) + exec_flush(b)));
}

/* What is no number: of two, in shared memory that which was there, in global memory that which is
 * added, and it stays as it is. */
static double sum_of_doubles(const struct exec_warp *w, const char *place, double a, double b)
{
	if (a == a && b == b)
		return a + b;
	if (is_shared(w, place))
		return a != a ? a + a : b + b;
	return b != b ? b : a;
}

#define HALF(id, widen, narrow, value)             \
	static uint16_t id(uint16_t x, uint16_t y) \
	{                                          \
		float a = widen(x), b = widen(y);  \
		return narrow(value);              \
	}
HALF(sum_of_halves, exec_single_of_half, exec_half_of_single, a + b)
HALF(sum_of_brains, exec_single_of_brain, exec_brain_of_single, a + b)
HALF(smaller_half, exec_single_of_half, exec_half_of_single, exec_smaller(a, b))
HALF(smaller_brain, exec_single_of_brain, exec_brain_of_single, exec_smaller(a, b))
HALF(larger_half, exec_single_of_half, exec_half_of_single, exec_larger(a, b))
HALF(larger_brain, exec_single_of_brain, exec_brain_of_single, exec_larger(a, b))

/* Of the low and of the high 16 bits. */
static uint32_t in_parts(uint16_t (*of)(uint16_t a, uint16_t b), uint32_t a, uint32_t b)
{
	return of((uint16_t)a, (uint16_t)b) | (uint32_t)of((uint16_t)(a >> 16), (uint16_t)(b >> 16))
						      << 16;
}

#define ELEMENTS_MOST 8 /* of a vector */

/* What an atomic does for these lanes, one after the other, at their places. */
typedef void operation(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       char *const *places, void *before);

/* Where memory has no bytes here, each lane's are read and written back before the next one's. */
static void each_lane(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		      operation *operate)
{
	uint32_t mask = exec_mask(w, in);
	struct exec_places places;
	uint64_t before[EXEC_LANES] = {0};
	uint32_t borrowed;
	bool wrote = w->wrote;

	w->polls = 1;
	if (!mask || !exec_places_find(w, in, mask, bytes, in->use, &places))
		return;
	w->wrote = wrote; /* one that changes nothing only polls */
	borrowed = places.borrowed;
	operate(w, in, mask & ~borrowed, places.lane, before);
	for (unsigned i = 0; borrowed && i < EXEC_LANES; i++) {
		uint32_t lane = UINT32_C(1) << i;

		if (!(borrowed & lane))
			continue;
		if (!exec_places_find(w, in, lane, bytes, in->use, &places))
			return;
		operate(w, in, lane, places.lane, before);
		exec_places_end(w, in, bytes, &places);
	}
	exec_keep(exec_lanes(w, in->slot[0]), before, bytes, mask);
}

/* The same for vectors, one element after the other. */
static void each_element(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
			 unsigned count, operation *operate)
{
	uint32_t mask = exec_mask(w, in);
	uint64_t before[ELEMENTS_MOST][EXEC_LANES] = {{0}};
	struct exec_instruction part = *in;
	struct exec_places places;

	w->polls = 1;
	part.slot[3] = EXEC_SLOT_SINK;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t lane = UINT32_C(1) << i;

		if (!(mask & lane))
			continue;
		if (!exec_places_find(w, in, lane, bytes * count, EXEC_ATOMIC, &places))
			return;
		for (unsigned k = 0; k < count; k++) {
			part.slot[2] = in->list[in->slot[2] + k];
			operate(w, &part, lane, places.lane, before[k]);
			places.lane[i] += bytes;
		}
		if (places.borrowed)
			exec_places_end(w, in, bytes * count, &places);
	}
	for (unsigned k = 0; in->width[0] && k < count; k++)
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), before[k], bytes, mask);
}

/* red.async: a barrier, whose address is the operand after, counts the bytes. */
static void each_counted(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
			 operation *operate)
{
	uint32_t mask = exec_mask(w, in);
	uint64_t before[EXEC_LANES];
	struct exec_instruction part = *in;
	struct exec_places places;

	part.slot[3] = EXEC_SLOT_SINK;
	if (!mask || !exec_places_find(w, in, mask, bytes, EXEC_ATOMIC, &places))
		return;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		operate(w, &part, UINT32_C(1) << i, places.lane, before);
		if (!exec_mbarrier_complete(w, in, i, exec_second_address(w, in, 3, i), bytes))
			return;
	}
}

/* One at a time of 16 bytes, of all threads of this process; exchanges for those whose memory has
 * `expected`, or for all. */
static bool exchange_wide(char *place, const uint64_t *expected, const uint64_t *next,
			  uint64_t *before)
{
	static atomic_flag lock = ATOMIC_FLAG_INIT;
	bool changes;

	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
	memcpy(before, place, 16);
	changes = !expected || !memcmp(before, expected, 16);
	if (changes)
		memcpy(place, next, 16);
	atomic_flag_clear_explicit(&lock, memory_order_release);
	return changes;
}

static void halves_of(const struct exec_warp *w, const struct exec_instruction *in, unsigned slot,
		      unsigned lane, uint64_t *halves)
{
	for (unsigned k = 0; k < 2; k++)
		halves[k] = ((const uint64_t *)exec_lanes(w, in->list[in->slot[slot] + k]))[lane];
}

static void wide(struct exec_warp *w, const struct exec_instruction *in, bool compares)
{
	uint64_t before[2][EXEC_LANES] = {{0}}, old[2], first[2], second[2];
	uint32_t mask = exec_mask(w, in);
	struct exec_places places;
	bool wrote = w->wrote;

	w->polls = 1;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!exec_places_find(w, in, UINT32_C(1) << i, 16, in->use, &places))
			return;
		halves_of(w, in, 2, i, first);
		if (compares)
			halves_of(w, in, 3, i, second);
		wrote |= exchange_wide(places.lane[i], compares ? first : NULL,
				       compares ? second : first, old);
		if (places.borrowed)
			exec_places_end(w, in, 16, &places);
		before[0][i] = old[0];
		before[1][i] = old[1];
	}
	w->wrote = wrote;
	for (unsigned k = 0; k < 2; k++)
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), before[k], 8, mask);
}

static void exch_128(struct exec_warp *w, const struct exec_instruction *in)
{
	wide(w, in, 0);
}

static void cas_128(struct exec_warp *w, const struct exec_instruction *in)
{
	wide(w, in, 1);
}

/* `old` is what memory has, `a` (and `b`) the operands; the value is what it has then. */
#define ELEMENT(id, T, BITS, value)                                                         \
	static void id##_lanes(struct exec_warp *w, const struct exec_instruction *in,      \
			       uint32_t mask, char *const *places, void *before)            \
	{                                                                                   \
		const T *as = exec_lanes(w, in->slot[2]), *bs = exec_lanes(w, in->slot[3]); \
		bool changes = 0;                                                           \
		for (unsigned i = 0; i < EXEC_LANES; i++) {                                 \
			const char *place = places[i];                                      \
			BITS *at = (BITS *)places[i], seen, next;                           \
			T old, a = as[i], b = bs[i], after;                                 \
			(void)a;                                                            \
			(void)b;                                                            \
			if (!(mask >> i & 1))                                               \
				continue;                                                   \
			seen = __atomic_load_n(at, __ATOMIC_RELAXED);                       \
			do {                                                                \
				memcpy(&old, &seen, sizeof(old));                           \
				after = (T)(value);                                         \
				memcpy(&next, &after, sizeof(next));                        \
				if (is_shared(w, place)) {                                  \
					*at = next;                                         \
					break;                                              \
				}                                                           \
			} while (!__atomic_compare_exchange_n(                              \
				at, &seen, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));   \
			changes |= next != seen;                                            \
			memcpy((char *)before + i * sizeof(T), &old, sizeof(old));          \
		}                                                                           \
		w->wrote |= changes;                                                        \
	}
#define ATOMIC(id, T, BITS, value)                                             \
	ELEMENT(id, T, BITS, value)                                            \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		each_lane(w, in, sizeof(T), id##_lanes);                       \
	}
#define COUNTED(id, pattern, bytes)                                                      \
	static void id##_counted(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                \
		each_counted(w, in, bytes, id##_lanes);                                  \
	}
#define VECTOR(id, operation, type, bytes, count)                                        \
	static void id##_##count(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                \
		each_element(w, in, bytes, count, id##_lanes);                           \
	}
#include "simulator/executor/operation/atomic.def"
#undef ATOMIC
#undef ELEMENT

static const struct exec_row rows[] = {
#define ATOMIC(id, T, BITS, value)
#define ELEMENT(id, T, BITS, value)
#define BOTH(id, pattern, form)                              \
	{"atom." pattern, "=" form " a " form " ?8", 0, id}, \
		{"red." pattern, "_ a " form " ?8", 0, id},
/* The vector's size may stand before the operation, or before the type. */
#define VECTOR_ROWS(pattern, bytes, count, run)                                   \
	{"atom." pattern, "=*" #bytes #count " a *" #bytes #count " ?8", 0, run}, \
		{"red." pattern, "_ a *" #bytes #count " ?8", 0, run},
#define VECTOR(id, operation, type, bytes, count)                   \
	VECTOR_ROWS(operation "." type, bytes, count, id##_##count) \
	VECTOR_ROWS(type "." operation, bytes, count, id##_##count)
#define COUNTED(id, pattern, bytes) \
	{"red.async.mbarrier::complete_tx::bytes." pattern, "_ a " #bytes " b", 0, id##_counted},
#define RESULT(id, pattern, form, operands) {"atom." pattern, "=" form " a " operands " ?8", 0, id},
#include "simulator/executor/operation/atomic.def"
#undef ATOMIC
#undef ELEMENT
	{"atom.exch.b128", "=*82 a *82 ?8", 0, exch_128},
	{"atom.cas.b128", "=*82 a *82 *82 ?8", 0, cas_128},
};

const struct exec_rows exec_atomic_rows = EXEC_ROWS(rows);
