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

/* A bit for each lane: the compiler compares several at once. */
#define EXEC_BITS4(n) 1U << (n), 1U << ((n) + 1), 1U << ((n) + 2), 1U << ((n) + 3)
static const uint32_t exec_bits[EXEC_LANES] = {EXEC_BITS4(0),  EXEC_BITS4(4),  EXEC_BITS4(8),
					       EXEC_BITS4(12), EXEC_BITS4(16), EXEC_BITS4(20),
					       EXEC_BITS4(24), EXEC_BITS4(28)};

#define EXEC_KEEP(T)                                                               \
	EXEC_INDEPENDENT                                                           \
	for (unsigned i = 0; i < EXEC_LANES; i++) {                                \
		T kept = (mask & exec_bits[i]) == exec_bits[i] ? (T)-1 : 0;        \
		((T *)to)[i] ^= (T)((((T *)to)[i] ^ ((const T *)from)[i]) & kept); \
	}

/* Copies those lanes of `from` whose bits are set; of 2, 4 or 8 bytes each. */
static inline void exec_keep(void *to, const void *from, size_t bytes, uint32_t mask)
{
	if (bytes == 8)
		EXEC_KEEP(uint64_t)
	else if (bytes == 4)
		EXEC_KEEP(uint32_t)
	else
		EXEC_KEEP(uint16_t)
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
