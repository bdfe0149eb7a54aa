/* Whole: short ways of wmma, by whole matrices instead of elements.
 *
 * Moves of matrices that lie in one piece of memory copy their rows. Products of halves, and of
 * bytes, are computed in single precision, in which each product is exact, and so are the sums of
 * integers; sums of halves are aligned as aligned.h says. Each says whether it was possible: if
 * not, nothing has happened, and the handler goes the long way, element by element. */
#pragma once

#include "simulator/executor/memory.h"
#include "simulator/executor/memory_tile.h"
#include "simulator/executor/operation/aligned.h"
#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/matrix.h"
#include "simulator/executor/operation/straight.h"

#define WHOLE_BYTES 1024 /* most of a matrix that is moved */
#define WHOLE_MOST  512	 /* elements of a factor that is multiplied */
#define WHOLE_SUMS  256

/* ---- moves ---- */

/* Where all of the matrix lies; NULL: take the long way. */
static inline char *whole_place(struct exec_warp *w, const struct exec_instruction *in,
				const struct fragment *f, uint32_t mask, enum exec_use use,
				struct exec_tile *t)
{
	const uint32_t *strides = exec_lanes(w, in->slot[f->stride]);
	uint64_t address[EXEC_LANES], differs = 0;
	uint32_t step = f->by_columns ? f->rows : f->columns;

	if (mask != EXEC_ALL)
		return NULL;
	if (in->width[f->stride])
		step = strides[0] / f->packed;
	t->bytes = bits_of(f->element) / 8;
	t->rows = f->by_columns ? f->columns : f->rows;
	t->row_bytes = (f->by_columns ? f->rows : f->columns) * t->bytes;
	t->pitch = (uint64_t)step * t->bytes;
	exec_places_addresses(w, in, mask, address);
	EXEC_EACH_LANE
	differs |= address[i] ^ address[0];
	return differs ? NULL : exec_memory_tile(w, in, address[0], t, use);
}

/* Copies a row of a multiple of 8 bytes. */
static inline void whole_copy(char *to, const char *from, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i += sizeof(uint64_t))
		memcpy(to + i, from + i, sizeof(uint64_t));
}

#define WHOLE_TURN(T)                                                           \
	for (unsigned i = 0; i < t->rows; i++)                                  \
		for (unsigned k = 0; k < each; k++)                             \
			if (to_memory)                                          \
				*(T *)(memory + i * t->pitch + k * sizeof(T)) = \
					((const T *)lanes)[k * t->rows + i];    \
			else                                                    \
				((T *)lanes)[k * t->rows + i] =                 \
					*(const T *)(memory + i * t->pitch + k * sizeof(T));

/* Between memory and the order in which lanes have the elements: rows one after the other. */
static inline void whole_move(char *memory, char *lanes, const struct exec_tile *t, bool by_columns,
			      bool to_memory)
{
	unsigned each = t->row_bytes / t->bytes;

	for (unsigned i = 0; !by_columns && i < t->rows; i++)
		if (to_memory)
			whole_copy(memory + i * t->pitch, lanes + i * t->row_bytes, t->row_bytes);
		else
			whole_copy(lanes + i * t->row_bytes, memory + i * t->pitch, t->row_bytes);
	if (!by_columns)
		return;
	switch (t->bytes) {
	case 1: WHOLE_TURN(uint8_t) return;
	case 2: WHOLE_TURN(uint16_t) return;
	case 4: WHOLE_TURN(uint32_t) return;
	}
	WHOLE_TURN(uint64_t)
}

/* A lane's elements follow those of the lane before; a fragment with more places than elements has
 * them twice. */
static inline bool whole_load(struct exec_warp *w, const struct exec_instruction *in,
			      const struct fragment *f, const struct registers *r, uint32_t mask)
{
	_Alignas(64) char lanes[WHOLE_BYTES];
	struct exec_tile t;
	char *memory = whole_place(w, in, f, mask, EXEC_READ, &t);
	unsigned each = f->each * bits_of(f->element) / 8, all;

	if (!memory)
		return 0;
	all = t.rows * t.row_bytes;
	whole_move(memory, lanes, &t, f->by_columns, 0);
	for (unsigned k = 0; k * r->width < each; k++) {
		char *to = exec_lanes(w, r->slot[k]);

		for (unsigned l = 0; r->width == 4 && l < EXEC_LANES; l++)
			memcpy(to + l * 4, lanes + (l * each & (all - 1)) + k * 4, 4);
		for (unsigned l = 0; r->width == 8 && l < EXEC_LANES; l++)
			memcpy(to + l * 8, lanes + (l * each & (all - 1)) + k * 8, 8);
	}
	return 1;
}

static inline bool whole_store(struct exec_warp *w, const struct exec_instruction *in,
			       const struct fragment *f, const struct registers *r, uint32_t mask)
{
	_Alignas(64) char lanes[WHOLE_BYTES];
	struct exec_tile t;
	char *memory = whole_place(w, in, f, mask, EXEC_WRITE, &t);
	unsigned each = f->each * bits_of(f->element) / 8;

	if (!memory)
		return 0;
	for (unsigned k = 0; k * r->width < each; k++) {
		const char *from = exec_lanes(w, r->slot[k]);

		for (unsigned l = 0; r->width == 4 && l < EXEC_LANES; l++)
			memcpy(lanes + l * each + k * 4, from + l * 4, 4);
		for (unsigned l = 0; r->width == 8 && l < EXEC_LANES; l++)
			memcpy(lanes + l * each + k * 8, from + l * 8, 8);
	}
	whole_move(memory, lanes, &t, f->by_columns, 1);
	return 1;
}

/* ---- products ---- */

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
		whole_numbers rest = half & 0x7FFF, sign = (half & 0x8000) << 16;
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
	whole_numbers bits = *(const whole_numbers *)sum & 0x7FFFFFFF, top = (bits >> 23) - 127;
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
