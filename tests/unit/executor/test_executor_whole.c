/* Products by whole matrices, compared with the sums in double precision that they are. */
#include "simulator/executor/operation/whole_sum.h"
#include "tests/unit/unit.h"

#define SIDE 16

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

/* Of all exponents; many zeros, subnormal numbers, and the largest ones. */
static float random_half(unsigned kind)
{
	static const uint16_t odd[] = {0, 0x8000, 1, 0x83FF, 0x3C00, 0x7BFF, 0xFBFF, 0x0400};
	uint32_t bits = next_random();

	if (kind == 1)
		return exec_single_of_half(odd[bits % 8]);
	if (kind == 2)
		return exec_single_of_half((uint16_t)(0x7BFF - bits % 2));
	return exec_single_of_half((uint16_t)(bits % 0x7C00 | (bits >> 1 & 0x8000)));
}

/* Of bf16 or tf32: exponents near each other, then odd numbers, then any exponents. */
static float random_wide(unsigned kind, enum element e)
{
	static const uint32_t odd[] = {0,	   0x80000000, 0x00010000, 0x807F0000,
				       0x3F800000, 0x5D7F0000, 0xDD7F0000, 0x00800000};
	uint32_t bits = next_random() << 8 | next_random() % 256;

	bits &= e == BF16 ? 0xFFFF0000 : 0xFFFFE000;
	if (kind == 1)
		return exec_float_of(odd[bits >> 16 & 7]);
	return exec_float_of(kind == 2 ? bits & 0xBFFFFFFF : (bits & 0x87FFFFFF) | 0x38000000);
}

static float random_sum(unsigned kind)
{
	uint32_t bits = next_random() << 8 | next_random() % 256;

	if (kind == 1)
		return bits & 1 ? 0 : -0.0F;
	if (kind == 2)
		return exec_float_of(bits % 2 ? 0x7F7FFFFF : 0x4E800000);
	if (kind == 3)
		return exec_float_of((bits & 0x80FFFFFF) | 0x40000000);
	return exec_float_of((bits & 0xBFFFFFFF) | 0x20000000);
}

static const struct shape shape = {SIDE, SIDE, SIDE, F32, F16, F16, F32};

static void fill(struct whole *x, enum element e, unsigned factor, unsigned sum)
{
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		x->left[i] = e == F16 ? random_half(factor) : random_wide(factor, e);
		x->right[i] = e == F16 ? random_half(factor) : random_wide(factor, e);
		x->sum.number[i] = random_sum(sum);
	}
}

/* The sum of row i and column j, computed as all other products are. */
static uint32_t expected(const struct whole *x, enum element e, unsigned block, unsigned i,
			 unsigned j)
{
	double left[SIDE], left_power[SIDE], right[SIDE * EXEC_ALIGNED_COLUMNS];
	double right_power[SIDE * EXEC_ALIGNED_COLUMNS], sum[EXEC_ALIGNED_COLUMNS] = {0};
	double least = e == F16 ? 0x1p-14 : 0x1p-126;

	sum[0] = (double)x->sum.number[i * SIDE + j];
	for (unsigned k = 0; k < SIDE; k++) {
		left[k] = (double)x->left[i * SIDE + k];
		left_power[k] = exec_power(left[k], least);
		for (unsigned c = 0; c < EXEC_ALIGNED_COLUMNS; c++) {
			double *b = &right[k * EXEC_ALIGNED_COLUMNS + c];

			*b = c ? 0 : (double)x->right[k * SIDE + j];
			right_power[k * EXEC_ALIGNED_COLUMNS + c] = exec_power(*b, least);
		}
	}
	for (unsigned k = 0; k < SIDE; k += block) {
		size_t at = (size_t)k * EXEC_ALIGNED_COLUMNS;
		struct exec_aligned terms = {
			left + k, left_power + k,	right + at,	    right_power + at,
			block,	  EXEC_ALIGNED_COLUMNS, EXEC_ALIGNED_PLACES};

		exec_aligned(&terms, 0x1p-126, sum);
		sum[0] = exec_cut_single(sum[0]);
	}
	return exec_bits_of((float)sum[0]);
}

static void compare(enum element e, unsigned block)
{
	const struct shape s = {SIDE, SIDE, SIDE, F32, e, e, F32};
	unsigned wrong = 0, done = 0;
	struct whole x, before;

	for (unsigned round = 0; round < 240; round++) {
		fill(&x, e, round % 3, round / 3 % 4);
		before = x;
		if (!whole_multiply(&x, &s, block))
			continue;
		done++;
		for (unsigned i = 0; i < SIDE * SIDE; i++)
			wrong += exec_bits_of(x.sum.number[i]) !=
				 expected(&before, e, block, i / SIDE, i % SIDE);
	}
	assert_int_equal(wrong, 0);
	assert_true(done >= 80);
}

TEST(sums_are_those_in_double_precision)
{
	compare(F16, 16);
	compare(BF16, 16);
	compare(TF32, 4);
	compare(TF32, 8);
}

TEST(what_single_precision_does_not_hold_goes_the_long_way)
{
	struct whole x;

	fill(&x, F16, 0, 3);
	x.left[5] = exec_float_of(0x7F800000);
	assert_false(whole_multiply(&x, &shape, SIDE));
	fill(&x, F16, 0, 3);
	x.sum.number[7] = exec_float_of(0x7FC00000);
	assert_false(whole_multiply(&x, &shape, SIDE));
	memset(&x, 0, sizeof(x));
	x.sum.number[7] = 0x1p-120F;
	assert_false(whole_multiply(&x, &shape, SIDE));
}

TEST(halves_become_the_same_numbers)
{
	uint16_t halves[EXEC_LANES];
	float number[EXEC_LANES];
	unsigned wrong = 0;

	for (uint32_t first = 0; first < 0x10000; first += EXEC_LANES) {
		for (uint32_t i = 0; i < EXEC_LANES; i++)
			halves[i] = (uint16_t)(first + i);
		whole_singles(halves, EXEC_LANES, number);
		for (uint32_t i = 0; i < EXEC_LANES; i++)
			wrong += (halves[i] & 0x7FFF) <= 0x7C00 &&
				 exec_bits_of(number[i]) !=
					 exec_bits_of(exec_single_of_half(halves[i]));
	}
	assert_int_equal(wrong, 0);
}
