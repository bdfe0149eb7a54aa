/* Containers: vector, string builder, number map; messages that end the tool. */
#include "base/vector.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/message.h"
#include "base/search.h"
#include "base/slab.h"

TEST(vector_keeps_what_was_added)
{
	SC_VECTOR(uint32_t) v = {0};

	for (uint32_t i = 0; i < 10000; i++)
		sc_vector_push(&v, i * 3);
	*sc_vector_add(&v) = 7;
	assert_int_equal(v.count, 10001);
	assert_int_equal(*sc_vector_last(&v), 7);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(v.items[i], i * 3);
	sc_vector_clear(&v);
	assert_int_equal(v.count, 0);
	sc_vector_fini(&v);
	assert_null(v.items);
}

TEST(slab_gives_lines_and_takes_them_back)
{
	struct sc_slab slab = {0};
	unsigned char *items[200];

	for (unsigned i = 0; i < 200; i++) {
		items[i] = sc_slab_take(&slab, 100);
		assert_int_equal((uintptr_t)items[i] % SC_CACHE_LINE, 0);
		assert_int_equal(items[i][99], 0);
		memset(items[i], (int)i, 100);
	}
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(items[i][99], i);
	sc_slab_give(&slab, items[7]);
	sc_slab_give(&slab, items[9]);
	assert_ptr_equal(sc_slab_take(&slab, 100), items[9]);
	assert_ptr_equal(sc_slab_take(&slab, 100), items[7]);
	sc_slab_fini(&slab);
	assert_null(slab.given);
}

TEST(search_finds_where_a_condition_ends)
{
	static const int sorted[] = {1, 3, 3, 3, 8, 9};
	size_t i;

	for (int wanted = 0; wanted <= 10; wanted++)
		for (size_t total = 0; total <= 6; total++) {
			size_t expected = 0;

			while (expected < total && sorted[expected] < wanted)
				expected++;
			SC_SEARCH(i, total, sorted[i] < wanted);
			assert_int_equal(i, expected);
		}
}

TEST(vector_reserve_makes_room_at_once)
{
	SC_VECTOR(char) v = {0};

	sc_vector_reserve(&v, 1000);
	assert_true(v.room >= 1000);
	assert_int_equal(v.count, 0);
	sc_vector_fini(&v);
}

TEST(buf_builds_text)
{
	struct sc_buf b = {0};
	char *taken;

	assert_string_equal(sc_buf_text(&b), "");
	sc_buf_add(&b, "a");
	sc_buf_add_bytes(&b, NULL, 0);
	sc_buf_fill(&b, '-', 3);
	sc_buf_add_char(&b, ' ');
	sc_buf_printf(&b, "%d %s", 42, "x");
	assert_string_equal(sc_buf_text(&b), "a--- 42 x");
	assert_int_equal(b.bytes, 9);
	taken = sc_buf_take(&b);
	assert_string_equal(taken, "a--- 42 x");
	assert_string_equal(sc_buf_text(&b), "");
	free(taken);
	free(sc_buf_take(&b));
}

TEST(buf_grows_through_printf)
{
	struct sc_buf b = {0};

	for (int i = 0; i < 1000; i++)
		sc_buf_printf(&b, "%04d", i);
	assert_int_equal(b.bytes, 4000);
	assert_int_equal(strlen(b.text), 4000);
	assert_memory_equal(b.text + 3996, "0999", 4);
	sc_buf_clear(&b);
	assert_string_equal(sc_buf_text(&b), "");
	sc_buf_fini(&b);
}

TEST(map_agrees_with_an_array)
{
	static uint64_t expected[4096];
	struct sc_u64_map m = {0};
	uint64_t random = 1;

	assert_null(sc_u64_map_find(&m, 5));
	for (int i = 0; i < 20000; i++) {
		uint64_t key;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		key = random >> 52;
		*sc_u64_map_get(&m, key << 40) += random >> 32;
		expected[key] += random >> 32;
	}
	for (uint64_t key = 0; key < 4096; key++) {
		const uint64_t *value = sc_u64_map_find(&m, key << 40);

		assert_int_equal(value ? *value : 0, expected[key]);
	}
	assert_null(sc_u64_map_find(&m, 12345));
	sc_u64_map_fini(&m);
}

TEST(map_takes_extreme_keys)
{
	struct sc_u64_map m = {0};

	assert_null(sc_u64_map_find(&m, UINT64_MAX));
	*sc_u64_map_get(&m, UINT64_MAX) = 1;
	*sc_u64_map_get(&m, 0) = 2;
	*sc_u64_map_get(&m, UINT64_MAX - 1) = 3;
	assert_int_equal(*sc_u64_map_find(&m, UINT64_MAX), 1);
	assert_int_equal(*sc_u64_map_find(&m, 0), 2);
	assert_int_equal(*sc_u64_map_find(&m, UINT64_MAX - 1), 3);
	sc_u64_map_fini(&m);
}

/* What a child that runs `act` says on stderr; its exit status. */
static int said_by(void (*act)(void), char *out, size_t bytes)
{
	int ends[2], status;
	ssize_t got;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(ends[1]);
	got = read(ends[0], out, bytes - 1);
	out[got > 0 ? got : 0] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status);
}

static void act_die(void)
{
	sc_die("cannot read %s, check the path", "x.sct");
}

static void act_warn(void)
{
	sc_warn("%s", "careful");
}

TEST(messages)
{
	char text[256];

	assert_int_equal(said_by(act_die, text, sizeof(text)), SC_EXIT_USAGE);
	assert_string_equal(text, "streamcheck: cannot read x.sct, check the path\n");
	assert_int_equal(said_by(act_warn, text, sizeof(text)), 0);
	assert_string_equal(text, "streamcheck: careful\n");
}
