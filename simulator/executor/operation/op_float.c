/* Handlers of floating-point arithmetic, in single and double precision.
 *
 * Results are those of IEEE 754 in the rounding that the opcode names. A single-precision result
 * that is no number is the one that devices give; one of double precision keeps its payload, as
 * there. Each operation has a fast handler for rounding to nearest, one that flushes subnormal
 * numbers too (.ftz), and one for all that can be demanded. Compiled without contraction.
 */
#include <math.h>

#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/operation.h"

#define ALL_DEMANDS (EXEC_DEMAND_FTZ | EXEC_DEMAND_SATURATE | EXEC_DEMAND_DIRECTED)

static inline double smaller_double(double a, double b)
{
	if (a == b)
		return signbit(a) ? a : b;
	if (a != a)
		return b != b ? b + b : b;
	return a < b || b != b ? a : b;
}

static inline double larger_double(double a, double b)
{
	if (a == b)
		return signbit(a) ? b : a;
	if (a != a)
		return b != b ? b + b : b;
	return a > b || b != b ? a : b;
}

/* A product, or a sum of one, that rounds to the least normal number only because subnormal numbers
 * have fewer bits. A device rounds to 24 bits first, and flushes what is too small then. */
static inline bool is_tiny(float result, float a, float b, float c, bool to_nearest)
{
	double exact;

	if ((exec_bits_of(result) & 0x7FFFFFFF) != 0x00800000)
		return 0;
	exact = fabs(exec_odd_sum((double)a * (double)b, (double)c));
	return to_nearest ? exact < 0x1p-126 * (1 - 0x1p-25) : exact <= 0x1p-126 * (1 - 0x1p-24);
}

static void flush_tiny(float *out, const float *a, const float *b, const float *c, unsigned round)
{
	bool to_nearest = round == EXEC_ROUND_NEAREST;
	uint32_t least = 0;

	EXEC_EACH_LANE
	least |= (exec_bits_of(out[i]) & 0x7FFFFFFF) == 0x00800000;
	for (unsigned i = 0; least && i < EXEC_LANES; i++)
		if (is_tiny(out[i], exec_flush(a[i]), exec_flush(b[i]), c ? exec_flush(c[i]) : 0,
			    to_nearest))
			out[i] = copysignf(0, out[i]);
}

