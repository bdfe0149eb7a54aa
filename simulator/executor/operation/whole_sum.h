/* Products of whole matrices, eight columns at once; sums of what is no integer are aligned as
 * aligned.h says, whose results they are (test_executor_whole.c). False: the handler goes the long
 * way. */
#pragma once

#include "simulator/executor/operation/aligned.h"
#include "simulator/executor/operation/whole.h"

static inline bool whole_any(const whole_numbers *lanes)
{
	exec_row8 any = *(const exec_row8 *)lanes;

	return any[0] | any[1] | any[2] | any[3];
}

/* The addends of eight columns: `block` numbers of a row, as many rows of the second factor, and
 * the sums before. */
struct whole_terms {
	const float *left, *right;
	const int32_t *left_power, *right_power;
	unsigned stride; /* from row to row of the second factor */
};

/* Those of the sums from `at` on; block after block, the first at `k`. */
static inline struct whole_terms whole_terms(const struct whole *x, const struct shape *s,
					     unsigned at, unsigned k)
{
	size_t a = at / s->n * s->k + k, b = k * s->n + at % s->n;

	return (struct whole_terms){x->left + a, x->right + b, x->left_power + a,
				    x->right_power + b, s->n};
}

/* The exponents by which they are aligned. */
static inline __attribute__((always_inline)) void
whole_align(const struct whole_terms *x, unsigned block, const int32_t *sum, whole_numbers *power)
{
	whole_numbers bits = *(const whole_numbers *)sum & 0x7FFFFFFF, top = (bits >> 23) - 127;
	whole_numbers is_low = top < -126, has_none = bits == 0;
	whole_numbers is_beyond = bits >= 0x7F800000;

	top = (top & ~is_low) | (is_low & -126);
	top = (top & ~has_none) | (has_none & WHOLE_NONE) | (is_beyond & WHOLE_BEYOND);
	for (unsigned k = 0; k < block; k++) {
		whole_numbers next =
			*(const whole_numbers *)(x->right_power + k * x->stride) + x->left_power[k];
		whole_numbers is_larger = next > top;

		top = (next & is_larger) | (top & ~is_larger);
	}
	*power = top & (top >= WHOLE_NOTHING);
}

/* Whole numbers in units of the power, cut off toward zero to single precision, in which they are
 * normal numbers or zero. */
static inline void whole_cut(const whole_numbers *total, const whole_numbers *power, float *sum)
{
	whole_numbers is_negative = *total < 0, exact = (*total ^ is_negative) - is_negative;
	whole_row near = __builtin_convertvector(exact, whole_row);
	whole_numbers is_beyond = __builtin_convertvector(near, whole_numbers) - exact > 0;
	whole_row cut = (whole_row)(((whole_numbers)near + is_beyond) | (is_negative & INT32_MIN));

	*(whole_row *)sum = cut * (whole_row)((*power - 25 + 127) << 23);
}

/* Adds the products to the sums. Half of the addends are less than 2^31 together; where all are
 * not, a sign is set in `overflows`. */
static inline __attribute__((always_inline)) void whole_add(const struct whole_terms *x,
							    unsigned block,
							    const whole_numbers *power, float *sum,
							    whole_numbers *overflows)
{
	whole_row scale = (whole_row)((25 + 127 - *power) << 23);
	whole_numbers total[2] = {{0}, {0}}, all;

	total[0] = __builtin_convertvector(*(const whole_row *)sum * scale, whole_numbers);
	for (unsigned k = 0; k < block; k++) {
		whole_row product = x->left[k] * *(const whole_row *)(x->right + k * x->stride);

		total[k >= block / 2] += __builtin_convertvector(product * scale, whole_numbers);
	}
	all = total[0] + total[1];
	*overflows |= (total[0] ^ all) & (total[1] ^ all);
	whole_cut(&all, power, sum);
}

/* False: not in single precision. */
static inline __attribute__((always_inline)) bool
whole_blocks(struct whole *x, const struct shape *s, unsigned block)
{
	whole_numbers power[WHOLE_SUMS / WHOLE_COLUMNS];
	whole_numbers is_beyond = {0}, overflows = {0};

	for (unsigned k = 0; k < s->k; k += block) {
		for (unsigned at = 0; at < s->m * s->n; at += WHOLE_COLUMNS) {
			struct whole_terms terms = whole_terms(x, s, at, k);
			whole_numbers *top = &power[at / WHOLE_COLUMNS];

			whole_align(&terms, block, x->sum.word + at, top);
			is_beyond |= (*top < WHOLE_LEAST) | (*top > WHOLE_LARGEST);
		}
		if (whole_any(&is_beyond))
			return 0;
		for (unsigned at = 0; at < s->m * s->n; at += WHOLE_COLUMNS) {
			struct whole_terms terms = whole_terms(x, s, at, k);

			whole_add(&terms, block, &power[at / WHOLE_COLUMNS], x->sum.number + at,
				  &overflows);
		}
	}
	overflows = overflows < 0;
	return !whole_any(&overflows);
}

/* As a tensor core adds `block` products at once: 4, 8 or 16. */
static inline bool whole_multiply(struct whole *x, const struct shape *s, unsigned block)
{
	int32_t least = s->a == F16 ? -14 : -126;

	for (unsigned i = 0; i < s->m * s->k; i++)
		x->left_power[i] = whole_power(x->left[i], least);
	for (unsigned i = 0; i < s->k * s->n; i++)
		x->right_power[i] = whole_power(x->right[i], least);
	return block == 16  ? whole_blocks(x, s, 16)
	       : block == 8 ? whole_blocks(x, s, 8)
			    : whole_blocks(x, s, 4);
}

static inline void whole_multiply_bytes(struct whole *x, const struct shape *s, bool saturates)
{
	for (unsigned at = 0; at < s->m * s->n; at += WHOLE_COLUMNS) {
		unsigned a = at / s->n * s->k, b = at % s->n;
		whole_row total = {0};
		int32_t *sum = &x->sum.word[at];

		for (unsigned k = 0; k < s->k; k++)
			total += x->left[a + k] * *(const whole_row *)(x->right + b + k * s->n);
		for (unsigned j = 0; j < WHOLE_COLUMNS; j++) {
			int64_t exact = (int64_t)sum[j] + (int32_t)total[j];

			if (saturates)
				exact = exact > INT32_MAX   ? INT32_MAX
					: exact < INT32_MIN ? INT32_MIN
							    : exact;
			sum[j] = (int32_t)exact;
		}
	}
}
