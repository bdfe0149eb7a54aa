/* The recorder's table of allocations against a naive list, and under concurrent readers. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/object/memory.h"

#define NAIVE 4096 /* addresses of the naive map */

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static struct sc_known_allocation device(uint64_t start, uint64_t bytes, uint32_t object)
{
	return (struct sc_known_allocation){
		.start = start, .bytes = bytes, .object = object, .memory = SC_MEM_DEVICE};
}

TEST(an_address_inside_is_found)
{
	struct sc_memory_table table = {0};
	struct sc_known_allocation a = device(1000, 100, 1), out;

	assert_int_equal(sc_memory_insert(&table, &a), 0);
	assert_true(sc_memory_look_up(&table, 1000, &out));
	assert_true(sc_memory_look_up(&table, 1099, &out));
	assert_int_equal(out.object, 1);
	assert_false(sc_memory_look_up(&table, 999, &out));
	assert_false(sc_memory_look_up(&table, 1100, &out));
}

TEST(a_device_alias_leads_to_the_host_address)
{
	struct sc_memory_table table = {0};
	struct sc_known_allocation a = {.start = 0x1000,
					.bytes = 64,
					.alias = 0x9000,
					.object = 4,
					.memory = SC_MEM_REGISTERED};
	struct sc_known_allocation out;

	sc_memory_insert(&table, &a);
	assert_true(sc_memory_look_up(&table, 0x9010, &out));
	assert_int_equal(out.host, 0x1000);
	sc_memory_remove(&table, 0x1000, 4);
	assert_false(sc_memory_look_up(&table, 0x9010, &out));
	assert_false(sc_memory_look_up(&table, 0x1010, &out));
}

TEST(words_beyond_all_host_memory_need_no_look_up)
{
	struct sc_memory_table table = {0};
	struct sc_known_allocation far = device(0x100, 64, 1);
	struct sc_known_allocation a = {
		.start = 0x2000, .bytes = 64, .alias = 0x9000, .memory = SC_MEM_PINNED};

	sc_memory_insert(&table, &far);
	assert_false(sc_memory_has_host(&table));
	assert_false(sc_memory_may_be_host(&table, 0x100));
	sc_memory_insert(&table, &a);
	assert_true(sc_memory_may_be_host(&table, 0x2000));
	assert_true(sc_memory_may_be_host(&table, 0x903f)); /* its other address */
	assert_false(sc_memory_may_be_host(&table, 0x1fff));
	assert_false(sc_memory_may_be_host(&table, 0x9040));
}

TEST(removing_an_older_generation_keeps_the_newer)
{
	struct sc_memory_table table = {0};
	struct sc_known_allocation first = device(1000, 100, 1), second = device(1000, 50, 2), out;

	sc_memory_insert(&table, &first);
	sc_memory_insert(&table, &second);
	sc_memory_remove(&table, 1000, 1);
	assert_true(sc_memory_look_up(&table, 1010, &out));
	assert_int_equal(out.object, 2);
	assert_false(sc_memory_look_up(&table, 1060, &out));
}

TEST(a_context_takes_its_memory_along)
{
	struct sc_memory_table table = {0};
	struct sc_known_allocation own = device(1000, 10, 1), pool = device(2000, 10, 2), out;

	own.context = pool.context = 3;
	pool.flags = SC_FLAG_POOL;
	sc_memory_insert(&table, &own);
	sc_memory_insert(&table, &pool);
	sc_memory_remove_context(&table, 3);
	assert_false(sc_memory_look_up(&table, 1000, &out));
	assert_true(sc_memory_look_up(&table, 2000, &out));
}

