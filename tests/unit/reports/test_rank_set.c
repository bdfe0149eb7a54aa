/* Sets of ranks: as sets of single numbers, and as people read them. */
#include "reports/many/rank_set.h"

#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

#define RANKS 40

static void add_text(struct sc_rank_set *s, const char *text)
{
	assert_true(sc_rank_set_parse(s, text, strlen(text)));
}

/* The naive form: a flag for each rank. */
static void check_against(const struct sc_rank_set *s, const bool naive[RANKS])
{
	bool have[RANKS] = {0};

	for (size_t i = 0; i < s->ranges.count; i++) {
		assert_true(s->ranges.items[i].first <= s->ranges.items[i].last);
		if (i) /* neither meets nor touches */
			assert_true(s->ranges.items[i - 1].last + 1 < s->ranges.items[i].first);
		for (uint32_t r = s->ranges.items[i].first; r <= s->ranges.items[i].last; r++)
			have[r] = 1;
	}
	assert_memory_equal(have, naive, sizeof(have));
}

TEST(sets_are_what_was_added_in_any_order)
{
	unsigned seed = 7;

	for (unsigned round = 0; round < 300; round++) {
		struct sc_rank_set s = {0}, part = {0};
		bool naive[RANKS] = {0};

		for (unsigned i = 0; i < 12; i++) {
			uint32_t first = (uint32_t)rand_r(&seed) % RANKS;
			uint32_t last = first + (uint32_t)rand_r(&seed) % 4;

			last = last < RANKS ? last : RANKS - 1;
			sc_rank_set_add(i % 2 ? &s : &part, first, last);
			memset(naive + first, 1, last - first + 1);
		}
		sc_rank_set_join(&s, &part);
		check_against(&s, naive);
		sc_rank_set_fini(&s);
		sc_rank_set_fini(&part);
	}
}

static void described_as(const char *set, const char *all, const char *wanted)
{
	struct sc_rank_set s = {0}, of = {0};
	struct sc_buf out = {0};

	add_text(&s, set);
	add_text(&of, all);
	sc_rank_set_describe(&out, &s, &of);
	assert_string_equal(sc_buf_text(&out), wanted);
	sc_buf_clear(&out);
	sc_rank_set_print(&out, &s);
	assert_string_equal(out.text, set);
	sc_buf_fini(&out);
	sc_rank_set_fini(&s);
	sc_rank_set_fini(&of);
}

TEST(people_read_the_shorter_form)
{
	described_as("0-1023", "0-1023", "ranks 0-1023");
	described_as("0-6,8-1023", "0-1023", "ranks 0-1023 except 7");
	described_as("0-6,8-9,12-1023", "0-1023", "ranks 0-1023 except 7, 10-11");
	described_as("1-1023", "0-1023", "ranks 1-1023");
	described_as("0-1,3", "0-3", "ranks 0-1, 3");
	described_as("7", "0-1023", "rank 7");
	described_as("0-6,9-14", "0-7,9-15", "ranks 0-6, 9-14");
	described_as("-", "0-3", "");
	described_as("0,2,4,6,8,10,12,14,16,18,20,22,24,26-28", "0-28",
		     "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 4 more");
}

TEST(what_is_no_set_is_refused)
{
	static const char *const bad[] = {"",	",",	      "1,", "5-3", "3,2", "1-5,5", "1--2",
					  "-1", "1234567890", "a",  "1 2", "1-",  "0x1"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sc_rank_set s = {0};

		assert_false(sc_rank_set_parse(&s, bad[i], strlen(bad[i])));
		sc_rank_set_fini(&s);
	}
}
