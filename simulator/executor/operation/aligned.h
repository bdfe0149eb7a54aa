/* Sums of products as the tensor cores of an H200 form them, bit by bit.
 *
 * A tensor core adds the products of a block and the number before them at once. Products are
 * exact. Each addend is cut off, toward zero, 25 binary places after the point of the largest
 * exponent among them; what is left is added without an error, and the sum is cut off toward zero
 * to single precision. If sum and result are halves, it is rounded to the nearest half instead. The
 * exponent of a product is the sum of those of its factors, whose product may be 2 or more;
 * subnormal numbers have the exponent of the least normal one; a zero has none, but that of the sum
 * is at least -126.
 *
 * wgmma has few places for factors of 8 bits: 13, and single precision is cut off 13 places after
 * its first one. Fitted likewise, to 10,240 sums of an H200 (of 8 to 27 places, one block to four,
 * both ways of rounding, only this gives all).
 *
 * Places, blocks and cutting off were fitted to what a GPU computed (tests/executor/table.txt.xz,
 * half precision and tf32 with sums in single precision: of blocks of 4 to 16, 23 to 27 places,
 * both ways of rounding, products normalized or not, only this gives all 2,048 results). What no
 * result there depends on is as measured by others: P. Xie et al., "MMA-Sim" (arXiv 2511.10909),
 * and F. A. Khattak, M. Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004).
 */
#pragma once

#include "simulator/executor/operation/single.h"

#define EXEC_ALIGNED_COLUMNS 8 /* that are computed at once */
#define EXEC_ALIGNED_PLACES  0x1p25
#define EXEC_ALIGNED_FEW     0x1p13
#define EXEC_ALIGNED_LEAST   0x1p-126
#define EXEC_ALIGNED_ZERO    0x1p-600 /* times any factor it is less than the least */

/* The products of a block: a row of the first factors, and columns of the second ones. A power is
 * that of two of a factor's exponent. */
struct exec_aligned {
	const double *left, *left_power;
	const double *right, *right_power;
	unsigned count, stride; /* from row to row of the second factors */
	double places;		/* EXEC_ALIGNED_PLACES or _FEW */
};

/* Of what is no finite number: infinity. */
static inline double exec_power(double a, double least)
{
	uint64_t bits;
	double power;

	memcpy(&bits, &a, sizeof(bits));
	bits &= UINT64_C(0x7FF0000000000000);
	memcpy(&power, &bits, sizeof(power));
	return !bits ? EXEC_ALIGNED_ZERO : power < least ? least : power;
}

/* Toward zero; but what single precision has no finite number near to is infinite. */
static inline double exec_cut_single(double a)
{
	float near = (float)a;
	bool is_beyond = __builtin_fabs((double)near) > __builtin_fabs(a);

	if (is_beyond && __builtin_fabs(a) < 0x1p128)
		near = exec_float_of(exec_bits_of(near) - 1);
	return (double)near;
}

/* Toward zero, to what EXEC_ALIGNED_FEW leaves of single precision. */
static inline double exec_cut_few(double a)
{
	double whole = exec_cut_single(a);

	return __builtin_isfinite(whole) ? exec_float_of(exec_bits_of((float)whole) & ~0x3FFU)
					 : whole;
}

/* top: the largest power of the addends of each column. */
static inline __attribute__((always_inline)) void exec_aligned_add(const struct exec_aligned *x,
								   unsigned first, unsigned columns,
								   const double *top, double *sum)
{
	double scale[EXEC_ALIGNED_COLUMNS], total[EXEC_ALIGNED_COLUMNS];

	for (unsigned j = 0; j < columns; j++) {
		scale[j] = x->places / top[first + j];
		total[j] = (int32_t)(sum[first + j] * scale[j]);
	}
	for (unsigned k = 0; k < x->count; k++)
		for (unsigned j = 0; j < columns; j++) {
			double b = x->right[(size_t)k * x->stride + first + j];

			total[j] += (int32_t)(x->left[k] * b * scale[j]);
		}
	for (unsigned j = 0; j < columns; j++)
		sum[first + j] = total[j] * (top[first + j] / x->places);
}

/* With an infinity or no number among the addends. */
static inline double exec_aligned_special(const struct exec_aligned *x, unsigned j, double sum)
{
	for (unsigned k = 0; k < x->count; k++)
		sum += x->left[k] * x->right[(size_t)k * x->stride + j];
	return sum;
}

/* Adds the block to EXEC_ALIGNED_COLUMNS sums, whose subnormal numbers have the power `least`. */
static inline void exec_aligned(const struct exec_aligned *x, double least, double *sum)
{
	double top[EXEC_ALIGNED_COLUMNS], most = 0;

	for (unsigned j = 0; j < EXEC_ALIGNED_COLUMNS; j++) {
		double power = exec_power(sum[j], least);

		top[j] = power > EXEC_ALIGNED_LEAST ? power : EXEC_ALIGNED_LEAST;
	}
	for (unsigned k = 0; k < x->count; k++)
		for (unsigned j = 0; j < EXEC_ALIGNED_COLUMNS; j++) {
			double power = x->left_power[k] * x->right_power[(size_t)k * x->stride + j];

			top[j] = power > top[j] ? power : top[j];
		}
	for (unsigned j = 0; j < EXEC_ALIGNED_COLUMNS; j++)
		most = top[j] > most ? top[j] : most;
	if (!__builtin_isinf(most)) {
		exec_aligned_add(x, 0, EXEC_ALIGNED_COLUMNS, top, sum);
		return;
	}
	for (unsigned j = 0; j < EXEC_ALIGNED_COLUMNS; j++)
		if (__builtin_isinf(top[j]))
			sum[j] = exec_aligned_special(x, j, sum[j]);
		else
			exec_aligned_add(x, j, 1, top, sum);
}
