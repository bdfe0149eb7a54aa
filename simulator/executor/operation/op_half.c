/* Handlers of arithmetic in half precision and bfloat16, of one number or two in each register.
 *
 * A register of two numbers is an array of twice as many lanes. Lanes are widened to singles,
 * computed, and rounded. There is one handler of each operation for each of the two formats and
 * number of lanes; it also meets all demands.
 */
#include <math.h>

#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/operation.h"

#define NUMBERS_MOST (2 * EXEC_LANES)
#define LEAST_HALF   0x1p-14F /* the least normal number */
#define ALL_DEMANDS  (EXEC_DEMAND_FTZ | EXEC_DEMAND_SATURATE | EXEC_DEMAND_RELU)

enum format { HALF, BRAIN };

static inline float magnitude(float a)
{
	return exec_float_of(exec_bits_of(a) & 0x7FFFFFFF);
}

/* .oob: one NaN, of either sign, stands for what lies outside of a tensor: 0x7FF7 (probe
 * tests/executor/rounding.cu on an H200). */
static inline bool is_out_of_bounds(float a, enum format format)
{
	return (exec_bits_of(a) & 0x7FFFFFFF) == (format == HALF ? 0x7FFEE000 : 0x7FF70000);
}

static inline float fused_unless_outside(const float *abc, enum format format)
{
	if (is_out_of_bounds(abc[0], format) || is_out_of_bounds(abc[1], format))
		return 0;
	return exec_odd_fma(abc[0], abc[1], abc[2]);
}

static void widen(float *to, const uint16_t *from, unsigned count, enum format format,
		  unsigned demands)
{
	if (format == BRAIN)
		EXEC_INDEPENDENT for (unsigned i = 0; i < count; i++) to[i] =
			exec_single_of_brain(from[i]);
	else if (demands & EXEC_DEMAND_FTZ)
		EXEC_INDEPENDENT for (unsigned i = 0; i < count; i++) to[i] =
			exec_single_of_half_flushed(from[i]);
	else
		EXEC_INDEPENDENT for (unsigned i = 0; i < count; i++) to[i] =
			exec_single_of_half(from[i]);
}

/* Rounds to nearest. */
static void narrow(uint16_t *to, const float *from, unsigned count, enum format format)
{
	if (format == BRAIN)
		EXEC_INDEPENDENT for (unsigned i = 0; i < count; i++) to[i] =
			exec_brain_of_single(from[i]);
	else
		EXEC_INDEPENDENT for (unsigned i = 0; i < count; i++) to[i] =
			exec_half_of_single(from[i]);
}

static uint16_t demanded(uint16_t h, enum format format, unsigned demands)
{
	uint16_t infinity = format == HALF ? 0x7C00 : 0x7F80,
		 one = format == HALF ? 0x3C00 : 0x3F80;
	bool is_number = (h & 0x7FFF) <= infinity;

	if (demands & EXEC_DEMAND_FTZ)
		h = format == HALF ? exec_flush_half(h) : h & 0x7F80 ? h : h & 0x8000;
	if (demands & EXEC_DEMAND_RELU && is_number && h & 0x8000)
		h = 0;
	if (demands & EXEC_DEMAND_SATURATE)
		h = !is_number || h & 0x8000 ? 0 : h > one ? one : h;
	return h;
}

static void finish(struct exec_warp *w, const struct exec_instruction *in, const float *value,
		   unsigned count, enum format format)
{
	bool is_flushed = in->demands & EXEC_DEMAND_FTZ && format == HALF;
	uint16_t out[NUMBERS_MOST];

	narrow(out, value, count, format);
	for (unsigned i = 0; in->demands && i < count; i++) {
		/* A device looks whether it is too small when it has rounded to 11 bits. */
		if (is_flushed && magnitude(value[i]) < LEAST_HALF * (1 - 0x1p-12F))
			out[i] = (uint16_t)(exec_bits_of(value[i]) >> 16 & 0x8000);
		out[i] = demanded(out[i], format, in->demands);
	}
	exec_keep(exec_lanes(w, in->slot[0]), out, count / EXEC_LANES * 2, exec_mask(w, in));
}

