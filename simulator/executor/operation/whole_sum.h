/* Products of whole matrices, eight columns at once; sums of halves are aligned as aligned.h says,
 * whose results they are (test_executor_whole.c). False: the handler goes the long way. */
#pragma once

#include "simulator/executor/operation/aligned.h"
#include "simulator/executor/operation/whole.h"

static inline bool whole_any(const whole_numbers *lanes)
{
	exec_row8 any = *(const exec_row8 *)lanes;

	return any[0] | any[1] | any[2] | any[3];
}

/* The exponents by which the addends of eight columns are aligned. False: not in single precision.
 */
static inline bool whole_align(const struct whole *x, const struct shape *s, unsigned a, unsigned b,
			       const float *sum, whole_numbers *power)
{
	const void *at = sum;
	whole_numbers bits = *(const whole_numbers *)at & 0x7FFFFFFF, top = (bits >> 23) - 127;
	whole_numbers is_low = top < -126, has_none = bits == 0;
	whole_numbers is_beyond = bits >= 0x7F800000;

	top = (top & ~is_low) | (is_low & -126);
	top = (top & ~has_none) | (has_none & WHOLE_NONE) | (is_beyond & WHOLE_BEYOND);
	for (unsigned k = 0; k < s->k; k++) {
		whole_numbers next = *(const whole_numbers *)(x->right_power + b + k * s->n) +
				     x->left_power[a + k];
		whole_numbers is_larger = next > top;

		top = (next & is_larger) | (top & ~is_larger);
	}
	top &= top >= WHOLE_NOTHING;
	*power = top;
	top = (top < WHOLE_LEAST) | (top >= WHOLE_BEYOND / 2);
	return !whole_any(&top);
}

/* The sums of eight columns of whole numbers, cut off toward zero to single precision, in which
 * they are normal numbers or zero. */
static inline void whole_cut(const int32_t *total, const int32_t *more, const int32_t *power,
			     float *sum)
{
	for (unsigned j = 0; j < WHOLE_COLUMNS; j += 4) {
		whole_double exact =
			__builtin_convertvector(*(const whole_four *)(total + j), whole_double) +
			__builtin_convertvector(*(const whole_four *)(more + j), whole_double);
		whole_long unit =
			__builtin_convertvector(*(const whole_four *)(power + j), whole_long);

		exact = (whole_double)((whole_long)exact & ~(int64_t)0x1FFFFFFF) *
			(whole_double)((unit - 25 + 1023) << 52);
		*(whole_single *)(sum + j) = __builtin_convertvector(exact, whole_single);
	}
}

/* Adds the products of a row to the sums of eight columns. Half of the addends are less than 2^31
 * together. */
static inline bool whole_add_halves(const struct whole *x, const struct shape *s, unsigned a,
				    unsigned b, float *sum)
{
	whole_numbers power, total[2] = {{0}, {0}};
	whole_row scale;

	if (!whole_align(x, s, a, b, sum, &power))
		return 0;
	scale = (whole_row)((25 + 127 - power) << 23);
	total[0] = __builtin_convertvector(*(const whole_row *)sum * scale, whole_numbers);
	for (unsigned half = 0; half < 2; half++)
		for (unsigned k = half * s->k / 2; k < (half + 1) * s->k / 2; k++) {
			whole_row product =
				x->left[a + k] * *(const whole_row *)(x->right + b + k * s->n);

			total[half] += __builtin_convertvector(product * scale, whole_numbers);
		}
	whole_cut((const int32_t *)&total[0], (const int32_t *)&total[1], (const int32_t *)&power,
		  sum);
	return 1;
}

static inline bool whole_multiply_halves(struct whole *x, const struct shape *s)
{
	for (unsigned i = 0; i < s->m * s->k; i++)
		x->left_power[i] = whole_power(x->left[i], -14);
	for (unsigned i = 0; i < s->k * s->n; i++)
		x->right_power[i] = whole_power(x->right[i], -14);
	for (unsigned at = 0; at < s->m * s->n; at += WHOLE_COLUMNS)
		if (!whole_add_halves(x, s, at / s->n * s->k, at % s->n, &x->sum.number[at]))
			return 0;
	return 1;
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

/* wmma's product, whose factors in half precision have eight registers for every shape. */
static inline bool whole_product(const struct shape *s, const struct registers *d,
				 const struct registers *a, const struct registers *b,
				 const struct registers *c, uint32_t mask, unsigned demands)
{
	bool has_halves = s->a == F16 && s->c == F32 && s->d == F32;
	unsigned each = s->m * s->n / EXEC_LANES;
	unsigned as = has_halves ? 16 : s->m * s->k / EXEC_LANES;
	unsigned bs = has_halves ? 16 : s->k * s->n / EXEC_LANES;
	uint32_t out[EXEC_LANES];
	struct whole x;

	if (!has_halves && s->a != S8 && s->a != U8)
		return 0;
	whole_unpack(a, as, s->m * s->k, x.left);
	whole_unpack(b, bs, s->k * s->n, x.right);
	for (unsigned k = 0; k < each; k++) {
		const int32_t *from = exec_lanes(c->w, c->slot[k]);

		for (unsigned l = 0; l < EXEC_LANES; l++)
			x.sum.word[l * each + k] = from[l];
	}
	if (!has_halves)
		whole_multiply_bytes(&x, s, demands & EXEC_DEMAND_FINITE);
	else if (!whole_multiply_halves(&x, s))
		return 0;
	for (unsigned k = 0; k < each; k++) {
		for (unsigned l = 0; l < EXEC_LANES; l++)
			out[l] = (uint32_t)x.sum.word[l * each + k];
		exec_keep(exec_lanes(d->w, d->slot[k]), out, sizeof(*out), mask);
	}
	return 1;
}
