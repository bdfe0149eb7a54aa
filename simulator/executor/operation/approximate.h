/* Powers of two and logarithms in single precision, of all lanes at once: the C library's take one
 * number at a time. Nearer than a device's approximations: logarithms are computed in double
 * precision with an error below 2^-36 and rounded once, to nearest. The sums are in Horner's form.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EXEC_SHIFTER 0x1.8p52 /* what is added to it ends as an integer in its last bits */

static inline uint64_t exec_double_bits(double a)
{
	uint64_t bits;

	memcpy(&bits, &a, sizeof(bits));
	return bits;
}

static inline double exec_double_of(uint64_t bits)
{
	double a;

	memcpy(&a, &bits, sizeof(a));
	return a;
}

static inline float exec_power_of_2(int32_t n)
{
	uint32_t bits = (uint32_t)(n + 127) << 23;
	float a;

	memcpy(&a, &bits, sizeof(a));
	return a;
}

/* Of -0.5 to 0.5, in single precision: interpolated where the error is least. */
static inline float exec_exp2_sum(float f)
{
	float sum = 0x1.44138ap-13F;

	sum = sum * f + 0x1.5f089p-10F;
	sum = sum * f + 0x1.3b2a54p-7F;
	sum = sum * f + 0x1.c6af6cp-5F;
	sum = sum * f + 0x1.ebfbe0p-3F;
	sum = sum * f + 0x1.62e430p-1F;
	return sum * f + 1;
}

/* Within 1.2 units of the last place, where a device's may be 2. A number that is none stays so in
 * the sum; two powers, as one would not reach the numbers below the normal ones. */
static inline float exec_exp2(float a)
{
	const float shifter = 0x1.8p23F;
	float x = a, shifted;
	int32_t n, half;

	x = x > 160 ? 160 : x;
	x = x < -160 ? -160 : x;
	shifted = x + shifter;
	memcpy(&n, &shifted, sizeof(n));
	n -= 0x4B400000; /* the shifter's bits */
	half = n >> 1;
	return exec_exp2_sum(x - (shifted - shifter)) * exec_power_of_2(half) *
	       exec_power_of_2(n - half);
}

/* Of (m - 1) / (m + 1), which is at most 0.172: the terms are 2 / ln(2) / (2 k + 1). */
static inline double exec_log2_sum(double s)
{
	double square = s * s, sum = 0x1.89f3b1694cffep-3;

	sum = sum * square + 0x1.c68f568d31760p-3;
	sum = sum * square + 0x1.0c9a84994022dp-2;
	sum = sum * square + 0x1.484b13d7c02a9p-2;
	sum = sum * square + 0x1.a61762a7aded9p-2;
	sum = sum * square + 0x1.2776c50ef9bfep-1;
	sum = sum * square + 0x1.ec709dc3a03fdp-1;
	sum = sum * square + 0x1.71547652b82fep+1;
	return sum * s;
}

/* The mantissa is taken between the roots of 1/2 and 2, so that logarithms near zero are exact. */
static inline float exec_log2(float a)
{
	const uint64_t root = UINT64_C(0x3FE6A09E667F3BCD);
	uint64_t bits = exec_double_bits((double)a);
	uint64_t exponent = (bits - root + (UINT64_C(1023) << 52)) >> 52;
	double m = exec_double_of(bits - ((exponent - 1023) << 52));
	double power = exec_double_of(exec_double_bits(EXEC_SHIFTER) + exponent - 1023);
	double value = power - EXEC_SHIFTER + exec_log2_sum((m - 1) / (m + 1));

	value = a == INFINITY ? (double)INFINITY : value;
	value = a == 0 ? -(double)INFINITY : value;
	return (float)(a < 0 || a != a ? (double)NAN : value);
}
