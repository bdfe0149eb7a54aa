/* Clocks against their naive form: arrays of maxima. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "analyzer/clock.h"

#define LANES  40
#define CLOCKS 12

static uint64_t state = 88172645463325252;

static uint32_t pick(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % below);
}

static void assert_same(const struct sc_clock *c, const uint64_t *naive)
{
	for (uint32_t lane = 0; lane < LANES + 8; lane++)
		assert_int_equal(sc_clock_at(c, lane), lane < LANES ? naive[lane] : 0);
}

static void naive_join(uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; i < LANES; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

/* Random raises, joins and copies; every clock keeps saying what its array says. */
static void test_against_arrays(void **unused)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *clocks[CLOCKS] = {0};
	uint64_t naive[CLOCKS][LANES] = {0};

	(void)unused;
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t a = pick(CLOCKS), b = pick(CLOCKS), lane = pick(LANES);
		uint64_t position = pick(1000);

		switch (pick(4)) {
		case 0:
			sc_clock_raise(&pool, &clocks[a], lane, position);
			if (naive[a][lane] < position)
				naive[a][lane] = position;
			break;
		case 1:
			sc_clock_join(&pool, &clocks[a], clocks[b]);
			naive_join(naive[a], naive[b]);
			break;
		case 2:
			sc_clock_set(&pool, &clocks[a], clocks[b]);
			memmove(naive[a], naive[b], sizeof(naive[a]));
			break;
		case 3:
			sc_clock_set(&pool, &clocks[a], NULL);
			memset(naive[a], 0, sizeof(naive[a]));
			break;
		}
		assert_same(clocks[a], naive[a]);
		assert_same(clocks[b], naive[b]);
	}
	for (unsigned i = 0; i < CLOCKS; i++)
		sc_clock_put(&pool, clocks[i]);
	sc_clock_pool_fini(&pool);
}

static void test_join_says_what_is_new(void **unused)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *a = NULL, *b = NULL;

	(void)unused;
	sc_clock_raise(&pool, &a, 3, 10);
	assert_false(sc_clock_join(&pool, &a, b));
	assert_true(sc_clock_join(&pool, &b, a));
	assert_ptr_equal(a, b); /* shared, not copied */
	assert_false(sc_clock_join(&pool, &b, a));
	sc_clock_raise(&pool, &b, 3, 11);
	assert_int_equal(sc_clock_at(a, 3), 10);
	assert_int_equal(sc_clock_at(b, 3), 11);
	sc_clock_put(&pool, a);
	sc_clock_put(&pool, b);
	sc_clock_pool_fini(&pool);
}

static void test_points(void **unused)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *base = NULL, *c = NULL;
	struct sc_point p, never = {.lane = 7};

	(void)unused;
	sc_clock_raise(&pool, &base, 1, 5);
	p = (struct sc_point){.base = base, .lane = 2, .position = 9};
	assert_false(sc_point_is_in(&p, c));
	assert_true(sc_point_is_in(&never, c));
	assert_true(sc_clock_join_point(&pool, &c, &p));
	assert_int_equal(sc_clock_at(c, 1), 5);
	assert_int_equal(sc_clock_at(c, 2), 9);
	assert_false(sc_clock_join_point(&pool, &c, &p));
	sc_clock_put(&pool, base);
	sc_clock_put(&pool, c);
	sc_clock_pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_arrays),
		cmocka_unit_test(test_join_says_what_is_new),
		cmocka_unit_test(test_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
