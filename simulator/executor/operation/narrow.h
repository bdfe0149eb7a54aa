/* Rounding to formats that are narrower than single precision, in any direction. */
#pragma once

#include <string.h>

#include "simulator/executor/code/kernel.h"

/* Bits of a number without its sign: `infinity` is the first one that is no finite number. */
struct exec_format {
	uint8_t mantissa; /* bits */
	uint8_t sign;	  /* bit of the sign */
	int16_t least;	  /* exponent of the least normal number */
	uint32_t infinity;
	uint32_t nan;
};

/* The format of a type, or of its parts; NULL: it is none of these. */
static inline const struct exec_format *exec_format_of(unsigned type)
{
	static const struct exec_format half = {10, 15, -14, 0x7C00, 0x7FFF};
	static const struct exec_format brain = {7, 15, -126, 0x7F80, 0x7FFF};
	static const struct exec_format tf32 = {10, 18, -126, 0x3FC00, 0x3FFFF};
	static const struct exec_format e4m3 = {3, 7, -6, 0x7F, 0x7F};
	static const struct exec_format e5m2 = {2, 7, -14, 0x7C, 0x7F};

	switch (type) {
	case SC_TYPE_F16:
	case SC_TYPE_F16X2: return &half;
	case SC_TYPE_BF16:
	case SC_TYPE_BF16X2: return &brain;
	case SC_TYPE_TF32: return &tf32;
	case SC_TYPE_E4M3:
	case SC_TYPE_E4M3X2: return &e4m3;
	case SC_TYPE_E5M2:
	case SC_TYPE_E5M2X2: return &e5m2;
	}
	return NULL;
}

static inline double exec_rounded(double a, bool is_negative, unsigned round)
{
	switch ((enum exec_round)round) {
	case EXEC_ROUND_ZERO: return __builtin_trunc(a);
	case EXEC_ROUND_DOWN: return is_negative ? __builtin_ceil(a) : __builtin_floor(a);
	case EXEC_ROUND_UP: return is_negative ? __builtin_floor(a) : __builtin_ceil(a);
	case EXEC_ROUND_AWAY: return __builtin_floor(a + 0.5);
	case EXEC_ROUND_NONE:
	case EXEC_ROUND_NEAREST: break;
	}
	return __builtin_rint(a);
}

/* The bits of the number in the format, with what is demanded of it. The number is counted in units
 * of its last bit, so that the count is the bits but for the exponent. */
static inline uint32_t exec_narrow(double a, const struct exec_format *f, unsigned round,
				   unsigned demands)
{
	bool is_negative = __builtin_signbit(a), stays_finite;
	uint32_t sign = (uint32_t)is_negative << f->sign, bits;
	int exponent = f->least;

	if (a != a)
		return demands & EXEC_DEMAND_SATURATE ? 0 : f->nan;
	if (is_negative && demands & (EXEC_DEMAND_RELU | EXEC_DEMAND_SATURATE))
		return 0;
	a = __builtin_fabs(a);
	if (demands & EXEC_DEMAND_SATURATE && a > 1)
		a = 1;
	stays_finite = demands & EXEC_DEMAND_FINITE;
	if (__builtin_isinf(a))
		return sign | (f->infinity - stays_finite);
	if (a > 0x1p200)
		a = 0x1p200;
	if (a >= __builtin_ldexp(1, f->least))
		exponent = __builtin_ilogb(a);
	bits = (uint32_t)exec_rounded(__builtin_ldexp(a, f->mantissa - exponent), is_negative,
				      round) +
	       ((uint32_t)(exponent - f->least) << f->mantissa);
	stays_finite |= round == EXEC_ROUND_ZERO ||
			round == (is_negative ? EXEC_ROUND_UP : EXEC_ROUND_DOWN);
	if (bits >= f->infinity)
		bits = f->infinity - stays_finite;
	return sign | bits;
}

/* What is no number in double precision: its highest bits. */
static inline uint32_t exec_narrow_nan(double a, const struct exec_format *f)
{
	uint64_t bits;

	memcpy(&bits, &a, sizeof(bits));
	bits |= UINT64_C(1) << 51;
	return (uint32_t)(bits >> 63) << f->sign | f->infinity |
	       ((uint32_t)(bits >> (52 - f->mantissa)) & ((UINT32_C(1) << f->mantissa) - 1));
}

/* The number that bits of the format are; what is no number keeps its bits. */
static inline double exec_widened(uint32_t bits, const struct exec_format *f)
{
	uint32_t rest = bits & ((UINT32_C(1) << f->sign) - 1), exponent = rest >> f->mantissa;
	uint32_t mantissa = rest & ((UINT32_C(1) << f->mantissa) - 1);
	bool is_negative = bits >> f->sign & 1;
	uint64_t nan = (uint64_t)is_negative << 63 | UINT64_C(0x7FF8000000000000) |
		       (uint64_t)mantissa << (52 - f->mantissa);
	double a;

	if (rest > f->infinity || (rest == f->infinity && f->nan == f->infinity)) {
		memcpy(&a, &nan, sizeof(a));
		return a;
	}
	a = rest == f->infinity ? __builtin_inf()
	    : exponent		? __builtin_ldexp((double)(mantissa | UINT32_C(1) << f->mantissa),
						  (int)exponent - 1 + f->least - f->mantissa)
				: __builtin_ldexp((double)mantissa, f->least - f->mantissa);
	return is_negative ? -a : a;
}
