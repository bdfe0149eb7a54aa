/* Recall against a list, and removing from maps against an array, on random keys. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "base/recall.h"

#define KEYS 4096
#define MOST 100

static uint64_t next(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *random >> 33;
}

TEST(map_agrees_with_an_array_when_entries_go)
{
	static uint64_t expected[KEYS];
	struct sc_u64_map m = {0};
	uint64_t random = 1, there = 0;

	for (int i = 0; i < 200000; i++) {
		uint64_t key = next(&random) % KEYS, value = next(&random) + 1;

		there -= expected[key] != 0;
		if (value % 3) {
			*sc_u64_map_get(&m, key << 20) = expected[key] = value;
			there++;
		} else {
			sc_u64_map_remove(&m, key << 20);
			expected[key] = 0;
		}
		assert_int_equal(m.count, there);
		key = next(&random) % KEYS;
		assert_int_equal(sc_u64_map_find(&m, key << 20) ? *sc_u64_map_find(&m, key << 20)
								: 0,
				 expected[key]);
	}
	for (uint64_t key = 0; key < KEYS; key++)
		assert_int_equal(sc_u64_map_find(&m, key << 20) != NULL, expected[key] != 0);
	sc_u64_map_fini(&m);
}

/* However many numbers come and go, the room stays that of those that are there at a time. */
TEST(map_of_passing_keys_stays_small)
{
	struct sc_u64_map m = {0};

	for (uint64_t i = 0; i < 100000; i++) {
		*sc_u64_map_get(&m, i) = i;
		if (i >= 10)
			sc_u64_map_remove(&m, i - 10);
	}
	assert_int_equal(m.count, 10);
	assert_true(m.mask < 64);
	sc_u64_map_fini(&m);
}

TEST(extreme_keys_go)
{
	struct sc_u64_map m = {0};

	sc_u64_map_remove(&m, 7);
	*sc_u64_map_get(&m, UINT64_MAX) = 1;
	*sc_u64_map_get(&m, 0) = 2;
	sc_u64_map_remove(&m, UINT64_MAX);
	assert_null(sc_u64_map_find(&m, UINT64_MAX));
	assert_int_equal(*sc_u64_map_get(&m, UINT64_MAX), 0);
	sc_u64_map_remove(&m, 0);
	assert_null(sc_u64_map_find(&m, 0));
	sc_u64_map_fini(&m);
}

/* The last size is there long before the last entry, and stays. */
TEST(room_is_taken_early)
{
	struct sc_recall r = {.most = 65536};
	size_t places;

	for (uint64_t i = 0; i <= SC_RECALL_FEW; i++)
		sc_recall_note(&r, i, i, NULL);
	places = r.map.mask;
	for (uint64_t i = 0; i < UINT64_C(3) * 65536; i++)
		sc_recall_note(&r, i, i, NULL);
	assert_int_equal(r.map.count, 65536);
	assert_int_equal(r.map.mask, places);
	assert_int_equal(r.keys.room, 65536);
	sc_recall_fini(&r);
}

/* The naive form: the newest at the end. */
struct list {
	struct {
		uint64_t key, value;
	} items[MOST + 1];
	size_t count;
};

static void note(struct list *l, uint64_t key, uint64_t value)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->items[i].key == key) {
			l->items[i].value = value;
			return;
		}
	}
	l->items[l->count].key = key;
	l->items[l->count++].value = value;
	if (l->count <= MOST)
		return;
	memmove(l->items, l->items + 1, MOST * sizeof(*l->items));
	l->count--;
}

TEST(recall_agrees_with_a_list)
{
	struct sc_recall r = {.most = MOST};
	struct list l = {0};
	uint64_t random = 2;

	for (int i = 0; i < 20000; i++) {
		uint64_t key = next(&random) % 300, value = next(&random);
		struct sc_map_entry gone = {0};
		bool is_full = l.count == MOST;
		uint64_t oldest = is_full ? l.items[0].key : 0;

		note(&l, key, value);
		if (sc_recall_note(&r, key, value, &gone)) {
			assert_true(is_full);
			assert_int_equal(gone.key_plus - 1, oldest);
		}
		assert_int_equal(r.map.count, l.count);
		for (size_t k = 0; k < l.count; k++) {
			const uint64_t *found = sc_recall_find(&r, l.items[k].key);

			assert_non_null(found);
			assert_int_equal(*found, l.items[k].value);
		}
	}
	assert_true(r.forgotten > 0);
	sc_recall_fini(&r);
}
