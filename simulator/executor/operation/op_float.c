/* Handlers of floating-point arithmetic, rounded to nearest, in single and double precision.
 *
 * A single-precision result that is no number is the one that devices give; one of double precision
 * keeps its payload, as there. Each operation of single precision has a handler that flushes
 * subnormal numbers too (.ftz). Other demands are met in op_rounded.c. Compiled without
 * contraction.
 */
#include "simulator/executor/operation/product.h"

#define SINGLE1(id, pattern, value)                                 \
	static inline float id##_value(float a)                     \
	{                                                           \
		return value;                                       \
	}                                                           \
	OPERATION1(id, float, float, exec_canonical(id##_value(a))) \
	OPERATION1(id##_ftz, float, float, exec_flush(exec_canonical(id##_value(exec_flush(a)))))
#define SINGLE2(id, pattern, value)                                           \
	static inline float id##_value(float a, float b)                      \
	{                                                                     \
		return value;                                                 \
	}                                                                     \
	OPERATION2(id, float, float, float, exec_canonical(id##_value(a, b))) \
	OPERATION2(id##_ftz, float, float, float,                             \
		   exec_flush(exec_canonical(id##_value(exec_flush(a), exec_flush(b)))))
#define PRODUCT(id, value, tiny)                                                            \
	static void id##_ftz(struct exec_warp *w, const struct exec_instruction *in)        \
	{                                                                                   \
		const float *a = exec_lanes(w, in->slot[1]);                                \
		const float *b = exec_lanes(w, in->slot[2]);                                \
		const float *c = exec_lanes(w, in->slot[3]);                                \
		float out[EXEC_LANES];                                                      \
		(void)c;                                                                    \
		EXEC_EACH_LANE                                                              \
		out[i] = exec_flush(exec_canonical(value));                                 \
		tiny;                                                                       \
		exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), exec_mask(w, in)); \
	}
#define PRODUCT2(id, pattern, value)                                          \
	static inline float id##_value(float a, float b)                      \
	{                                                                     \
		return value;                                                 \
	}                                                                     \
	OPERATION2(id, float, float, float, exec_canonical(id##_value(a, b))) \
	PRODUCT(id, id##_value(exec_flush(a[i]), exec_flush(b[i])),           \
		exec_flush_tiny(out, a, b, NULL, in->round))
#define PRODUCT3(id, pattern, value)                                                    \
	static inline float id##_value(float a, float b, float c)                       \
	{                                                                               \
		return value;                                                           \
	}                                                                               \
	OPERATION3(id, float, float, float, float, exec_canonical(id##_value(a, b, c))) \
	PRODUCT(id, id##_value(exec_flush(a[i]), exec_flush(b[i]), exec_flush(c[i])),   \
		exec_flush_tiny(out, a, b, c, in->round))

#define DOUBLE1(id, pattern, value)               \
	static inline double id##_value(double a) \
	{                                         \
		return value;                     \
	}                                         \
	OPERATION1(id, double, double, id##_value(a))
#define DOUBLE2(id, pattern, value)                         \
	static inline double id##_value(double a, double b) \
	{                                                   \
		return value;                               \
	}                                                   \
	OPERATION2(id, double, double, double, id##_value(a, b))
#define DOUBLE3(id, pattern, value)                                   \
	static inline double id##_value(double a, double b, double c) \
	{                                                             \
		return value;                                         \
	}                                                             \
	OPERATION3(id, double, double, double, double, id##_value(a, b, c))
#include "simulator/executor/operation/float.def"
#undef SINGLE1
#undef SINGLE2
#undef PRODUCT2
#undef PRODUCT3
#undef DOUBLE1
#undef DOUBLE2
#undef DOUBLE3

/* The high half of a double, without subnormal numbers: all that these approximations look at, and
 * that they give. */
static inline double gross(double a)
{
	uint64_t bits;

	memcpy(&bits, &a, sizeof(bits));
	bits &= bits << 1 >> 53 ? UINT64_C(0xFFFFFFFF00000000) : UINT64_C(1) << 63;
	memcpy(&a, &bits, sizeof(a));
	return a;
}
OPERATION1(rcp_gross, double, double, gross(1 / gross(a)))
OPERATION1(rsqrt_gross, double, double, gross(1 / __builtin_sqrt(gross(a))))

/* The sign is that of a number; what is no number becomes the one that there is in single
 * precision, and keeps its bits and its sign in double precision. */
static inline float with_bits(float a, uint32_t bits)
{
	return exec_canonical(a == a ? exec_float_of(bits) : a);
}

OPERATION1(neg_f32, float, float, with_bits(a, exec_bits_of(a) ^ 0x80000000))
OPERATION1(abs_f32, float, float, with_bits(a, exec_bits_of(a) & 0x7FFFFFFF))
OPERATION1(neg_f32_ftz, float, float, exec_flush(with_bits(a, exec_bits_of(a) ^ 0x80000000)))
OPERATION1(abs_f32_ftz, float, float, exec_flush(with_bits(a, exec_bits_of(a) & 0x7FFFFFFF)))
OPERATION1(neg_f64, double, double, a != a ? a + a : -a)
OPERATION1(abs_f64, double, double, a != a ? a + a : fabs(a))
OPERATION2(copysign_f32, float, float, float, copysignf(b, a))
OPERATION2(copysign_f64, double, double, double, copysign(b, a))

static const struct exec_row rows[] = {
#define FTZ			     EXEC_DEMAND_FTZ
#define ROWS(id, pattern, form)	     {pattern, form, 0, id}, {pattern, form, FTZ, id##_ftz},
#define SINGLE1(id, pattern, value)  ROWS(id, pattern, "=4 4")
#define SINGLE2(id, pattern, value)  ROWS(id, pattern, "=4 4 4")
#define PRODUCT2(id, pattern, value) ROWS(id, pattern, "=4 4 4")
#define PRODUCT3(id, pattern, value) ROWS(id, pattern, "=4 4 4 4")
#define DOUBLE1(id, pattern, value)  {pattern, "=8 8", 0, id},
#define DOUBLE2(id, pattern, value)  {pattern, "=8 8 8", 0, id},
#define DOUBLE3(id, pattern, value)  {pattern, "=8 8 8 8", 0, id},
#include "simulator/executor/operation/float.def"
	{"neg.f32", "=4 4", 0, neg_f32},
	{"abs.f32", "=4 4", 0, abs_f32},
	{"neg.f32", "=4 4", EXEC_DEMAND_FTZ, neg_f32_ftz},
	{"abs.f32", "=4 4", EXEC_DEMAND_FTZ, abs_f32_ftz},
	{"neg.f64", "=8 8", 0, neg_f64},
	{"abs.f64", "=8 8", 0, abs_f64},
	{"rcp.approx.f64", "=8 8", EXEC_DEMAND_FTZ, rcp_gross},
	{"rsqrt.approx.f64", "=8 8", EXEC_DEMAND_FTZ, rsqrt_gross},
	{"copysign.f32", "=4 4 4", 0, copysign_f32},
	{"copysign.f64", "=8 8 8", 0, copysign_f64},
};

const struct exec_rows EXEC_LEVELED(exec_float_rows) = EXEC_ROWS(rows);
