/* Handlers of comparisons, and of instructions on predicates. */
#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/single.h"

#define AS_IT_IS(x) (x)

/* Combined with a third predicate, if the opcode says so. */
static uint32_t combine(const struct exec_warp *w, const struct exec_instruction *in, uint32_t bits)
{
	switch ((enum sc_boolean)in->boolean) {
	case SC_BOOLEAN_AND: return bits & exec_predicate(w, in, 3);
	case SC_BOOLEAN_OR: return bits | exec_predicate(w, in, 3);
	case SC_BOOLEAN_XOR: return bits ^ exec_predicate(w, in, 3);
	case SC_BOOLEAN_NONE: break;
	}
	return bits;
}

/* setp: p|q = two comparisons; of one and its opposite, or of both parts of a register. */
static void set_pair(struct exec_warp *w, const struct exec_instruction *in, uint32_t first,
		     uint32_t second)
{
	uint32_t mask = exec_mask(w, in);

	first = combine(w, in, first); /* p may be the third predicate, too */
	second = combine(w, in, second);
	exec_set_predicate(w, in->slot[0], mask, first);
	if (in->slot[EXEC_SLOTS - 1] != EXEC_SLOT_SINK)
		exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, second);
}

/* set: what a comparison that holds is as a number of the type. */
static uint32_t true_of(unsigned type)
{
	switch (type) {
	case SC_TYPE_F32: return 0x3F800000;
	case SC_TYPE_F16:
	case SC_TYPE_F16X2: return 0x3C003C00;
	case SC_TYPE_BF16:
	case SC_TYPE_BF16X2: return 0x3F803F80;
	}
	return UINT32_MAX;
}

/* The parts of 16 bits that do not hold are zero. */
static void set_number(struct exec_warp *w, const struct exec_instruction *in, uint32_t low,
		       uint32_t high)
{
	uint32_t mask = exec_mask(w, in), value = true_of(in->type);

	low = combine(w, in, low);
	high = combine(w, in, high);
	if (in->width[0] == 2)
		EXEC_WRITE(uint16_t, mask, low >> i & 1 ? value : 0);
	else
		EXEC_WRITE(uint32_t, mask,
			   value & ((low >> i & 1 ? UINT16_MAX : 0) |
				    (high >> i & 1 ? 0xFFFF0000 : 0)));
}

#define COMPARE(id, pattern, form, T, demands, value)                                            \
	static inline bool id##_of(T a, T b)                                                     \
	{                                                                                        \
		return value;                                                                    \
	}                                                                                        \
	static inline uint32_t id##_bits(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                        \
		const T *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]);        \
		uint32_t bits = 0;                                                               \
		for (uint32_t i = 0; i < EXEC_LANES; i++)                                        \
			bits |= id##_of(a[i], b[i]) ? UINT32_C(1) << i : 0;                      \
		return bits;                                                                     \
	}                                                                                        \
	static void setp_##id(struct exec_warp *w, const struct exec_instruction *in)            \
	{                                                                                        \
		uint32_t bits = id##_bits(w, in);                                                \
		set_pair(w, in, bits, ~bits);                                                    \
	}                                                                                        \
	static void set_##id(struct exec_warp *w, const struct exec_instruction *in)             \
	{                                                                                        \
		uint32_t bits = id##_bits(w, in);                                                \
		set_number(w, in, bits, bits);                                                   \
	}
#include "simulator/executor/operation/compare.def"
#undef COMPARE

