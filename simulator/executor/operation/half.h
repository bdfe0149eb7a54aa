/* Numbers of 16 bits and fewer: half precision, bfloat16, and formats that only conversions know.
 *
 * Arithmetic is done in single or double precision and rounded once more, which is exact for sums,
 * products and quotients; exec_odd makes it so for sums of products. A device has one NaN of each.
 */
#pragma once

#include "simulator/executor/operation/single.h"

#define EXEC_HALF_NAN  0x7FFF
#define EXEC_BRAIN_NAN 0x7FFF

static inline float exec_single_of_half(uint16_t h)
{
	uint32_t rest = h & 0x7FFF;
	float scaled = exec_float_of(rest << 13) * 0x1p112F;

	if (rest >= 0x7C00)
		scaled = exec_float_of(rest << 13 | 0x7F800000);
	return exec_float_of(exec_bits_of(scaled) | (uint32_t)(h & 0x8000) << 16);
}

/* Zero of the same sign instead of a subnormal number. */
static inline uint16_t exec_flush_half(uint16_t h)
{
	return h & 0x7C00 ? h : h & 0x8000;
}

static inline float exec_single_of_half_flushed(uint16_t h)
{
	return exec_single_of_half(exec_flush_half(h));
}

static inline float exec_single_of_brain(uint16_t h)
{
	return exec_float_of((uint32_t)h << 16);
}

/* To nearest, from the middle to even. Below the normal numbers the sum's last bit is theirs. */
static inline uint16_t exec_half_of_single(float a)
{
	uint32_t bits = exec_bits_of(a), rest = bits & 0x7FFFFFFF;
	uint32_t small = exec_bits_of(exec_float_of(rest) + 0.5F) - 0x3F000000;
	uint32_t normal = (rest - 0x38000000 + 0xFFF + (rest >> 13 & 1)) >> 13;
	uint32_t out = rest < 0x38800000 ? small : rest < 0x47800000 ? normal : 0x7C00;

	if (rest > 0x7F800000)
		return EXEC_HALF_NAN;
	return (uint16_t)(out | (bits >> 16 & 0x8000));
}

static inline uint16_t exec_brain_of_single(float a)
{
	uint32_t bits = exec_bits_of(a);

	if ((bits & 0x7FFFFFFF) > 0x7F800000)
		return EXEC_BRAIN_NAN;
	return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* A single that rounds to a narrower number as the double does: if it is not the double, it is the
 * neighbour whose last bit is 1. */
static inline float exec_odd_single(double a)
{
	float near = (float)a;
	uint32_t bits = exec_bits_of(near);

	if ((double)near == a || a != a)
		return near;
	if (__builtin_fabs((double)near) > __builtin_fabs(a))
		bits--;
	return exec_float_of(bits | 1);
}

/* a * b + c of single precision's numbers with at most 24 bits together in a and b, the same way.
 */
static inline double exec_odd_sum(double product, double c)
{
	double sum = product + c, back = sum - product;
	double error = (product - (sum - back)) + (c - back);
	uint64_t bits;

	memcpy(&bits, &sum, sizeof(bits));
	if (!(error < 0 || error > 0) || !(__builtin_fabs(sum) <= 0x1p1000) || bits & 1)
		return sum;
	bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
	memcpy(&sum, &bits, sizeof(sum));
	return sum;
}

static inline float exec_odd_fma(float a, float b, float c)
{
	return exec_odd_single(exec_odd_sum((double)a * (double)b, (double)c));
}

/* The smaller number: of a number and none the number, of two zeros the negative one. */
static inline float exec_smaller(float a, float b)
{
	if (a == b)
		return exec_float_of(exec_bits_of(a) | exec_bits_of(b));
	return a < b || b != b ? a : b;
}

static inline float exec_larger(float a, float b)
{
	if (a == b)
		return exec_float_of(exec_bits_of(a) & exec_bits_of(b));
	return a > b || b != b ? a : b;
}

/* What is no number is kept, of .NaN. */
static inline float exec_smaller_nan(float a, float b)
{
	return a != a || b != b ? a + b : exec_smaller(a, b);
}

static inline float exec_larger_nan(float a, float b)
{
	return a != a || b != b ? a + b : exec_larger(a, b);
}

/* .xorsign.abs: the magnitude of the result, with the product's sign. */
static inline float exec_with_sign(float magnitude, float a, float b)
{
	uint32_t sign = (exec_bits_of(a) ^ exec_bits_of(b)) & 0x80000000;

	return exec_float_of((exec_bits_of(magnitude) & 0x7FFFFFFF) | sign);
}
