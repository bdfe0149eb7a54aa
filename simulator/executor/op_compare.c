/* Handlers of comparisons, and of instructions on predicates. */
#include "simulator/executor/operation.h"
#include "simulator/executor/single.h"

#define AS_IT_IS(x) (x)

/* p|q = comparison, its opposite; each combined with a third predicate. */
static void set_pair(struct exec_warp *w, const struct exec_instruction *in, uint32_t bits)
{
	uint32_t mask = exec_mask(w, in), opposite = ~bits, c;

	if (in->boolean) {
		c = exec_predicate(w, in, 3);
		switch ((enum sc_boolean)in->boolean) {
		case SC_BOOLEAN_AND: bits &= c, opposite &= c; break;
		case SC_BOOLEAN_OR: bits |= c, opposite |= c; break;
		case SC_BOOLEAN_XOR: bits ^= c, opposite ^= c; break;
		case SC_BOOLEAN_NONE: break;
		}
	}
	exec_set_predicate(w, in->slot[0], mask, bits);
	if (in->slot[EXEC_SLOTS - 1] != EXEC_SLOT_SINK)
		exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, opposite);
}

#define COMPARE(id, pattern, form, T, demands, value)                                     \
	static inline bool id##_of(T a, T b)                                              \
	{                                                                                 \
		return value;                                                             \
	}                                                                                 \
	static void id(struct exec_warp *w, const struct exec_instruction *in)            \
	{                                                                                 \
		const T *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]); \
		uint32_t bits = 0;                                                        \
		for (uint32_t i = 0; i < EXEC_LANES; i++)                                 \
			bits |= id##_of(a[i], b[i]) ? UINT32_C(1) << i : 0;               \
		set_pair(w, in, bits);                                                    \
	}
#include "simulator/executor/compare.def"
#undef COMPARE

#define LOGIC(id, value)                                                             \
	static void id(struct exec_warp *w, const struct exec_instruction *in)       \
	{                                                                            \
		uint32_t a = exec_predicate(w, in, 1), b = exec_predicate(w, in, 2); \
		(void)b;                                                             \
		exec_set_predicate(w, in->slot[0], exec_mask(w, in), value);         \
	}
LOGIC(mov_pred, a)
LOGIC(not_pred, ~a)
LOGIC(and_pred, a &b)
LOGIC(or_pred, a | b)
LOGIC(xor_pred, a ^ b)

static const struct exec_row rows[] = {
#define COMPARE(id, pattern, form, T, demands, value) {pattern, form, demands, id},
#include "simulator/executor/compare.def"
#undef COMPARE
	{"mov.pred", "=p p", 0, mov_pred},   {"not.pred", "=p p", 0, not_pred},
	{"and.pred", "=p p p", 0, and_pred}, {"or.pred", "=p p p", 0, or_pred},
	{"xor.pred", "=p p p", 0, xor_pred},
};

const struct exec_rows EXEC_LEVELED(exec_compare_rows) = EXEC_ROWS(rows);