/* Like memory of a pool: given out, freed, given out again, among others that live on. */
TEST(a_range_that_comes_back_moves_nothing)
{
	static struct sc_memory_table table;
	struct sc_known_allocation out;
	uint64_t moved;

	for (uint32_t i = 1; i <= 1000; i++) {
		struct sc_known_allocation a = device((uint64_t)i << 12, 4096, i);

		sc_memory_insert(&table, &a);
	}
	moved = table.moved;
	for (uint32_t i = 1; i <= 1000; i++) {
		struct sc_known_allocation a = device(UINT64_C(500) << 12, 4096, 1000 + i);

		sc_memory_remove(&table, a.start, 0);
		assert_false(sc_memory_look_up(&table, a.start + 8, &out));
		assert_int_equal(sc_memory_insert(&table, &a), 0);
		assert_true(sc_memory_look_up(&table, a.start, &out));
		assert_int_equal(out.object, 1000 + i);
	}
	assert_int_equal(table.moved, moved);
}

TEST(what_was_freed_is_nowhere)
{
	static struct sc_memory_table table;
	struct sc_known_allocation first = device(1000, 100, 1), second = device(2000, 100, 2), out;

	sc_memory_insert(&table, &first);
	sc_memory_insert(&table, &second);
	sc_memory_remove(&table, 1000, 1);
	sc_memory_remove(&table, 1000, 1);
	assert_false(sc_memory_look_up(&table, 1000, &out));
	assert_false(sc_memory_touches(&table, 900, 1000));
	assert_true(sc_memory_touches(&table, 900, 1101));
	assert_true(sc_memory_next(&table, 0, &out));
	assert_int_equal(out.object, 2);
	sc_memory_remove(&table, 2000, 0);
	assert_false(sc_memory_next(&table, 0, &out));
}

/* The pool gives the bytes out in other pieces, or as other memory. */
TEST(other_memory_at_freed_addresses)
{
	static struct sc_memory_table table;
	struct sc_known_allocation first = device(1000, 100, 1), wide = device(950, 100, 2), out;

	sc_memory_insert(&table, &first);
	sc_memory_remove(&table, 1000, 1);
	sc_memory_insert(&table, &wide);
	assert_true(sc_memory_look_up(&table, 1000, &out));
	assert_int_equal(out.object, 2);
	assert_false(sc_memory_look_up(&table, 1060, &out));
	sc_memory_remove(&table, 950, 2);
	first.object = 3;
	first.memory = SC_MEM_PINNED;
	sc_memory_insert(&table, &first);
	assert_true(sc_memory_look_up(&table, 1060, &out));
	assert_int_equal(out.object, 3);
	assert_false(sc_memory_look_up(&table, 950, &out));
	assert_true(sc_memory_may_be_host(&table, 1000));
}

/* Addresses that never come again do not stay for ever. */
TEST(freed_addresses_are_bounded)
{
	static struct sc_memory_table table;

	for (uint32_t i = 1; i <= 100000; i++) {
		struct sc_known_allocation a = device((uint64_t)i << 12, 4096, i);

		sc_memory_insert(&table, &a);
		sc_memory_remove(&table, a.start, i);
	}
	assert_true(table.entries < 2048);
	assert_true(table.count < 32);
	assert_int_equal(table.freed, table.entries);
	assert_true(table.moved < 1000000);
}

/* ---- recurring ranges ---- */

static struct sc_known_allocation pooled(uint64_t start, uint64_t bytes, uint32_t object)
{
	struct sc_known_allocation a = device(start, bytes, object);

	a.flags = SC_FLAG_POOL;
	return a;
}

/* As a site enters an allocation; true if it needed no lock. */
static bool allocate(struct sc_memory_table *table, const struct sc_known_allocation *a)
{
	struct sc_recurring_key key = {a->start, a->bytes, a->context, a->flags, a->device};

	if (sc_recurring_renew(&table->recurring, &key, a->object))
		return true;
	assert_int_equal(sc_memory_insert(table, a), 0);
	return false;
}

/* As a site ends one; returns its id. */
static uint32_t end(struct sc_memory_table *table, uint64_t start)
{
	struct sc_recurring *recurring = sc_recurring_find(&table->recurring, start);
	struct sc_known_allocation a = {0};
	uint32_t object = recurring ? sc_recurring_end(recurring) : 0;

	if (!object && sc_memory_look_up(table, start, &a) && a.start == start) {
		object = a.object;
		sc_memory_remove(table, start, object);
	}
	return object;
}

