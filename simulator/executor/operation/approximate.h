/* Powers of two and logarithms in single precision, of all lanes at once: the C library's take one
 * number at a time. Computed in double precision with an error below 2^-36 and rounded once, to
 * nearest, so nearer than a device's approximations. The sums are those of Taylor, in Horner's
 * form.
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

/* Of -0.5 to 0.5: the terms are ln(2)^k / k!. */
static inline double exec_exp2_sum(double f)
{
	double sum = 0x1.b5253d395e7c4p-24;

	sum = sum * f + 0x1.62c0223a5c824p-20;
	sum = sum * f + 0x1.ffcbfc588b0c7p-17;
	sum = sum * f + 0x1.430912f86c787p-13;
	sum = sum * f + 0x1.5d87fe78a6731p-10;
	sum = sum * f + 0x1.3b2ab6fba4e77p-7;
	sum = sum * f + 0x1.c6b08d704a0c0p-5;
	sum = sum * f + 0x1.ebfbdff82c58fp-3;
	sum = sum * f + 0x1.62e42fefa39efp-1;
	return sum * f + 1;
}

/* A number that is none stays so in the sum. */
static inline float exec_exp2(float a)
{
	double x = (double)a, shifted, power;

	x = x > 160 ? 160 : x;
	x = x < -160 ? -160 : x;
	shifted = x + EXEC_SHIFTER;
	power = exec_double_of((exec_double_bits(shifted) + 1023) << 52);
	return (float)(exec_exp2_sum(x - (shifted - EXEC_SHIFTER)) * power);
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
