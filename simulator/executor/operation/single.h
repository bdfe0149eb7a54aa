/* Single precision as devices have it, beyond IEEE 754: subnormal numbers that are flushed, the one
 * NaN, saturation; and the host's modes of rounding. */
#pragma once

#include <fenv.h>
#include <stdint.h>
#include <string.h>

#include "simulator/executor/code/kernel.h"

static inline uint32_t exec_bits_of(float a)
{
	uint32_t bits;

	memcpy(&bits, &a, sizeof(bits));
	return bits;
}

static inline float exec_float_of(uint32_t bits)
{
	float a;

	memcpy(&a, &bits, sizeof(a));
	return a;
}

/* Zero of the same sign instead of a subnormal number. */
static inline float exec_flush(float a)
{
	return exec_float_of(exec_bits_of(a) &
			     (exec_bits_of(a) & 0x7F800000 ? UINT32_MAX : 0x80000000));
}

/* A device has one single-precision NaN. */
static inline float exec_canonical(float a)
{
	return a == a ? a : exec_float_of(0x7FFFFFFF);
}

/* a * b + c in double precision. Of what is no number b is kept first, then c, then a, as on an
 * H100. */
static inline double exec_fused(double a, double b, double c)
{
	double sum = __builtin_fma(a, b, c);

	sum = a != a ? a + a : sum;
	sum = c != c ? c + c : sum;
	return b != b ? b + b : sum;
}

/* A result, with what the instruction demands of it. */
static inline float exec_finish(float a, unsigned demands)
{
	a = exec_canonical(a);
	if (demands & EXEC_DEMAND_FTZ)
		a = exec_flush(a);
	if (demands & EXEC_DEMAND_SATURATE)
		a = a > 0 ? a < 1 ? a : 1 : 0;
	return a;
}

/* Rounds so from now on. The C library's function changes the x87 unit's mode, too, which takes
 * longer than what a warp computes; nothing here is computed there. */
static inline void exec_set_rounding(unsigned round)
{
	static const int modes[] = {
		[EXEC_ROUND_NONE] = FE_TONEAREST,  [EXEC_ROUND_NEAREST] = FE_TONEAREST,
		[EXEC_ROUND_ZERO] = FE_TOWARDZERO, [EXEC_ROUND_DOWN] = FE_DOWNWARD,
		[EXEC_ROUND_UP] = FE_UPWARD,	   [EXEC_ROUND_AWAY] = FE_TONEAREST};
#ifdef __SSE2_MATH__
	uint32_t state;

	__asm__ volatile("stmxcsr %0" : "=m"(state));
	state = (state & ~(3U << 13)) | (uint32_t)modes[round] << 3;
	__asm__ volatile("ldmxcsr %0" : : "m"(state) : "memory");
#else
	fesetround(modes[round]);
#endif
}
