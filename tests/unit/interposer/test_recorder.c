/* The recorder's small parts: table, completion, code ranges, memory of threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/core/arena.h"
#include "interposer/object/completion.h"
#include "interposer/core/code_range.h"
#include "interposer/core/table.h"
#include "interposer/core/thread.h"
#include "interposer/core/scratch.h"

TEST(table_keeps_what_is_put)
{
	struct sc_table table = {0};

	assert_null(sc_table_get(&table, 5));
	for (uint64_t i = 1; i <= 5000; i++)
		assert_int_equal(sc_table_put(&table, i * 64, (void *)(i * 8)), 0);
	for (uint64_t i = 1; i <= 5000; i++)
		assert_ptr_equal(sc_table_get(&table, i * 64), (void *)(i * 8));
	assert_null(sc_table_get(&table, 63));
}

/* Two threads that use a new address at the same time must get it from one record. */
static void *add_all(void *table)
{
	static char mine[2]; /* any two addresses; which is whose does not matter */
	static atomic_int turn;
	char *record = &mine[atomic_fetch_add(&turn, 1) % 2];
	uintptr_t sum = 0;

	for (uint64_t key = 1; key <= 20000; key++)
		sum += key * (uintptr_t)((char *)sc_table_add(table, key, record) - mine);
	return (void *)sum;
}

TEST(table_adds_once)
{
	static struct sc_table table;
	pthread_t other;
	void *theirs, *ours;

	assert_int_equal(pthread_create(&other, NULL, add_all, &table), 0);
	ours = add_all(&table);
	assert_int_equal(pthread_join(other, &theirs), 0);
	assert_ptr_equal(ours, theirs);
	assert_null(sc_table_add(&table, 0, &table));
}

TEST(table_replaces_and_empties)
{
	struct sc_table table = {0};

	sc_table_put(&table, 7, (void *)1);
	sc_table_put(&table, 7, (void *)2);
	assert_ptr_equal(sc_table_get(&table, 7), (void *)2);
	sc_table_put(&table, 7, NULL);
	assert_null(sc_table_get(&table, 7));
	assert_int_not_equal(sc_table_put(&table, 0, (void *)1), 0);
}

TEST(completion_of_a_stream_ends_where_it_was_taken)
{
	struct sc_completion done = {0};

	sc_completion_add(&done, (struct sc_completion_entry){.stream = 3, .sequence = 10});
	assert_true(sc_completion_has(&done, 3, 1, true, 9));
	assert_false(sc_completion_has(&done, 3, 1, true, 10));
	assert_false(sc_completion_has(&done, 4, 1, true, 9));
}

TEST(completion_of_legacy_has_blocking_streams_only)
{
	struct sc_completion done = {0};

	sc_completion_add(&done, (struct sc_completion_entry){.context = 1, .sequence = 10});
	assert_true(sc_completion_has(&done, 4, 1, true, 9));
	assert_false(sc_completion_has(&done, 4, 1, false, 9));
	assert_false(sc_completion_has(&done, 4, 2, true, 9));
}

TEST(full_completion_forgets_the_oldest)
{
	struct sc_completion done = {0};

	for (uint32_t i = 1; i <= SC_COMPLETION_ENTRIES + 1; i++)
		sc_completion_add(&done,
				  (struct sc_completion_entry){.stream = i, .sequence = 100 + i});
	assert_false(sc_completion_has(&done, 1, 0, false, 1));
	for (uint32_t i = 2; i <= SC_COMPLETION_ENTRIES + 1; i++)
		assert_true(sc_completion_has(&done, i, 0, false, 1));
}

TEST(a_later_completion_of_a_stream_replaces_the_earlier)
{
	struct sc_completion done = {0};

	sc_completion_add(&done, (struct sc_completion_entry){.stream = 3, .sequence = 10});
	sc_completion_add(&done, (struct sc_completion_entry){.stream = 3, .sequence = 20});
	sc_completion_add(&done, (struct sc_completion_entry){.stream = 3, .sequence = 15});
	assert_int_equal(done.count, 1);
	assert_true(sc_completion_has(&done, 3, 0, false, 19));
}

TEST(files_are_distinguished)
{
	static const struct {
		const char *path;
		enum sc_code_kind code;
	} files[] = {
		{"/opt/app", SC_CODE_PROGRAM},
		{"/usr/lib/libc.so.6", SC_CODE_PROGRAM},
		{"/x/lib/libstreamcheck.so", SC_CODE_OWN},
		{"/usr/lib/libcuda.so.1", SC_CODE_DRIVER},
		{"/usr/lib/libcuda.so.580.65.06", SC_CODE_DRIVER},
		{"/usr/lib/libnvidia-ptxjitcompiler.so.1", SC_CODE_DRIVER},
		{"/usr/local/cuda/lib64/libcupti.so.13", SC_CODE_DRIVER},
		{"/usr/local/cuda/lib64/libcudart.so.13", SC_CODE_RUNTIME},
		{"/usr/local/cuda/lib64/libcublas.so.13", SC_CODE_LIBRARY},
		{"/usr/lib/libnccl.so.2", SC_CODE_LIBRARY},
		{"/home/me/libcurl.so.4", SC_CODE_PROGRAM},
		{"/home/me/libcustom.so", SC_CODE_PROGRAM},
		{"", SC_CODE_PROGRAM},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (sc_code_range_classify(files[i].path) != files[i].code)
			fail_msg("%s is classified wrongly", files[i].path);
	}
}

/* Threads that come and go share a few pieces. */
TEST(a_thread_gets_the_pieces_of_one_that_ended)
{
	uint8_t *first, *second;

	first = sc_arena_take(SC_ARENA_SITES, 1000);
	assert_non_null(first);
	assert_int_equal((uintptr_t)first % SC_LINE, 0);
	memset(first, 0xff, 1000);
	assert_ptr_not_equal(sc_arena_take(SC_ARENA_SITES, 1000), first);
	sc_arena_give(SC_ARENA_SITES, first);
	sc_arena_give(SC_ARENA_SITES, NULL);
	assert_ptr_not_equal(sc_arena_take(SC_ARENA_RECENT, 1000), first);
	second = sc_arena_take(SC_ARENA_SITES, 1000);
	assert_ptr_equal(second, first);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(second[i], 0);
}

TEST(a_thread_that_ends_gives_all_back)
{
	uint8_t *scratch = sc_thread_scratch();

	sc_thread_end();
	assert_null(sc_self.scratch);
	assert_ptr_equal(sc_thread_scratch(), scratch);
}