/* Of two numbers of 16 bits in each register: the low ones, then the high ones. */
#define COMPARE_PARTS(id, pattern, demands)                                                       \
	static uint32_t id##_part(const struct exec_warp *w, const struct exec_instruction *in,   \
				  unsigned part)                                                  \
	{                                                                                         \
		const uint16_t *a = exec_lanes(w, in->slot[1]);                                   \
		const uint16_t *b = exec_lanes(w, in->slot[2]);                                   \
		uint32_t bits = 0;                                                                \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                         \
			bits |= id##_of(a[2 * i + part], b[2 * i + part]) ? UINT32_C(1) << i : 0; \
		return bits;                                                                      \
	}                                                                                         \
	static void setp_##id##_parts(struct exec_warp *w, const struct exec_instruction *in)     \
	{                                                                                         \
		set_pair(w, in, id##_part(w, in, 0), id##_part(w, in, 1));                        \
	}                                                                                         \
	static void set_##id##_parts(struct exec_warp *w, const struct exec_instruction *in)      \
	{                                                                                         \
		set_number(w, in, id##_part(w, in, 0), id##_part(w, in, 1));                      \
	}
#define EACH_COMPARISON(DO, suffix, types, demands) \
	DO(eq_##suffix, ".eq." types, demands)      \
	DO(ne_##suffix, ".ne." types, demands)      \
	DO(lt_##suffix, ".lt." types, demands)      \
	DO(le_##suffix, ".le." types, demands)      \
	DO(gt_##suffix, ".gt." types, demands)      \
	DO(ge_##suffix, ".ge." types, demands)      \
	DO(equ_##suffix, ".equ." types, demands)    \
	DO(neu_##suffix, ".neu." types, demands)    \
	DO(ltu_##suffix, ".ltu." types, demands)    \
	DO(leu_##suffix, ".leu." types, demands)    \
	DO(gtu_##suffix, ".gtu." types, demands)    \
	DO(geu_##suffix, ".geu." types, demands)    \
	DO(num_##suffix, ".num." types, demands)    \
	DO(nan_##suffix, ".nan." types, demands)
#define EACH_PART(DO)                                          \
	EACH_COMPARISON(DO, f16, "f16x2", 0)                   \
	EACH_COMPARISON(DO, f16_ftz, "f16x2", EXEC_DEMAND_FTZ) \
	EACH_COMPARISON(DO, bf16, "bf16x2", 0)
EACH_PART(COMPARE_PARTS)

/* testp: by the bits of a number without its sign. Zero is normal. */
#define TEST(id, T, value)                                                     \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		const T *from = exec_lanes(w, in->slot[1]);                    \
		uint32_t bits = 0;                                             \
		for (uint32_t i = 0; i < EXEC_LANES; i++) {                    \
			T a = from[i] & ((T)-1 >> 1);                          \
			bits |= (value) ? UINT32_C(1) << i : 0;                \
		}                                                              \
		exec_set_predicate(w, in->slot[0], exec_mask(w, in), bits);    \
	}
#define TESTS(suffix, T, infinity, least)                                \
	TEST(finite_##suffix, T, a < (infinity))                         \
	TEST(infinite_##suffix, T, a == (infinity))                      \
	TEST(number_##suffix, T, a <= (infinity))                        \
	TEST(no_number_##suffix, T, a > (infinity))                      \
	TEST(normal_##suffix, T, !a || (a >= (least) && a < (infinity))) \
	TEST(subnormal_##suffix, T, a &&a < (least))
TESTS(f32, uint32_t, 0x7F800000, 0x00800000)
TESTS(f64, uint64_t, UINT64_C(0x7FF0000000000000), UINT64_C(0x0010000000000000))

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
#define COMPARE(id, pattern, form, T, demands, value)     \
	{"setp" pattern, "=q " form, demands, setp_##id}, \
		{"set" pattern, "=w " form, demands, set_##id},
#include "simulator/executor/operation/compare.def"
#undef COMPARE
#define PARTS_ROWS(id, pattern, demands)                           \
	{"setp" pattern, "=q 4 4 ?p", demands, setp_##id##_parts}, \
		{"set" pattern, "=4 4 4 ?p", demands, set_##id##_parts},
	EACH_PART(PARTS_ROWS)
#define TEST_ROWS(suffix, width)                                                   \
	{"testp.finite." #suffix, "=p " width, 0, finite_##suffix},                \
		{"testp.infinite." #suffix, "=p " width, 0, infinite_##suffix},    \
		{"testp.number." #suffix, "=p " width, 0, number_##suffix},        \
		{"testp.notanumber." #suffix, "=p " width, 0, no_number_##suffix}, \
		{"testp.normal." #suffix, "=p " width, 0, normal_##suffix},        \
		{"testp.subnormal." #suffix, "=p " width, 0, subnormal_##suffix},
		TEST_ROWS(f32, "4") TEST_ROWS(f64, "8"){"mov.pred", "=p p", 0, mov_pred},
	{"not.pred", "=p p", 0, not_pred},
	{"and.pred", "=p p p", 0, and_pred},
	{"or.pred", "=p p p", 0, or_pred},
	{"xor.pred", "=p p p", 0, xor_pred},
};

const struct exec_rows EXEC_LEVELED(exec_compare_rows) = EXEC_ROWS(rows);
