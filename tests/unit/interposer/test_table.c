/* Tables of the recorder: many records, records that come and go, and readers meanwhile. */
#include "interposer/core/table.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include "interposer/core/arena.h"

#define MANY UINT64_C(3000000)

/* Keys as addresses of objects are, and a record for each. */
static uint64_t key_of(uint64_t n)
{
	return 0x7f0000000000 + n * 0x60;
}

static void *record_of(uint64_t n)
{
	return (void *)(uintptr_t)(n + 1);
}

TEST(a_table_grows_to_millions)
{
	struct sc_table t = {0};

	for (uint64_t n = 0; n < MANY; n++)
		assert_int_equal(sc_table_put(&t, key_of(n), record_of(n)), 0);
	for (uint64_t n = 0; n < MANY; n++)
		assert_ptr_equal(sc_table_get(&t, key_of(n)), record_of(n));
	assert_null(sc_table_get(&t, key_of(MANY)));
}

TEST(memory_is_that_of_what_is_there_at_once)
{
	struct sc_table t = {0};
	size_t before = 0;

	for (uint64_t n = 0; n < MANY; n++) {
		assert_int_equal(sc_table_put(&t, key_of(n), record_of(n)), 0);
		if (n >= 1000)
			assert_true(sc_table_clear(&t, key_of(n - 1000), record_of(n - 1000)));
		if (n == 100000)
			before = sc_arena_used();
	}
	assert_int_equal(sc_arena_used(), before);
	for (uint64_t n = MANY - 1000; n < MANY; n++)
		assert_ptr_equal(sc_table_get(&t, key_of(n)), record_of(n));
	assert_null(sc_table_get(&t, key_of(MANY - 1001)));
}

TEST(a_key_comes_back_with_another_record)
{
	struct sc_table t = {0};
	void *before;

	sc_table_put(&t, 8, record_of(1));
	assert_false(sc_table_clear(&t, 8, record_of(2)));
	assert_true(sc_table_clear(&t, 8, record_of(1)));
	assert_null(sc_table_get(&t, 8));
	assert_ptr_equal(sc_table_add(&t, 8, record_of(2)), record_of(2));
	assert_ptr_equal(sc_table_add(&t, 8, record_of(3)), record_of(2));
	assert_int_equal(sc_table_replace(&t, 8, record_of(4), &before), 0);
	assert_ptr_equal(before, record_of(2));
	assert_ptr_equal(sc_table_get(&t, 8), record_of(4));
}

/* ---- readers ---- */

#define STAYING 40 /* beside what comes and goes; few, so that slots are replaced often */

struct reading {
	struct sc_table table;
	atomic_bool is_over;
};

/* How often a record that is there all the time was not found. */
static void *read_staying(void *data)
{
	struct reading *r = data;
	uintptr_t wrong = 0;

	while (!atomic_load(&r->is_over))
		for (uint64_t n = 0; n < STAYING; n++)
			wrong += sc_table_get(&r->table, key_of(n)) != record_of(n);
	return (void *)wrong;
}

TEST(readers_find_what_stays_while_slots_are_replaced)
{
	struct reading r = {0};
	pthread_t readers[2];
	void *wrong;

	for (uint64_t n = 0; n < STAYING; n++)
		sc_table_put(&r.table, key_of(n), record_of(n));
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_staying, &r), 0);
	for (uint64_t n = STAYING; n < MANY / 10; n++) {
		sc_table_put(&r.table, key_of(n), record_of(n));
		sc_table_clear(&r.table, key_of(n), record_of(n));
	}
	assert_true(r.table.generation > 1000);
	atomic_store(&r.is_over, true);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(readers[i], &wrong), 0);
		assert_null(wrong);
	}
}
