/* Strided shapes against their naive form: one flag per byte. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/memory/shape.h"
#include "tests/unit/pick.h"

#define SPACE 4096

static struct sc_access random_shape(void)
{
	struct sc_access a = sc_shape_linear(pick(200), 1 + pick(20), SC_READ, SC_KNOWN_EXACT);

	if (pick(3)) {
		a.rows = 1 + pick(6);
		a.pitch = pick(2) ? 32 : pick(40);
	}
	if (!pick(3)) {
		a.slices = 1 + pick(4);
		a.slice_pitch = a.rows * a.pitch + pick(50);
	}
	return a;
}

static void paint(uint8_t *bytes, const struct sc_access *a)
{
	memset(bytes, 0, SPACE);
	for (uint64_t slice = 0; slice < a->slices; slice++)
		for (uint64_t row = 0; row < a->rows; row++)
			memset(bytes + a->base + slice * a->slice_pitch + row * a->pitch, 1,
			       a->width);
}

TEST(simplify_keeps_the_bytes)
{
	static uint8_t before[SPACE], after[SPACE];

	for (unsigned round = 0; round < 5000; round++) {
		struct sc_access a = random_shape();

		paint(before, &a);
		assert_true(sc_shape_simplify(&a));
		if (a.known == SC_KNOWN_OVER)
			continue; /* slices inside each other become a box, which says so */
		paint(after, &a);
		assert_memory_equal(before, after, SPACE);
	}
}

TEST(overlap)
{
	static uint8_t bytes_a[SPACE], bytes_b[SPACE];
	unsigned overlaps = 0;

	for (unsigned round = 0; round < 20000; round++) {
		struct sc_access a = random_shape(), b = random_shape();
		uint64_t first = 0, end = 0;
		bool expected = 0;

		sc_shape_simplify(&a);
		sc_shape_simplify(&b);
		paint(bytes_a, &a);
		paint(bytes_b, &b);
		for (unsigned i = 0; i < SPACE; i++)
			expected |= bytes_a[i] && bytes_b[i];
		assert_int_equal(sc_shape_overlap(&a, &b, &first, &end),
				 expected ? SC_OVERLAPS : SC_APART);
		overlaps += expected;
		for (uint64_t i = first; i < end; i++)
			assert_true(bytes_a[i] && bytes_b[i]);
	}
	assert_in_range(overlaps, 2000, 18000); /* both answers were asked for */
}

TEST(hostile_sizes)
{
	struct sc_access a = {.base = UINT64_MAX - 8, .width = 16, .rows = 1, .slices = 1};
	struct sc_access b = {
		.base = 64, .width = 1, .pitch = UINT64_MAX / 2, .rows = UINT64_MAX, .slices = 1};
	struct sc_access many = {
		.base = 0, .width = 1, .pitch = 2, .rows = UINT64_C(1) << 40, .slices = 1};
	struct sc_access odd = many;
	struct sc_access still = {.base = 64, .width = 4, .rows = 9, .slices = UINT64_MAX};
	uint64_t first, end;

	assert_false(sc_shape_simplify(&a));
	assert_false(sc_shape_simplify(&b));
	assert_true(sc_shape_simplify(&still)); /* pitch 0: the same bytes again and again */
	assert_true(sc_shape_is_linear(&still));
	assert_true(sc_shape_simplify(&many));
	odd.base = 1;
	assert_true(sc_shape_simplify(&odd));
	assert_int_equal(sc_shape_overlap(&many, &odd, &first, &end), SC_APART);
	odd.pitch = 3;
	assert_int_equal(sc_shape_overlap(&many, &odd, &first, &end), SC_PERHAPS);
}

/* Neither bytes of nothing, nor what ends beyond the address space. */
TEST(no_shape)
{
	const struct sc_access good = {
		.base = 64, .width = 4, .pitch = 16, .rows = 3, .slice_pitch = 64, .slices = 2};
	struct sc_access a = good;

	assert_true(sc_shape_simplify(&a));
	a = good;
	a.width = 0;
	assert_false(sc_shape_simplify(&a));
	a = good;
	a.rows = 0; /* one */
	assert_true(sc_shape_simplify(&a));
	assert_int_equal(a.rows * a.slices, 2);
	a = good;
	a.slices = 0; /* one */
	assert_true(sc_shape_simplify(&a));
	assert_int_equal(a.rows * a.slices, 3);
	a = good;
	a.base = UINT64_MAX - 3;
	assert_false(sc_shape_simplify(&a));
	a = good;
	a.base = UINT64_MAX - 30; /* the first row fits */
	assert_false(sc_shape_simplify(&a));
	a = good;
	a.base = UINT64_MAX - 80; /* the first slice fits */
	assert_false(sc_shape_simplify(&a));
	a = good;
	a.slice_pitch = UINT64_MAX;
	a.slices = 3;
	assert_false(sc_shape_simplify(&a));
}
