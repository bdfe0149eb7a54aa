/* The table of verdicts: order, equal lines, what is beyond a screen, and the same for programs. */
#include "reports/verified.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "base/heap.h"

static void add(struct sc_verified *v, enum sc_verified_as verdict, unsigned found_rule,
		const char *what, const char *reason)
{
	struct sc_verified_row row = {.rule = 209,
				      .found_rule = (uint16_t)found_rule,
				      .fingerprint = v->rows.count + 1,
				      .found = found_rule ? 0xF : 0,
				      .verdict = verdict,
				      .what = sc_heap_xcopy(what, strlen(what))};

	if (reason)
		row.reason = sc_heap_xcopy(reason, strlen(reason));
	sc_vector_push(&v->rows, row);
}

static void prints(struct sc_verified *v, const char *expected)
{
	struct sc_buf out = {0};

	sc_verified_sort(v);
	sc_verified_print(&out, v, &(struct sc_report_style){0});
	assert_string_equal(sc_buf_text(&out), expected);
	sc_buf_fini(&out);
	sc_verified_fini(v);
}

TEST(proven_come_first_and_equal_ones_are_one)
{
	struct sc_verified v = {.trace = "a.sct"};

	add(&v, SC_VERIFIED_APART, 0, "k at a.cu:1 and m at a.cu:2", NULL);
	add(&v, SC_VERIFIED_OPEN, 0, "k at a.cu:1 and m at a.cu:3", "m was not launched");
	add(&v, SC_VERIFIED_PROVEN, 105, "k at a.cu:1 and m at a.cu:4", NULL);
	add(&v, SC_VERIFIED_PROVEN, 209, "k at a.cu:5", NULL);
	add(&v, SC_VERIFIED_APART, 0, "k at a.cu:1 and m at a.cu:2", NULL);
	prints(&v,
	       "streamcheck: 5 findings of a.sct tried again: 2 proven, 1 not decided, 2 not seen\n"
	       "  proven:   SC-209, now SC-105: k at a.cu:1 and m at a.cu:4\n"
	       "  proven:   SC-209: k at a.cu:5\n"
	       "  not decided: SC-209: k at a.cu:1 and m at a.cu:3: m was not launched\n"
	       "  not seen: SC-209: k at a.cu:1 and m at a.cu:2 (2 findings): the bytes were "
	       "apart in this run\n\n");
}

TEST(other_reasons_are_other_lines)
{
	struct sc_verified v = {.trace = "a.sct"};

	add(&v, SC_VERIFIED_OPEN, 0, "k", "why");
	add(&v, SC_VERIFIED_OPEN, 0, "k", "because");
	add(&v, SC_VERIFIED_OPEN, 106, "k", "why");
	prints(&v,
	       "streamcheck: 3 findings of a.sct tried again: 0 proven, 3 not decided, 0 not seen\n"
	       "  not decided: SC-209: k: because\n"
	       "  not decided: SC-209: k: why\n"
	       "  not decided: SC-209, now SC-106: k: why\n\n");
}

TEST(lines_beyond_a_screen_are_counted)
{
	struct sc_verified v = {.trace = "a.sct"};
	struct sc_buf out = {0};
	char what[16];

	for (int i = 10; i < 40; i++) {
		snprintf(what, sizeof(what), "k at %d", i);
		add(&v, SC_VERIFIED_APART, 0, what, NULL);
		add(&v, SC_VERIFIED_APART, 0, what, NULL);
	}
	sc_verified_sort(&v);
	sc_verified_print(&out, &v, &(struct sc_report_style){0});
	assert_non_null(strstr(sc_buf_text(&out), "0 not decided, 60 not seen\n"));
	assert_non_null(strstr(sc_buf_text(&out), "k at 24 (2 findings)"));
	assert_null(strstr(sc_buf_text(&out), "k at 25"));
	assert_non_null(strstr(sc_buf_text(&out), "  not seen: 30 more findings; "));
	sc_buf_fini(&out);
	sc_verified_fini(&v);
}

TEST(names_are_made_fit_for_a_terminal)
{
	struct sc_verified v = {.trace = "a\033[1m\n.sct"};
	struct sc_buf out = {0};

	sc_verified_print(&out, &v, &(struct sc_report_style){0});
	assert_null(strchr(sc_buf_text(&out), '\033'));
	sc_buf_fini(&out);
}

TEST(programs_get_all_rows)
{
	struct sc_verified v = {.trace = "a\"b\xFF"};
	struct sc_buf out = {0};
	struct sc_json w = {.out = &out};

	for (int i = 0; i < 40; i++)
		add(&v, SC_VERIFIED_OPEN, i ? 0 : 105, "k", "why");
	sc_json_open(&w, NULL, '{');
	sc_verified_put(&w, &v);
	sc_json_close(&w, '}');
	assert_non_null(strstr(sc_buf_text(&out), "\"not_decided\": 40"));
	assert_non_null(strstr(sc_buf_text(&out), "\"fingerprint\": \"0000000000000028\""));
	assert_non_null(strstr(sc_buf_text(&out), "\"found_rule\": \"SC-105\""));
	assert_non_null(strstr(sc_buf_text(&out), "a\\\"b"));
	assert_null(strchr(sc_buf_text(&out), '\xFF'));
	sc_buf_fini(&out);
	sc_verified_fini(&v);
}
