/* What the expressions of float.def are made of, beyond C: the smaller and the larger number of
 * double precision, and products that are too small for a device. */
#pragma once

#include "simulator/executor/operation/approximate.h"
#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/operation.h"

/* Of equal numbers, zeros have one with a sign. Without branches, so that lanes are computed at
 * once. */
static inline double exec_smaller_double(double a, double b)
{
	double with_sign = exec_double_of(exec_double_bits(a) | exec_double_bits(b));
	double number = b != b ? b + b : b;
	double smaller = a < b || b != b ? a : b;

	smaller = a != a ? number : smaller;
	return a == b ? with_sign : smaller;
}

static inline double exec_larger_double(double a, double b)
{
	double without_sign = exec_double_of(exec_double_bits(a) & exec_double_bits(b));
	double number = b != b ? b + b : b;
	double larger = a > b || b != b ? a : b;

	larger = a != a ? number : larger;
	return a == b ? without_sign : larger;
}

/* A product, or a sum of one, that rounds to the least normal number only because subnormal numbers
 * have fewer bits. A device rounds to 24 bits first, and flushes what is too small then. */
static inline bool exec_is_tiny(float result, float a, float b, float c, bool to_nearest)
{
	double exact;

	if ((exec_bits_of(result) & 0x7FFFFFFF) != 0x00800000)
		return 0;
	exact = fabs(exec_odd_sum((double)a * (double)b, (double)c));
	return to_nearest ? exact < 0x1p-126 * (1 - 0x1p-25) : exact <= 0x1p-126 * (1 - 0x1p-24);
}

static inline void exec_flush_tiny(float *out, const float *a, const float *b, const float *c,
				   unsigned round)
{
	bool to_nearest = round == EXEC_ROUND_NEAREST;
	uint32_t least = 0;

	EXEC_EACH_LANE
	least |= (exec_bits_of(out[i]) & 0x7FFFFFFF) == 0x00800000;
	for (unsigned i = 0; least && i < EXEC_LANES; i++)
		if (exec_is_tiny(out[i], exec_flush(a[i]), exec_flush(b[i]),
				 c ? exec_flush(c[i]) : 0, to_nearest))
			out[i] = copysignf(0, out[i]);
}
