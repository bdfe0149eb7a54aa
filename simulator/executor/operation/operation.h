/* Handlers that compute lane by lane, made from one expression.
 *
 * OPERATION2(add_u32, uint32_t, uint32_t, uint32_t, a + b) is a handler whose lanes are computed
 * from those of two operands `a` and `b`. Where all lanes execute, the loop writes the result in
 * place; else it writes a copy, of which the lanes that execute are kept. The compiler vectorises
 * both. An operand's array is either the result's own or apart from it, which the pragma says.
 */
#pragma once

#include "simulator/executor/code/table.h"
#include "simulator/executor/warp.h"

#ifdef __clang__
#define EXEC_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define EXEC_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EXEC_EACH_LANE EXEC_INDEPENDENT for (unsigned i = 0; i < EXEC_LANES; i++)

/* Copies those lanes of `from` whose bits are set; of 2, 4 or 8 bytes each. */
static inline void exec_keep(void *to, const void *from, size_t bytes, uint32_t mask)
{
	uint64_t *to8 = to;
	uint32_t *to4 = to;
	uint16_t *to2 = to;
	const uint64_t *from8 = from;
	const uint32_t *from4 = from;
	const uint16_t *from2 = from;

	if (bytes == 8)
		for (unsigned i = 0; i < EXEC_LANES; i++)
			to8[i] = mask >> i & 1 ? from8[i] : to8[i];
	else if (bytes == 4)
		for (unsigned i = 0; i < EXEC_LANES; i++)
			to4[i] = mask >> i & 1 ? from4[i] : to4[i];
	else
		for (unsigned i = 0; i < EXEC_LANES; i++)
			to2[i] = mask >> i & 1 ? from2[i] : to2[i];
}

#define EXEC_WRITE(D, mask, lane_value)                       \
	do {                                                  \
		D *result_ = exec_lanes(w, in->slot[0]);      \
		D copy_[EXEC_LANES];                          \
		if ((mask) == EXEC_ALL) {                     \
			EXEC_EACH_LANE                        \
			result_[i] = (D)(lane_value);         \
			break;                                \
		}                                             \
		EXEC_EACH_LANE                                \
		copy_[i] = (D)(lane_value);                   \
		exec_keep(result_, copy_, sizeof(D), (mask)); \
	} while (0)

#define OPERATION1(id, D, A, value)                                            \
	static inline D id##_of(A a)                                           \
	{                                                                      \
		return (D)(value);                                             \
	}                                                                      \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		const A *as = exec_lanes(w, in->slot[1]);                      \
		uint32_t mask = exec_mask(w, in);                              \
		EXEC_WRITE(D, mask, id##_of(as[i]));                           \
	}

#define OPERATION2(id, D, A, B, value)                                         \
	static inline D id##_of(A a, B b)                                      \
	{                                                                      \
		return (D)(value);                                             \
	}                                                                      \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		const A *as = exec_lanes(w, in->slot[1]);                      \
		const B *bs = exec_lanes(w, in->slot[2]);                      \
		uint32_t mask = exec_mask(w, in);                              \
		EXEC_WRITE(D, mask, id##_of(as[i], bs[i]));                    \
	}

#define OPERATION3(id, D, A, B, C, value)                                      \
	static inline D id##_of(A a, B b, C c)                                 \
	{                                                                      \
		return (D)(value);                                             \
	}                                                                      \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		const A *as = exec_lanes(w, in->slot[1]);                      \
		const B *bs = exec_lanes(w, in->slot[2]);                      \
		const C *cs = exec_lanes(w, in->slot[3]);                      \
		uint32_t mask = exec_mask(w, in);                              \
		EXEC_WRITE(D, mask, id##_of(as[i], bs[i], cs[i]));             \
	}

/* Keeps those lanes of a predicate whose bits are set. */
static inline void exec_set_predicate(struct exec_warp *w, exec_slot slot, uint32_t mask,
				      uint32_t bits)
{
	uint32_t *p = exec_lanes(w, slot);

	*p = (*p & ~mask) | (bits & mask);
}
