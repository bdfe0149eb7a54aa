/* Arena: alignment, zeroing, growth, overflow. */
#include "base/arena.h"

#include <string.h>
#include "tests/unit/unit.h"

TEST(pieces_are_zeroed_aligned_and_apart)
{
	struct sc_arena a = {0};
	uint8_t *pieces[2000];

	for (size_t i = 0; i < 2000; i++) {
		size_t bytes = i % 97;

		pieces[i] = sc_arena_xalloc(&a, bytes, 1);
		assert_int_equal((uintptr_t)pieces[i] % 16, 0);
		for (size_t k = 0; k < bytes; k++)
			assert_int_equal(pieces[i][k], 0);
		memset(pieces[i], (int)i, bytes);
	}
	for (size_t i = 0; i < 2000; i++)
		for (size_t k = 0; k < i % 97; k++)
			assert_int_equal(pieces[i][k], (uint8_t)i);
	sc_arena_fini(&a);
	assert_null(a.chunks);
}

TEST(a_large_piece_gets_its_own_chunk)
{
	struct sc_arena a = {0};
	uint8_t *large = sc_arena_xalloc(&a, 3, 1 << 20);

	large[(3 << 20) - 1] = 1;
	assert_true(a.total >= 3 << 20);
	assert_non_null(sc_arena_xalloc(&a, 1, 16));
	sc_arena_fini(&a);
}

TEST(small_pieces_share_chunks)
{
	struct sc_arena a = {0};

	for (size_t i = 0; i < 1000; i++)
		sc_arena_xalloc(&a, 1, 16);
	assert_true(a.total < 40000);
	sc_arena_fini(&a);
}

TEST(sizes_that_overflow_are_refused)
{
	struct sc_arena a = {0};

	assert_null(sc_arena_alloc(&a, SIZE_MAX, 2));
	assert_null(sc_arena_alloc(&a, SIZE_MAX, 1));
	assert_null(sc_arena_alloc(&a, SIZE_MAX - 40, 1));
	assert_non_null(sc_arena_alloc(&a, 1, 1));
	sc_arena_fini(&a);
}

TEST(text_is_terminated)
{
	struct sc_arena a = {0};

	assert_string_equal(sc_arena_xtext(&a, "hello world", 5), "hello");
	assert_string_equal(sc_arena_xtext(&a, NULL, 0), "");
	sc_arena_fini(&a);
}