TEST(a_range_that_came_back_needs_no_lock)
{
	static struct sc_memory_table table;
	struct sc_known_allocation out, more = pooled(0x1000, 64, 10);

	for (uint32_t i = 1; i < 10; i++) {
		struct sc_known_allocation a = pooled(0x1000, 64, i);
		unsigned version = table.version;

		assert_int_equal(allocate(&table, &a), i > 2);
		assert_true(sc_memory_look_up(&table, 0x103f, &out));
		assert_int_equal(out.object, i);
		assert_null(out.recurring);
		assert_true(sc_memory_next(&table, 0, &out));
		assert_int_equal(out.object, i);
		assert_int_equal(end(&table, 0x1000), i);
		assert_false(sc_memory_look_up(&table, 0x1000, &out));
		assert_false(sc_memory_next(&table, 0, &out));
		assert_int_equal(end(&table, 0x1000), 0);
		assert_int_equal(table.version == version, i > 2);
	}
	more.context = 7; /* in another context it is not the same */
	assert_false(allocate(&table, &more));
	assert_true(sc_memory_look_up(&table, 0x1000, &out));
	assert_int_equal(out.context, 7);
	assert_int_equal(out.object, 10);
}

TEST(a_recurring_range_ends_with_its_entry)
{
	static struct sc_memory_table table;
	struct sc_known_allocation out, wide = pooled(0xff0, 64, 4), again = pooled(0x1000, 64, 5);

	for (uint32_t i = 1; i < 4; i++) {
		struct sc_known_allocation a = pooled(0x1000, 64, i);

		allocate(&table, &a);
		end(&table, 0x1000);
	}
	assert_int_equal(table.recurring.count, 1);
	sc_memory_insert(&table, &wide);
	assert_null(sc_recurring_find(&table.recurring, 0x1000));
	assert_int_equal(table.recurring.count, 0);
	assert_int_equal(end(&table, 0xff0), 4);
	assert_false(allocate(&table, &again));
	assert_true(sc_memory_look_up(&table, 0x1000, &out));
	assert_int_equal(out.object, 5);
}

/* By a call that has no site, and by one that says more of the memory. */
TEST(a_recurring_range_by_other_ways)
{
	static struct sc_memory_table table;
	struct sc_known_allocation out, a = pooled(0x1000, 64, 1);

	for (a.object = 1; a.object < 4; a.object++)
		allocate(&table, &a);
	sc_memory_remove(&table, 0x1000, 1);
	assert_true(sc_memory_look_up(&table, 0x1000, &out));
	sc_memory_remove(&table, 0x1000, 3);
	assert_false(sc_memory_look_up(&table, 0x1000, &out));
	assert_true(allocate(&table, &a));
	sc_memory_hold_host(&table, a.object);
	assert_true(sc_memory_look_up(&table, 0x1000, &out));
	assert_int_equal(out.flags, SC_FLAG_POOL | SC_FLAG_SYNC_MEMOPS);
	assert_int_equal(out.object, 4);
	assert_int_equal(end(&table, 0x1000), 4);
	a.object = 5;
	assert_false(allocate(&table, &a)); /* without the flag, which the range had not */
	assert_true(sc_memory_look_up(&table, 0x1000, &out));
	assert_int_equal(out.flags, SC_FLAG_POOL);
}

TEST(recurring_ranges_are_bounded)
{
	static struct sc_memory_table table;
	uint32_t object = 0;

	for (unsigned round = 0; round < 10; round++) {
		for (uint64_t i = 1; i <= 3 * SC_RECURRING_MOST; i++) {
			struct sc_known_allocation a = pooled((uint64_t)i << 12, 4096, ++object);

			allocate(&table, &a);
			assert_int_equal(end(&table, a.start), object);
		}
	}
	assert_true(table.recurring.count <= SC_RECURRING_MOST);
}