#define SINGLE1(id, pattern, value)                                                               \
	static inline float id##_value(float a)                                                   \
	{                                                                                         \
		return value;                                                                     \
	}                                                                                         \
	OPERATION1(id, float, float, exec_canonical(id##_value(a)))                               \
	OPERATION1(id##_ftz, float, float, exec_flush(exec_canonical(id##_value(exec_flush(a))))) \
	ANY(id, id##_value(in_(a[i])), (void)0)
#define SINGLE2(id, pattern, value)                                                      \
	static inline float id##_value(float a, float b)                                 \
	{                                                                                \
		return value;                                                            \
	}                                                                                \
	OPERATION2(id, float, float, float, exec_canonical(id##_value(a, b)))            \
	OPERATION2(id##_ftz, float, float, float,                                        \
		   exec_flush(exec_canonical(id##_value(exec_flush(a), exec_flush(b))))) \
	ANY(id, id##_value(in_(a[i]), in_(b[i])), (void)0)
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
		flush_tiny(out, a, b, NULL, in->round))                       \
	ANY(id, id##_value(in_(a[i]), in_(b[i])),                             \
	    is_flushed ? flush_tiny(out, a, b, NULL, in->round) : (void)0)
#define PRODUCT3(id, pattern, value)                                                    \
	static inline float id##_value(float a, float b, float c)                       \
	{                                                                               \
		return value;                                                           \
	}                                                                               \
	OPERATION3(id, float, float, float, float, exec_canonical(id##_value(a, b, c))) \
	PRODUCT(id, id##_value(exec_flush(a[i]), exec_flush(b[i]), exec_flush(c[i])),   \
		flush_tiny(out, a, b, c, in->round))                                    \
	ANY(id, id##_value(in_(a[i]), in_(b[i]), in_(c[i])),                            \
	    is_flushed ? flush_tiny(out, a, b, c, in->round) : (void)0)

/* Lanes go through memory that the calls around the loop may see, so the rounding holds for all. */
#define LOOP(out, value)                          \
	for (unsigned i = 0; i < EXEC_LANES; i++) \
		(out)[i] = (value);

#define ANY(id, value, tiny)                                                                  \
	static void id##_any(struct exec_warp *w, const struct exec_instruction *in)          \
	{                                                                                     \
		const float *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]); \
		const float *c = exec_lanes(w, in->slot[3]);                                  \
		bool is_flushed = in->demands & EXEC_DEMAND_FTZ;                              \
		float out[EXEC_LANES];                                                        \
		(void)b;                                                                      \
		(void)c;                                                                      \
		begin_rounding(in, out);                                                      \
		LOOP(out, (value))                                                            \
		end_rounding(out);                                                            \
		tiny;                                                                         \
		finish(w, in, out);                                                           \
	}
#define in_(x) (is_flushed ? exec_flush(x) : (x))

static __attribute__((noinline)) void begin_rounding(const struct exec_instruction *in, void *out)
{
	fesetround(exec_rounding_mode(in->round));
	__asm__ volatile("" : : "r"(out) : "memory");
}

static __attribute__((noinline)) void end_rounding(void *out)
{
	fesetround(FE_TONEAREST);
	__asm__ volatile("" : : "r"(out) : "memory");
}

static __attribute__((noinline)) void finish(struct exec_warp *w, const struct exec_instruction *in,
					     float *out)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		out[i] = exec_finish(out[i], in->demands);
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), exec_mask(w, in));
}

static __attribute__((noinline)) void finish_double(struct exec_warp *w,
						    const struct exec_instruction *in, double *out)
{
	fesetround(FE_TONEAREST);
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), exec_mask(w, in));
}

#define DOUBLE_ANY(id, value)                                                                  \
	static void id##_any(struct exec_warp *w, const struct exec_instruction *in)           \
	{                                                                                      \
		const double *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]); \
		const double *c = exec_lanes(w, in->slot[3]);                                  \
		double out[EXEC_LANES];                                                        \
		(void)b;                                                                       \
		(void)c;                                                                       \
		begin_rounding(in, out);                                                       \
		LOOP(out, (value))                                                             \
		finish_double(w, in, out);                                                     \
	}
#define DOUBLE1(id, pattern, value)                   \
	static inline double id##_value(double a)     \
	{                                             \
		return value;                         \
	}                                             \
	OPERATION1(id, double, double, id##_value(a)) \
	DOUBLE_ANY(id, id##_value(a[i]))
#define DOUBLE2(id, pattern, value)                              \
	static inline double id##_value(double a, double b)      \
	{                                                        \
		return value;                                    \
	}                                                        \
	OPERATION2(id, double, double, double, id##_value(a, b)) \
	DOUBLE_ANY(id, id##_value(a[i], b[i]))
#define DOUBLE3(id, pattern, value)                                         \
	static inline double id##_value(double a, double b, double c)       \
	{                                                                   \
		return value;                                               \
	}                                                                   \
	OPERATION3(id, double, double, double, double, id##_value(a, b, c)) \
	DOUBLE_ANY(id, id##_value(a[i], b[i], c[i]))
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
#define ROWS(id, pattern, form)                                             \
	{pattern, form, 0, id}, {pattern, form, EXEC_DEMAND_FTZ, id##_ftz}, \
		{pattern, form, ALL_DEMANDS, id##_any},
#define SINGLE1(id, pattern, value)  ROWS(id, pattern, "=4 4")
#define SINGLE2(id, pattern, value)  ROWS(id, pattern, "=4 4 4")
#define PRODUCT2(id, pattern, value) ROWS(id, pattern, "=4 4 4")
#define PRODUCT3(id, pattern, value) ROWS(id, pattern, "=4 4 4 4")
#define DOUBLE_ROWS(id, pattern, form) \
	{pattern, form, 0, id}, {pattern, form, EXEC_DEMAND_DIRECTED, id##_any},
#define DOUBLE1(id, pattern, value) DOUBLE_ROWS(id, pattern, "=8 8")
#define DOUBLE2(id, pattern, value) DOUBLE_ROWS(id, pattern, "=8 8 8")
#define DOUBLE3(id, pattern, value) DOUBLE_ROWS(id, pattern, "=8 8 8 8")
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
