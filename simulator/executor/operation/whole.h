/* Whole: wmma's matrices of halves and of bytes as numbers of single precision, in which each
 * product is exact, and so are the sums of integers. */
#pragma once

#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/matrix.h"
#include "simulator/executor/operation/straight.h"

#define WHOLE_MOST 512 /* elements of a factor that is multiplied */
#define WHOLE_SUMS 256

/* Eight columns. */
typedef float whole_row __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t whole_numbers __attribute__((vector_size(32), aligned(4), may_alias));
#define WHOLE_COLUMNS 8
/* Four of them. */
typedef int32_t whole_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float whole_single __attribute__((vector_size(16), aligned(4), may_alias));
typedef double whole_double __attribute__((vector_size(32)));
typedef int64_t whole_long __attribute__((vector_size(32)));

/* Exponents of what has none: of zero, also plus any other; of infinities and what is no number. */
#define WHOLE_NONE    (-1000)
#define WHOLE_NOTHING (WHOLE_NONE / 2)
#define WHOLE_BEYOND  10000
#define WHOLE_LEAST   (-100) /* of a sum; 2^25 by it, and all addends by that, are normal numbers */

struct whole {
	float left[WHOLE_MOST], right[WHOLE_MOST]; /* rows one after the other */
	int32_t left_power[WHOLE_MOST], right_power[WHOLE_MOST];
	union {
		float number[WHOLE_SUMS];
		int32_t word[WHOLE_SUMS];
	} sum;
};

/* As exec_single_of_half, of the halves that lie `shift` bits up in the lanes' words; which NaN it
 * is nobody asks here. */
static inline void whole_singles(const uint32_t *words, unsigned shift, uint32_t *number)
{
	for (unsigned at = 0; at < EXEC_LANES; at += WHOLE_COLUMNS) {
		whole_numbers half = *(const whole_numbers *)(words + at) >> (int32_t)shift;
		whole_numbers rest = half & 0x7FFF, sign = half << 16 & INT32_MIN;
		whole_numbers is_beyond = rest >= 0x7C00, is_small = rest < 0x400;
		whole_numbers normal = (rest << 13) + (112 << 23) + (is_beyond & (112 << 23));
		whole_row small = __builtin_convertvector(rest, whole_row) * 0x1p-24F;

		*(whole_numbers *)(number + at) =
			sign | (normal & ~is_small) | ((whole_numbers)small & is_small);
	}
}

/* The k-th number of a register, of each lane. */
static inline void whole_numbers_of(const uint32_t *words, enum element e, unsigned k,
				    uint32_t *number)
{
	if (e == F16)
		whole_singles(words, k * 16, number);
	else if (e == S8)
		EXEC_EACH_LANE
	number[i] = exec_bits_of((float)(int8_t)(words[i] >> k * 8));
	else EXEC_EACH_LANE number[i] = exec_bits_of((float)(uint8_t)(words[i] >> k * 8));
}

/* Of elements that several lanes have, the last ones count. */
static inline void whole_unpack(const struct registers *r, unsigned each, unsigned total, float *to)
{
	unsigned count = 32 / bits_of(r->element), first = EXEC_LANES - total / each;
	uint32_t number[EXEC_LANES];

	for (unsigned at = 0; at < each; at++) {
		whole_numbers_of(exec_lanes(r->w, r->slot[at / count]), r->element, at % count,
				 number);
		for (unsigned l = first; l < EXEC_LANES; l++)
			memcpy(&to[(l - first) * each + at], &number[l], sizeof(*to));
	}
}

/* Exponents, of which those of normal numbers are `least` and more. */
static inline int32_t whole_power(float a, int32_t least)
{
	int32_t bits = (int32_t)(exec_bits_of(a) & 0x7FFFFFFF), power = (bits >> 23) - 127;

	power = power < least ? least : power;
	power = bits >= 0x7F800000 ? WHOLE_BEYOND : power;
	return bits ? power : WHOLE_NONE;
}