/* Memory that threads take from a pool and give back: a driver, whose lock orders them. Each range
 * is all, or a half, of a piece. */
#define PIECES 8
#define GIVERS 4

static struct {
	struct sc_memory_table table;
	pthread_mutex_t driver;
	uint8_t taken[PIECES]; /* a bit for each half */
	atomic_uint objects, wrong;
} pool = {.driver = PTHREAD_MUTEX_INITIALIZER};

static bool take_range(uint32_t choice, uint64_t *start, uint64_t *bytes)
{
	uint8_t halves = 1 + choice % 3, *taken = &pool.taken[choice / 3 % PIECES];
	bool is_free;

	pthread_mutex_lock(&pool.driver);
	is_free = !(*taken & halves);
	if (is_free)
		*taken |= halves;
	pthread_mutex_unlock(&pool.driver);
	*start = (1 + choice / 3 % PIECES) * 0x1000 + (halves == 2 ? 0x800 : 0);
	*bytes = halves == 3 ? 0x1000 : 0x800;
	return is_free;
}

static void give_back(uint64_t start, uint64_t bytes)
{
	uint8_t halves = bytes == 0x1000 ? 3 : start % 0x1000 ? 2 : 1;

	pthread_mutex_lock(&pool.driver);
	pool.taken[start / 0x1000 - 1] &= (uint8_t)~halves;
	pthread_mutex_unlock(&pool.driver);
}

static void *take_and_give(void *seed)
{
	struct sc_known_allocation a, out;
	uint64_t start, bytes;

	for (unsigned i = 0; i < 20000; i++) {
		if (!take_range(next_random(seed), &start, &bytes))
			continue;
		a = pooled(start, bytes, 1 + atomic_fetch_add(&pool.objects, 1));
		allocate(&pool.table, &a);
		if (!sc_memory_look_up(&pool.table, start + bytes - 1, &out) ||
		    out.object != a.object || out.start != start || out.bytes != bytes)
			atomic_fetch_add(&pool.wrong, 1);
		if (i % 4 == 0) { /* a call without a site forgets it afterwards */
			give_back(start, bytes);
			sc_memory_remove(&pool.table, start, a.object);
			continue;
		}
		if (end(&pool.table, start) != a.object)
			atomic_fetch_add(&pool.wrong, 1);
		give_back(start, bytes);
	}
	return NULL;
}

TEST(threads_that_share_a_pool)
{
	uint32_t seed[GIVERS] = {1, 2, 3, 4};
	pthread_t thread[GIVERS];
	struct sc_known_allocation out;

	for (unsigned i = 0; i < GIVERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, &seed[i]), 0);
	for (unsigned i = 0; i < GIVERS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(atomic_load(&pool.wrong), 0);
	assert_false(sc_memory_next(&pool.table, 0, &out));
}

/* ---- a naive map ---- */

static void naive_add(uint32_t *owner, const struct sc_known_allocation *a)
{
	for (uint64_t i = a->start; i < a->start + a->bytes; i++) {
		uint32_t old = owner[i];

		for (unsigned j = 0; old && j < NAIVE; j++) { /* an overlapped entry goes whole */
			if (owner[j] == old)
				owner[j] = 0;
		}
	}
	for (uint64_t i = a->start; i < a->start + a->bytes; i++)
		owner[i] = a->object;
}

static void compare(struct sc_memory_table *table, const uint32_t *owner, uint64_t at)
{
	struct sc_known_allocation out;
	uint64_t next = at;

	assert_int_equal(sc_memory_look_up(table, at, &out), owner[at] != 0);
	if (owner[at])
		assert_int_equal(out.object, owner[at]);
	while (next < NAIVE && !owner[next])
		next++;
	assert_int_equal(sc_memory_next(table, at, &out), next < NAIVE);
	if (next < NAIVE)
		assert_int_equal(out.object, owner[next]);
	assert_int_equal(sc_memory_touches(table, at, 16), next < at + 16 && next < NAIVE);
}

