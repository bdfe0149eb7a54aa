/* The gate: which findings fail, which budgets are passed. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "cmds/judge/budget.h"
#include "cmds/judge/gate.h"

static char message[256];

static bool fails(const char *text, const struct sc_finding *f)
{
	struct sc_gate g;

	assert_int_equal(sc_gate_parse(&g, text, message, sizeof(message)), 0);
	return sc_gate_fails(&g, f);
}

TEST(each_level_fails_more)
{
	static const char *const levels[] = {"none",   "error",	   "warning",
					     "likely", "possible", "advice"};
	static const struct {
		struct sc_finding finding;
		size_t from; /* first level that fails it */
	} cases[] = {
		{{.rule = 101, .severity = SC_ERROR, .confidence = SC_PROVEN}, 1},
		{{.rule = 201, .severity = SC_WARNING, .confidence = SC_PROVEN}, 2},
		{{.rule = 114, .severity = SC_WARNING, .confidence = SC_LIKELY}, 3},
		{{.rule = 101, .severity = SC_ERROR, .confidence = SC_POSSIBLE}, 4},
		{{.rule = 209, .severity = SC_WARNING, .confidence = SC_POSSIBLE}, 4},
		{{.rule = 301, .severity = SC_ADVICE, .confidence = SC_PROVEN}, 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t level = 0; level < sizeof(levels) / sizeof(*levels); level++)
			assert_int_equal(fails(levels[level], &cases[i].finding),
					 level >= cases[i].from);
}

TEST(rules_fail_at_any_level)
{
	struct sc_finding advice = {.rule = 301, .severity = SC_ADVICE};
	struct sc_finding caused = {
		.rule = 106, .causes = {107}, .severity = SC_ERROR, .confidence = SC_POSSIBLE};

	assert_true(fails("SC-301", &advice));
	assert_true(fails("error,301", &advice));
	assert_true(fails("pageable-async-copy", &advice));
	assert_false(fails("SC-303", &advice));
	assert_true(fails("sc-107", &caused));
}

TEST(bad_words_are_refused)
{
	struct sc_gate g;
	char many[512] = "";

	assert_int_not_equal(sc_gate_parse(&g, "error,never", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "\"never\""));
	assert_int_not_equal(sc_gate_parse(&g, "SC-999", message, sizeof(message)), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_not_equal(sc_gate_parse(&g, i ? "," : "", message, sizeof(message)), 0);
		assert_non_null(strstr(message, "use none, error"));
	}
	for (int i = 0; i <= SC_GATE_RULES_MAX; i++)
		strcat(many, "SC-101,");
	assert_int_not_equal(sc_gate_parse(&g, many, message, sizeof(message)), 0);
	assert_non_null(strstr(message, "more than"));
}

static void count(struct sc_budget *b, const char *budget, const char *script)
{
	struct sc_reader *r;

	assert_int_equal(sc_budget_parse(b, budget, message, sizeof(message)), 0);
	assert_int_equal(
		sc_reader_open_memory(&r, script, strlen(script), message, sizeof(message)), 0);
	sc_budget_count(b, r);
	sc_reader_free(r);
}

TEST(budgets_count_what_they_name)
{
	struct sc_budget b;
	struct sc_buf out = {0};

	count(&b, "pageable-bytes=4k,copies=1,stream-syncs=1,kernels=0",
	      "alloc dev 8192\nalloc out 8192 pinned\nalloc heap 8192 pageable\n"
	      "copy s1 out <- dev 4096\ncopy s1 heap <- dev 4097\nstream_sync s1\nexit 0\n");
	assert_int_equal(b.used[SC_BUDGET_copies], 2);
	assert_int_equal(b.used[SC_BUDGET_copy_bytes], 8193);
	assert_int_equal(b.used[SC_BUDGET_pageable_bytes], 4097);
	assert_int_equal(b.used[SC_BUDGET_stream_syncs], 1);
	assert_int_equal(sc_budget_print_passed(&out, &b), 2);
	assert_non_null(strstr(out.text, "budget pageable-bytes: 4097 used, 4096 allowed"));
	assert_non_null(strstr(out.text, "budget copies: 2 used, 1 allowed"));
	assert_null(strstr(out.text, "stream-syncs"));
	sc_buf_fini(&out);
}

TEST(bad_budgets_are_refused)
{
	static const char *const bad[] = {"copies",
					  "copies=",
					  "copies=-1",
					  "copies=1x",
					  "copies=99999999999999999999",
					  "no-such-thing=1"};
	struct sc_budget b;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_not_equal(sc_budget_parse(&b, bad[i], message, sizeof(message)), 0);
	assert_int_equal(sc_budget_parse(&b, "", message, sizeof(message)), 0);
	assert_false(b.is_set);
}
