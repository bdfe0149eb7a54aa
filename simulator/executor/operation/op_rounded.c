/* Handlers of floating-point arithmetic with all that can be demanded: rounded up, down or to zero,
 * flushed, saturated. op_float.c has those to nearest, which are most. Compiled without contraction
 * and for any rounding.
 */
#include "simulator/executor/operation/product.h"

#define ALL_DEMANDS (EXEC_DEMAND_FTZ | EXEC_DEMAND_SATURATE | EXEC_DEMAND_DIRECTED)

/* Lanes go through memory that the calls around the loop may see, so the rounding holds for all. */
#define LOOP(out, value)                          \
	for (unsigned i = 0; i < EXEC_LANES; i++) \
		(out)[i] = (value);

static __attribute__((noinline)) void begin_rounding(const struct exec_instruction *in, void *out)
{
	exec_set_rounding(in->round);
	__asm__ volatile("" : : "r"(out) : "memory");
}

static __attribute__((noinline)) void end_rounding(void *out)
{
	exec_set_rounding(EXEC_ROUND_NEAREST);
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
	exec_set_rounding(EXEC_ROUND_NEAREST);
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), exec_mask(w, in));
}

#define SINGLE(id, value, tiny)                                                               \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                \
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
#define DOUBLE(id, value)                                                                      \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                 \
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

#define in_(x) (is_flushed ? exec_flush(x) : (x))
#define VALUE(id, T, value, ...)                \
	static inline T id##_value(__VA_ARGS__) \
	{                                       \
		return value;                   \
	}
#define SINGLE1(id, pattern, value)      \
	VALUE(id, float, value, float a) \
	SINGLE(id, id##_value(in_(a[i])), (void)0)
#define SINGLE2(id, pattern, value)               \
	VALUE(id, float, value, float a, float b) \
	SINGLE(id, id##_value(in_(a[i]), in_(b[i])), (void)0)
#define PRODUCT2(id, pattern, value)                 \
	VALUE(id, float, value, float a, float b)    \
	SINGLE(id, id##_value(in_(a[i]), in_(b[i])), \
	       is_flushed ? exec_flush_tiny(out, a, b, NULL, in->round) : (void)0)
#define PRODUCT3(id, pattern, value)                            \
	VALUE(id, float, value, float a, float b, float c)      \
	SINGLE(id, id##_value(in_(a[i]), in_(b[i]), in_(c[i])), \
	       is_flushed ? exec_flush_tiny(out, a, b, c, in->round) : (void)0)
#define DOUBLE1(id, pattern, value)        \
	VALUE(id, double, value, double a) \
	DOUBLE(id, id##_value(a[i]))
#define DOUBLE2(id, pattern, value)                  \
	VALUE(id, double, value, double a, double b) \
	DOUBLE(id, id##_value(a[i], b[i]))
#define DOUBLE3(id, pattern, value)                            \
	VALUE(id, double, value, double a, double b, double c) \
	DOUBLE(id, id##_value(a[i], b[i], c[i]))
#include "simulator/executor/operation/float.def"
#undef SINGLE1
#undef SINGLE2
#undef PRODUCT2
#undef PRODUCT3
#undef DOUBLE1
#undef DOUBLE2
#undef DOUBLE3

static const struct exec_row rows[] = {
#define SINGLE1(id, pattern, value)  {pattern, "=4 4", ALL_DEMANDS, id},
#define SINGLE2(id, pattern, value)  {pattern, "=4 4 4", ALL_DEMANDS, id},
#define PRODUCT2(id, pattern, value) {pattern, "=4 4 4", ALL_DEMANDS, id},
#define PRODUCT3(id, pattern, value) {pattern, "=4 4 4 4", ALL_DEMANDS, id},
#define DOUBLE1(id, pattern, value)  {pattern, "=8 8", EXEC_DEMAND_DIRECTED, id},
#define DOUBLE2(id, pattern, value)  {pattern, "=8 8 8", EXEC_DEMAND_DIRECTED, id},
#define DOUBLE3(id, pattern, value)  {pattern, "=8 8 8 8", EXEC_DEMAND_DIRECTED, id},
#include "simulator/executor/operation/float.def"
};

const struct exec_rows EXEC_LEVELED(exec_rounded_rows) = EXEC_ROWS(rows);