/* Some come where and as large as those that were just freed. */
static struct sc_known_allocation next_allocation(uint32_t *seed, uint32_t step,
						  const struct sc_known_allocation *freed)
{
	struct sc_known_allocation a = *freed;

	if (!freed->bytes || next_random(seed) % 2)
		a = pooled(1 + next_random(seed) % (NAIVE - 64), 1 + next_random(seed) % 8, step);
	a.object = step;
	return a;
}

TEST(random_changes_agree_with_a_naive_map)
{
	static uint32_t owner[NAIVE];
	struct sc_memory_table table = {0};
	struct sc_known_allocation out = {0};
	uint32_t seed = 12345;

	for (uint32_t step = 1; step <= 6000; step++) {
		struct sc_known_allocation a = next_allocation(&seed, step, &out);
		uint64_t at = next_random(&seed) % NAIVE;

		if (next_random(&seed) % 2) {
			allocate(&table, &a);
			naive_add(owner, &a);
		} else if (sc_memory_look_up(&table, at, &out)) {
			assert_int_equal(end(&table, out.start), out.object);
			for (unsigned j = 0; j < NAIVE; j++)
				owner[j] = owner[j] == out.object ? 0 : owner[j];
		}
		compare(&table, owner, next_random(&seed) % NAIVE);
	}
}

struct shared {
	struct sc_memory_table table;
	atomic_bool stop;
	atomic_uint wrong;
};

static void *read_all_the_time(void *data)
{
	struct shared *s = data;
	struct sc_known_allocation out;

	while (!atomic_load(&s->stop)) {
		/* this one is always there; every entry's number is its start */
		if (!sc_memory_look_up(&s->table, 500005, &out) || out.object != 500000)
			atomic_fetch_add(&s->wrong, 1);
		if (sc_memory_look_up(&s->table, 40, &out) && out.object != out.start)
			atomic_fetch_add(&s->wrong, 1);
	}
	return NULL;
}

TEST(readers_never_see_half_a_change)
{
	static struct shared s;
	struct sc_known_allocation fixed = device(500000, 10, 500000);
	pthread_t reader;

	sc_memory_insert(&s.table, &fixed);
	assert_int_equal(pthread_create(&reader, NULL, read_all_the_time, &s), 0);
	for (unsigned round = 0; round < 200; round++) {
		for (uint32_t i = 1; i < 100; i++) {
			struct sc_known_allocation a = device(i * 16, 16, i * 16);

			sc_memory_insert(&s.table, &a);
		}
		for (uint32_t i = 1; i < 100; i++)
			sc_memory_remove(&s.table, i * 16, i * 16);
	}
	atomic_store(&s.stop, true);
	pthread_join(reader, NULL);
	assert_int_equal(atomic_load(&s.wrong), 0);
}

/* Entries that move for `count` allocations at addresses without an order, half of them freed. */
static uint64_t moved_for(uint32_t count)
{
	struct sc_memory_table table = {0};
	struct sc_known_allocation out;

	for (uint32_t i = 1; i <= count; i++) {
		struct sc_known_allocation a =
			device((uint64_t)(i * UINT32_C(2654435761)) << 12, 64, i);

		assert_int_equal(sc_memory_insert(&table, &a), 0);
	}
	for (uint32_t i = 1; i <= count; i += 2)
		sc_memory_remove(&table, (uint64_t)(i * UINT32_C(2654435761)) << 12, i);
	for (uint32_t i = 1; i <= count; i++)
		assert_int_equal(
			sc_memory_look_up(&table, ((uint64_t)(i * UINT32_C(2654435761)) << 12) + 63,
					  &out),
			i % 2 == 0);
	return table.moved;
}

TEST(an_allocation_costs_the_same_among_ten_times_as_many)
{
	assert_true(moved_for(200000) < 2 * 10 * moved_for(20000));
}
