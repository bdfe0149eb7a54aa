/* Range sets against their naive form: one owner per address. */
#include <stdbool.h>
#include <stdlib.h>
#include "tests/unit/unit.h"
#include "analyzer/memory/range.h"
#include "tests/unit/pick.h"

#define SPACE 400

static bool is_free(struct sc_range *const *owner, unsigned start, unsigned end)
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

TEST(against_owners)
{
	struct sc_ranges set = {0};
	struct sc_range *owner[SPACE] = {0};
	size_t count = 0;

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
	for (struct sc_range *r; (r = sc_ranges_last(&set));) {
		sc_ranges_remove(&set, r);
		free(r);
	}
}

#define MANY 20000 /* far more than fit into one chunk */

static void remove_all(struct sc_ranges *set, struct sc_range *many, const bool *is_in)
{
	for (unsigned i = 0; i < MANY; i++)
		if (is_in[i])
			sc_ranges_remove(set, &many[i]);
	assert_int_equal(set->count, 0);
	assert_null(set->chunks);
	assert_null(sc_ranges_from(set, 0));
}

/* Ranges of one byte at every even address, those that are in. */
TEST(many)
{
	static struct sc_range many[MANY];
	static bool is_in[MANY];
	struct sc_ranges set = {0};
	struct sc_range *next = NULL;

	for (unsigned i = 0; i < MANY; i++)
		many[i] = (struct sc_range){.start = i * 2, .end = i * 2 + 1};
	for (unsigned round = 0; round < 8 * MANY; round++) {
		unsigned i = pick(MANY);

		(is_in[i] ? sc_ranges_remove : sc_ranges_insert)(&set, &many[i]);
		is_in[i] = !is_in[i];
	}
	assert_true(set.chunk_count > MANY / 2 / SC_RANGE_CHUNK);
	for (unsigned i = MANY; i-- > 0;) {
		assert_ptr_equal(sc_ranges_from(&set, i * 2 + 1), next);
		next = is_in[i] ? &many[i] : next;
		assert_ptr_equal(sc_ranges_at(&set, i * 2), is_in[i] ? next : NULL);
		assert_ptr_equal(sc_ranges_from(&set, i * 2), next);
	}
	remove_all(&set, many, is_in);
}
