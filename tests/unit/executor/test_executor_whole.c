/* Products of halves by whole matrices, compared with the sums in double precision that they are.
 */
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

static void fill(struct whole *x, unsigned factor, unsigned sum)
{
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		x->left[i] = random_half(factor);
		x->right[i] = random_half(factor);
		x->sum.number[i] = random_sum(sum);
	}
}

/* The sum of row i and column j, computed as all other products are. */
static uint32_t expected(const struct whole *x, unsigned i, unsigned j)
{
	double left[SIDE], left_power[SIDE], right[SIDE * EXEC_ALIGNED_COLUMNS];
	double right_power[SIDE * EXEC_ALIGNED_COLUMNS], sum[EXEC_ALIGNED_COLUMNS] = {0};
	struct exec_aligned terms = {left,
				     left_power,
				     right,
				     right_power,
				     SIDE,
				     EXEC_ALIGNED_COLUMNS,
				     EXEC_ALIGNED_PLACES};

	sum[0] = (double)x->sum.number[i * SIDE + j];
	for (unsigned k = 0; k < SIDE; k++) {
		left[k] = (double)x->left[i * SIDE + k];
		left_power[k] = exec_power(left[k], 0x1p-14);
		for (unsigned c = 0; c < EXEC_ALIGNED_COLUMNS; c++) {
			double *b = &right[k * EXEC_ALIGNED_COLUMNS + c];

			*b = c ? 0 : (double)x->right[k * SIDE + j];
			right_power[k * EXEC_ALIGNED_COLUMNS + c] = exec_power(*b, 0x1p-14);
		}
	}
	exec_aligned(&terms, 0x1p-126, sum);
	return exec_bits_of((float)exec_cut_single(sum[0]));
}

TEST(sums_are_those_in_double_precision)
{
	unsigned wrong = 0, done = 0;
	struct whole x, before;

	for (unsigned round = 0; round < 240; round++) {
		fill(&x, round % 3, round / 3 % 4);
		before = x;
		if (!whole_multiply_halves(&x, &shape))
			continue;
		done++;
		for (unsigned i = 0; i < SIDE * SIDE; i++)
			wrong += exec_bits_of(x.sum.number[i]) !=
				 expected(&before, i / SIDE, i % SIDE);
	}
	assert_int_equal(wrong, 0);
	assert_true(done > 100);
}

TEST(what_single_precision_does_not_hold_goes_the_long_way)
{
	struct whole x;

	fill(&x, 0, 3);
	x.left[5] = exec_float_of(0x7F800000);
	assert_false(whole_multiply_halves(&x, &shape));
	fill(&x, 0, 3);
	x.sum.number[7] = exec_float_of(0x7FC00000);
	assert_false(whole_multiply_halves(&x, &shape));
	memset(&x, 0, sizeof(x));
	x.sum.number[7] = 0x1p-120F;
	assert_false(whole_multiply_halves(&x, &shape));
}

TEST(halves_become_the_same_numbers)
{
	uint32_t words[EXEC_LANES], low[EXEC_LANES], high[EXEC_LANES];
	unsigned wrong = 0;

	for (uint32_t first = 0; first < 0x7C00; first += EXEC_LANES) {
		for (uint32_t i = 0; i < EXEC_LANES; i++)
			words[i] = (first + i) << 16 | 0x8000 | (first + i);
		whole_singles(words, 0, low);
		whole_singles(words, 16, high);
		for (uint32_t i = 0; i < EXEC_LANES; i++) {
			float number = exec_single_of_half((uint16_t)(first + i));

			wrong += high[i] != exec_bits_of(number);
			wrong += low[i] != (exec_bits_of(number) | 0x80000000);
		}
	}
	assert_int_equal(wrong, 0);
}
