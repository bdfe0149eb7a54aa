/* The short way of products: a file of its own, because here nothing changes the rounding, so
 * that the compiler makes vectors of what op_matrix.c must compute one by one. */
#include "simulator/executor/operation/whole_sum.h"

#define EXPORT(T)                                                                \
	do {                                                                     \
		T *one = exec_lanes(d->w, d->slot[k]);                           \
		T *other = exec_lanes(d->w, d->slot[k + 1]), out[2][EXEC_LANES]; \
		if (mask == EXEC_ALL) {                                          \
			WHOLE_PART(T, from, one, other)                          \
			break;                                                   \
		}                                                                \
		WHOLE_PART(T, from, out[0], out[1])                              \
		exec_keep(one, out[0], sizeof(T), mask);                         \
		exec_keep(other, out[1], sizeof(T), mask);                       \
	} while (0)

/* Products of numbers that single precision holds, with sums in it. */
static bool is_single(const struct shape *s)
{
	return (s->a == F16 || s->a == BF16 || s->a == TF32) && s->c == F32 && s->d == F32;
}

/* The product of a warp, `block` of each sum at once. */
static bool product(const struct shape *s, bool is_wmma, unsigned block, const struct registers *d,
		    const struct registers *a, const struct registers *b, const struct registers *c,
		    uint32_t mask, unsigned demands)
{
	bool has_bytes = s->a == S8 || s->a == U8;
	struct whole x;

	if (!has_bytes && !is_single(s))
		return 0;
	whole_left(a, s, is_wmma, x.left);
	whole_right(b, s, is_wmma, x.right);
	for (unsigned k = 0; k < s->m * s->n / EXEC_LANES; k += 2)
		WHOLE_JOIN(int32_t, exec_lanes(c->w, c->slot[k]), exec_lanes(c->w, c->slot[k + 1]),
			   x.sum.word + k * EXEC_LANES)
	if (has_bytes)
		whole_multiply_bytes(&x, s, demands & EXEC_DEMAND_FINITE);
	else if (!whole_multiply(&x, s, block))
		return 0;
	for (unsigned k = 0; k < s->m * s->n / EXEC_LANES; k += 2) {
		const int32_t *from = x.sum.word + k * EXEC_LANES;

		EXPORT(uint32_t);
	}
	return 1;
}

/* ---- doubles, of eight columns ---- */

static void import_doubles(const struct shape *s, bool is_wmma, const struct registers *a,
			   const struct registers *b, double *left, double *right)
{
	for (unsigned k = 0; k < s->m * s->k / EXEC_LANES; k++) {
		struct whole_at at = whole_at(s, k, 4);

		WHOLE_ROWS(double, exec_lanes(a->w, a->slot[k]), 4,
			   left + at.row * s->k + at.column, s->k)
	}
	for (unsigned k = 0; k < s->k / 4; k++) {
		double *first = &right[k * EXEC_LANES];
		const double *lanes = exec_lanes(b->w, b->slot[k]);

		if (is_wmma)
			memcpy(first, lanes, EXEC_LANES * sizeof(*first));
		else
			WHOLE_TURNED(double, lanes, 4, first, WHOLE_COLUMNS)
	}
}

/* Adds the product of a number and four columns. */
static inline void fuse(whole_double *sum, double a, const double *b)
{
	whole_double c = *sum;

	*sum = (whole_double){__builtin_fma(a, b[0], c[0]), __builtin_fma(a, b[1], c[1]),
			      __builtin_fma(a, b[2], c[2]), __builtin_fma(a, b[3], c[3])};
}

#define INFINITE INT64_C(0x7FF0000000000000)

/* In the order of k. False: one of the sums is no number, of which there are several. */
static bool multiply_doubles(const struct shape *s, const double *left, const double *right,
			     double *sum)
{
	whole_long differs = {0};

	for (unsigned i = 0; i < s->m; i++) {
		whole_double *at = (whole_double *)(sum + i * WHOLE_COLUMNS);
		whole_double low = at[0], high = at[1];

		for (unsigned k = 0; k < s->k; k++) {
			fuse(&low, left[i * s->k + k], right + k * WHOLE_COLUMNS);
			fuse(&high, left[i * s->k + k], right + k * WHOLE_COLUMNS + 4);
		}
		differs |= (((whole_long)low & INT64_MAX) > INFINITE) |
			   (((whole_long)high & INT64_MAX) > INFINITE);
		at[0] = low;
		at[1] = high;
	}
	return !(differs[0] | differs[1] | differs[2] | differs[3]);
}

static bool doubles(const struct shape *s, bool is_wmma, const struct registers *d,
		    const struct registers *a, const struct registers *b, const struct registers *c,
		    uint32_t mask)
{
	double left[WHOLE_SUMS], right[WHOLE_SUMS], sum[WHOLE_SUMS];

	import_doubles(s, is_wmma, a, b, left, right);
	for (unsigned k = 0; k < s->m / 4; k += 2)
		WHOLE_JOIN(double, exec_lanes(c->w, c->slot[k]), exec_lanes(c->w, c->slot[k + 1]),
			   sum + k * EXEC_LANES)
	if (!multiply_doubles(s, left, right, sum))
		return 0;
	for (unsigned k = 0; k < s->m / 4; k += 2) {
		const double *from = sum + k * EXEC_LANES;

		EXPORT(double);
	}
	return 1;
}

bool exec_whole_product(const struct shape *s, bool is_wmma, unsigned block,
			const struct registers *d, const struct registers *a,
			const struct registers *b, const struct registers *c, uint32_t mask,
			unsigned demands)
{
	return s->a == F64 ? doubles(s, is_wmma, d, a, b, c, mask)
			   : product(s, is_wmma, block, d, a, b, c, mask, demands);
}

bool exec_whole_sums(const struct shape *s, unsigned block, const double *left, const double *right,
		     double *sum)
{
	struct whole x;

	if (!is_single(s))
		return 0;
	for (unsigned i = 0; i < s->m * s->k; i++)
		x.left[i] = (float)left[i];
	for (unsigned i = 0; i < s->k * s->n; i++)
		x.right[i] = (float)right[i];
	for (unsigned i = 0; i < s->m * s->n; i++)
		x.sum.number[i] = (float)sum[i];
	if (!whole_multiply(&x, s, block))
		return 0;
	for (unsigned i = 0; i < s->m * s->n; i++)
		sum[i] = (double)x.sum.number[i];
	return 1;
}
