/* Whole: the matrices of a product that a warp computes, as numbers of single precision, in which
 * each product is exact, and so are the sums of integers. */
#pragma once

#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/matrix.h"
#include "simulator/executor/operation/straight.h"

#define WHOLE_MOST 512 /* elements of a factor that is multiplied */
#define WHOLE_SUMS 256

/* Eight columns. */
typedef float whole_row __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t whole_numbers __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint16_t whole_words __attribute__((vector_size(16), aligned(2), may_alias));
#define WHOLE_COLUMNS 8
/* Four of them. */
typedef double whole_double __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t whole_long __attribute__((vector_size(32)));

/* Exponents of what has none: of zero, also plus any other; of infinities and what is no number. */
#define WHOLE_NONE    (-1000)
#define WHOLE_NOTHING (WHOLE_NONE / 2)
#define WHOLE_BEYOND  10000
/* Of a sum: 2^25 by it, all addends, and those by that are numbers of single precision. */
#define WHOLE_LEAST   (-100)
#define WHOLE_LARGEST 125

struct whole {
	float left[WHOLE_MOST], right[WHOLE_MOST]; /* rows one after the other */
	int32_t left_power[WHOLE_MOST], right_power[WHOLE_MOST];
	union {
		float number[WHOLE_SUMS];
		int32_t word[WHOLE_SUMS];
	} sum;
};

/* As exec_single_of_half; which NaN it is nobody asks here. */
static inline void whole_singles(const uint16_t *halves, unsigned count, void *to)
{
	whole_numbers *number = to;

	for (unsigned at = 0; at < count; at += WHOLE_COLUMNS) {
		whole_numbers half =
			__builtin_convertvector(*(const whole_words *)(halves + at), whole_numbers);
		whole_numbers rest = half & 0x7FFF, sign = half << 16 & INT32_MIN;
		whole_numbers is_beyond = rest >= 0x7C00, is_small = rest < 0x400;
		whole_numbers normal = (rest << 13) + (112 << 23) + (is_beyond & (112 << 23));
		whole_row small = __builtin_convertvector(rest, whole_row) * 0x1p-24F;

		number[at / WHOLE_COLUMNS] =
			sign | (normal & ~is_small) | ((whole_numbers)small & is_small);
	}
}

/* The numbers of a register, lane after lane, and in each from the low bits on. */
static inline void whole_numbers_of(const void *lanes, enum element e, float *to)
{
	const uint32_t *words = lanes;
	const uint16_t *halves = lanes;
	const uint8_t *bytes = lanes;

	if (e == F16)
		whole_singles(halves, EXEC_LANES * 2, to);
	else if (e == BF16)
		for (unsigned i = 0; i < EXEC_LANES * 2; i++)
			to[i] = exec_single_of_brain(halves[i]);
	else if (e == TF32)
		for (unsigned i = 0; i < EXEC_LANES; i++)
			to[i] = exec_float_of(words[i] & ~UINT32_C(0x1FFF));
	else if (e == S8)
		for (unsigned i = 0; i < EXEC_LANES * 4; i++)
			to[i] = (float)(int8_t)bytes[i];
	else
		for (unsigned i = 0; i < EXEC_LANES * 4; i++)
			to[i] = (float)bytes[i];
}

/* Of two registers whose elements take turns. */
#define WHOLE_JOIN(T, first, second, to)                             \
	for (unsigned i_ = 0; i_ < EXEC_LANES; i_++) {               \
		((T *)(to))[i_ * 2] = ((const T *)(first))[i_];      \
		((T *)(to))[i_ * 2 + 1] = ((const T *)(second))[i_]; \
	}
#define WHOLE_PART(T, from, first, second)                             \
	for (unsigned i_ = 0; i_ < EXEC_LANES; i_++) {                 \
		((T *)(first))[i_] = ((const T *)(from))[i_ * 2];      \
		((T *)(second))[i_] = ((const T *)(from))[i_ * 2 + 1]; \
	}

/* Puts eight rows of `wide` numbers into a matrix of `pitch` columns; or turns them, so that they
 * are its columns. */
#define WHOLE_ROWS(T, from, wide, to, pitch)            \
	for (unsigned i_ = 0; i_ < WHOLE_COLUMNS; i_++) \
		memcpy((to) + i_ * (pitch), (const T *)(from) + i_ * (wide), (wide) * sizeof(T));
#define WHOLE_TURNED(T, from, wide, to, pitch)                  \
	for (unsigned k_ = 0; k_ < (wide); k_++)                \
		for (unsigned i_ = 0; i_ < WHOLE_COLUMNS; i_++) \
			(to)[k_ * (pitch) + i_] = ((const T *)(from))[i_ * (wide) + k_];

/* Where the numbers of a factor's register k are in it: of mma, whose registers have four lanes of
 * eight rows each, or eight columns. */
struct whole_at {
	unsigned row, column;
};

static inline struct whole_at whole_at(const struct shape *s, unsigned k, unsigned wide)
{
	return s->m == 16 ? (struct whole_at){k % 2 * 8, k / 2 * wide}
			  : (struct whole_at){0, k * wide};
}

/* The factors of wmma are in their registers row by row, those of mma in pieces of eight rows. */
static inline void whole_left(const struct registers *r, const struct shape *s, bool is_wmma,
			      float *to)
{
	unsigned each = 32 / bits_of(s->a), count = s->m * s->k / EXEC_LANES / each;
	float numbers[EXEC_LANES * 4];

	for (unsigned k = 0; k < count; k++) {
		struct whole_at at = whole_at(s, k, each * 4);
		unsigned wide = each * 4;
		float *first = &to[at.row * s->k + at.column], *into = numbers;

		if (is_wmma)
			into = to + k * EXEC_LANES * each;
		whole_numbers_of(exec_lanes(r->w, r->slot[k]), s->a, into);
		if (!is_wmma)
			WHOLE_ROWS(float, numbers, wide, first, s->k)
	}
}

static inline void whole_right(const struct registers *r, const struct shape *s, bool is_wmma,
			       float *to)
{
	unsigned each = 32 / bits_of(s->b), count = s->k * s->n / EXEC_LANES / each;
	float numbers[EXEC_LANES * 4];

	for (unsigned k = 0; k < count; k++) {
		float *first = &to[k * each * 4 * s->n], *into = numbers;

		if (is_wmma)
			into = to + k * EXEC_LANES * each;
		whole_numbers_of(exec_lanes(r->w, r->slot[k]), s->b, into);
		if (!is_wmma)
			WHOLE_TURNED(float, numbers, each * 4, first, s->n)
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
