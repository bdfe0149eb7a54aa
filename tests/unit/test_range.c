/* Range sets against their naive form: one owner per address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "analyzer/range.h"

#define SPACE 400

static uint64_t state = 362436069362436069;

static uint32_t pick(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % below);
}

static _Bool is_free(struct sc_range *const *owner, unsigned start, unsigned end)
{
	for (unsigned i = start; i < end; i++)
		if (owner[i])
			return 0;
	return 1;
}

static void assert_same(const struct sc_ranges *set, struct sc_range *const *owner)
{
	struct sc_range *next = NULL;

	for (unsigned i = SPACE; i-- > 0;) {
		if (owner[i])
			next = owner[i];
		assert_ptr_equal(sc_ranges_at(set, i), owner[i]);
		assert_ptr_equal(sc_ranges_from(set, i), next);
	}
}

static void test_against_owners(void **unused)
{
	struct sc_ranges set = {0};
	struct sc_range *owner[SPACE] = {0};
	size_t count = 0;

	(void)unused;
	for (unsigned round = 0; round < 5000; round++) {
		unsigned start = pick(SPACE - 20), end = start + 1 + pick(19);
		struct sc_range *r = owner[start];

		if (r && pick(2)) {
			sc_ranges_remove(&set, r);
			for (unsigned i = 0; i < SPACE; i++)
				if (owner[i] == r)
					owner[i] = NULL;
			free(r);
			count--;
		} else if (is_free(owner, start, end)) {
			r = calloc(1, sizeof(*r));
			r->start = start;
			r->end = end;
			sc_ranges_insert(&set, r);
			for (unsigned i = start; i < end; i++)
				owner[i] = r;
			count++;
		}
		assert_int_equal(set.count, count);
		if (round % 16 == 0)
			assert_same(&set, owner);
	}
	while (set.root) {
		struct sc_range *r = set.root;

		sc_ranges_remove(&set, r);
		free(r);
	}
}

/* Ascending insertion must not make a list of it. */
static void test_depth(void **unused)
{
	static struct sc_range many[100000];
	struct sc_ranges set = {0};
	unsigned depth = 0;

	(void)unused;
	for (unsigned i = 0; i < 100000; i++) {
		many[i] = (struct sc_range){.start = i * 2, .end = i * 2 + 1};
		sc_ranges_insert(&set, &many[i]);
	}
	for (struct sc_range *r = set.root; r; r = r->right)
		depth++;
	assert_in_range(depth, 1, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_owners),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