#define OPERANDS(operands)                           \
	float x[3][NUMBERS_MOST], out[NUMBERS_MOST]; \
	for (unsigned k = 0; k < (operands); k++)    \
	widen(x[k], exec_lanes(w, in->slot[k + 1]), count, format, in->demands)

#define COMPUTE(id, operands, value)                                                           \
	static void id(struct exec_warp *w, const struct exec_instruction *in, unsigned count, \
		       enum format format)                                                     \
	{                                                                                      \
		OPERANDS(operands);                                                            \
		for (unsigned i = 0; i < count; i++) {                                         \
			float a = x[0][i], b = (operands) > 1 ? x[1][i] : 0;                   \
			float c = (operands) > 2 ? x[2][i] : 0;                                \
			(void)b, (void)c;                                                      \
			out[i] = (value);                                                      \
		}                                                                              \
		finish(w, in, out, count, format);                                             \
	}
#define HANDLER(id, format, suffix, count)                                                \
	static void id##_##suffix(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                 \
		id(w, in, count, format);                                                 \
	}
#define HALF(id, operands, value)              \
	COMPUTE(id, operands, value)           \
	HANDLER(id, HALF, f16, EXEC_LANES)     \
	HANDLER(id, HALF, f16x2, NUMBERS_MOST) \
	HANDLER(id, BRAIN, bf16, EXEC_LANES)   \
	HANDLER(id, BRAIN, bf16x2, NUMBERS_MOST)
#define HALF1(id, pattern, value) HALF(id, 1, value)
#define HALF2(id, pattern, value) HALF(id, 2, value)
#define HALF3(id, pattern, value) HALF(id, 3, value)
#include "simulator/executor/operation/half.def"
#undef HALF1
#undef HALF2
#undef HALF3

/* The sign is that of the operand; what is no number becomes the one that there is. */
#define SIGN(id, value)                                                                        \
	static void id(struct exec_warp *w, const struct exec_instruction *in, unsigned count, \
		       enum format format)                                                     \
	{                                                                                      \
		const uint16_t *from = exec_lanes(w, in->slot[1]);                             \
		uint16_t infinity = format == HALF ? 0x7C00 : 0x7F80, out[NUMBERS_MOST];       \
		for (unsigned i = 0; i < count; i++) {                                         \
			uint16_t h = from[i];                                                  \
			if (in->demands & EXEC_DEMAND_FTZ)                                     \
				h = exec_flush_half(h);                                        \
			out[i] = (h & 0x7FFF) > infinity ? 0x7FFF : (uint16_t)(value);         \
		}                                                                              \
		exec_keep(exec_lanes(w, in->slot[0]), out, count / EXEC_LANES * 2,             \
			  exec_mask(w, in));                                                   \
	}                                                                                      \
	HANDLER(id, HALF, f16, EXEC_LANES)                                                     \
	HANDLER(id, HALF, f16x2, NUMBERS_MOST)                                                 \
	HANDLER(id, BRAIN, bf16, EXEC_LANES)                                                   \
	HANDLER(id, BRAIN, bf16x2, NUMBERS_MOST)
SIGN(negative, h ^ 0x8000)
SIGN(absolute, h & 0x7FFF)

static const struct exec_row rows[] = {
#define ROWS(id, pattern, two, four)                               \
	{pattern ".f16", two, ALL_DEMANDS, id##_f16},              \
		{pattern ".f16x2", four, ALL_DEMANDS, id##_f16x2}, \
		{pattern ".bf16", two, ALL_DEMANDS, id##_bf16},    \
		{pattern ".bf16x2", four, ALL_DEMANDS, id##_bf16x2},
#define HALF1(id, pattern, value) ROWS(id, pattern, "=2 2", "=4 4")
#define HALF2(id, pattern, value) ROWS(id, pattern, "=2 2 2", "=4 4 4")
#define HALF3(id, pattern, value) ROWS(id, pattern, "=2 2 2 2", "=4 4 4 4")
#include "simulator/executor/operation/half.def"
	ROWS(negative, "neg", "=2 2", "=4 4") ROWS(absolute, "abs", "=2 2", "=4 4")};

const struct exec_rows EXEC_LEVELED(exec_half_rows) = EXEC_ROWS(rows);
