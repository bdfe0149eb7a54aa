/* The page of the text report: how much is shown of one finding, and of a thousand. */
#include "reports/text/text_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "tests/unit/reports/report_fake.h"

#define PLACES 12 /* lines that copy, each with a stack of its own */

/* Copies of one stream, then host reads; each op has its own stack. */
static void make(struct fake *f)
{
	char script[4096] = "process 1 text=\"./busy\"\nalloc dev 4096\nalloc out 4096 pinned\n";
	char line[64];

	for (unsigned i = 0; i < PLACES; i++) {
		snprintf(line, sizeof(line), "copy n1 out <- dev 64 stack=%u\n", i + 1);
		strcat(script, line);
	}
	strcat(script, "host_read out 4 stack=15\nexit 0\n");
	fake_init(f, script);
	f->analysis.coverage = (struct sc_coverage){.ops = 20, .driver_seen = 1, .closed = 1};
}

/* A stack of the function that copies, and so many callers. */
static void add_stack(struct fake *f, uint32_t stack, unsigned line, unsigned callers)
{
	fake_frame(f, stack, "cudaMemcpyAsync", NULL, 0, "/opt/lib/libcudart.so.13");
	fake_frame(f, stack, "copy(float*)", "busy.cu", line, NULL);
	for (unsigned i = 0; i < callers; i++)
		fake_frame(f, stack, "level(std::vector<float, std::allocator<float> >&)",
			   "busy.cu", 100 + i, NULL);
	fake_frame(f, stack, "main", "busy.cu", 99, NULL);
}

static struct sc_finding *add_finding(struct fake *f, unsigned rule, unsigned place)
{
	struct sc_finding *finding = fake_finding(f, rule, SC_ERROR);
	uint64_t out = sc_analysis_record(&f->analysis, fake_op(f, 3))->op.dst;

	finding->side[0] = fake_side(f, 4 + place, SC_SIDE_WRITE, out, 4);
	finding->side[1] = fake_side(f, 4 + PLACES, SC_SIDE_READ, out, 4);
	finding->allocation = fake_op(f, 3) + 1;
	finding->fix = SC_FIX_SYNC_STREAM;
	finding->fix_stream = finding->side[0].stream;
	finding->fix_before = finding->side[1].op + 1;
	return finding;
}

static char *text_of(struct fake *f, const struct sc_report_style *style)
{
	struct sc_buf out = {0};

	sc_report_print(sc_report_find("text", 4), &out, &f->report, style);
	return sc_buf_take(&out);
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		count++;
	return count;
}

/* Everything that a finding can say, at once. */
static void make_worst(struct fake *f)
{
	struct sc_finding *worst;

	make(f);
	for (uint32_t i = 1; i <= PLACES; i++)
		add_stack(f, i, i, 30);
	add_stack(f, 15, 50, 30);
	worst = add_finding(f, SC_RULE_101, 0);
	worst->causes[0] = SC_RULE_112;
	worst->causes[1] = SC_RULE_107;
	worst->causes[2] = SC_RULE_206;
	worst->confidence = SC_POSSIBLE;
	worst->doubt = SC_DOUBT_LOST;
	worst->reach = SC_REACH_EARLIER;
	worst->reach_op = worst->side[0].op + 1;
	worst->count = 1000000;
	for (unsigned i = 1; i < PLACES; i++)
		add_finding(f, SC_RULE_103, i)->leader = 1;
}

TEST(a_finding_has_25_lines_at_most)
{
	static const unsigned widths[] = {0, 200, 120, 100, 80, 60, 40};
	struct fake f;

	make_worst(&f);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct sc_report_style style = {.width = widths[i]};
		char *text = text_of(&f, &style), *end = strstr(text, "\n\nerror ");

		assert_non_null(end);
		assert_true(sc_text_count_lines(end + 2) <= SC_TEXT_LINES);
		assert_non_null(strstr(end, "  fix: "));
		assert_non_null(strstr(end, "  explain: "));
		free(text);
	}
	fake_fini(&f);
}

TEST(all_shows_every_frame_and_follower)
{
	struct sc_report_style style = {.is_whole = 1};
	struct fake f;
	char *text;

	make_worst(&f);
	text = text_of(&f, &style);
	assert_null(strstr(text, "more"));
	assert_int_equal(count_of(text, "\nerror SC-103"), PLACES - 1);
	assert_int_equal(count_of(text, "for the same reason as finding 1"), PLACES - 1);
	free(text);
	fake_fini(&f);
}

TEST(followers_are_below_their_leader)
{
	struct sc_report_style style = {0};
	struct fake f;
	char *text;

	make(&f);
	for (uint32_t i = 1; i <= 2; i++)
		add_stack(&f, i, i, 0);
	add_finding(&f, SC_RULE_101, 0);
	add_finding(&f, SC_RULE_103, 1)->leader = 1;
	text = text_of(&f, &style);
	assert_int_equal(count_of(text, "\nerror SC-"), 1);
	assert_non_null(strstr(text, "2 errors"));
	assert_non_null(strstr(text,
			       "  also:     1 more finding for the same reason, which the same fix "
			       "ends:\n  SC-103:   finding 2, cudaMemcpyAsync at busy.cu:2 and "));
	free(text);
	fake_fini(&f);
}

/* `rules` rules, whose findings are at all the places. */
static void make_many(struct fake *f, unsigned rules)
{
	static const uint16_t numbers[] = {101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
					   111, 112, 113, 114, 115, 116, 117, 119, 120, 121};

	make(f);
	for (uint32_t i = 1; i <= PLACES; i++)
		add_stack(f, i, i, 2);
	add_stack(f, 15, 50, 2);
	for (unsigned i = 0; i < FAKE_FINDINGS; i++)
		add_finding(f, numbers[i % rules], i / rules % PLACES);
}

TEST(a_thousand_findings_are_a_page)
{
	static const unsigned rules[] = {1, 2, 5, 20};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct sc_report_style style = {0};
		struct fake f;
		char *text;

		make_many(&f, rules[i]);
		text = text_of(&f, &style);
		assert_true(sc_text_count_lines(text) <= SC_TEXT_PAGE);
		assert_non_null(strstr(text, "1200 errors"));
		assert_non_null(strstr(text, "of 1200 findings in full; --text=all"));
		assert_non_null(strstr(text, "SC-101"));
		assert_int_equal(strstr(text, " more rules") != NULL, rules[i] == 20);
		free(text);
		style.is_whole = 1;
		text = text_of(&f, &style);
		assert_int_equal(count_of(text, "\nerror SC-"), 1200);
		free(text);
		fake_fini(&f);
	}
}

TEST(places_are_counted_once)
{
	struct sc_report_style style = {0};
	struct fake f;
	char *text;

	make_many(&f, 1);
	text = text_of(&f, &style);
	assert_int_equal(count_of(text, "\nerror SC-"), 1);
	assert_non_null(strstr(text, "99 more findings at the same places"));
	assert_int_equal(count_of(text, "(100 findings)"), 4);
	assert_non_null(strstr(text, "7 more places, listed in HTML and JSON reports"));
	free(text);
	fake_fini(&f);
}

/* Another edit ends it, so it is not counted among what only has other callers. */
TEST(the_opposite_order_is_counted_apart)
{
	struct sc_report_style style = {0};
	struct fake f;
	struct sc_finding *turned;
	struct sc_side second;
	char *text;

	make_many(&f, 1);
	turned = &f.analysis.findings[PLACES];
	second = turned->side[1];
	turned->side[1] = turned->side[0];
	turned->side[0] = second;
	turned->number = 77;
	text = text_of(&f, &style);
	assert_non_null(strstr(text, "98 more findings at the same places, called from others"));
	assert_non_null(strstr(text, "1 more finding at the same places in the opposite order "
				     "(finding 77), which needs another fix"));
	free(text);
	fake_fini(&f);
}

/* What lacks a kernel's code is one list, of which a page has a part. */
TEST(pairs_of_closed_kernels_are_cut)
{
	struct sc_report_style style = {0};
	struct fake f;
	char *text;

	make_many(&f, 2);
	for (size_t i = 0; i < f.analysis.count; i++)
		if (f.analysis.findings[i].rule == 102) {
			f.analysis.findings[i].confidence = SC_POSSIBLE;
			f.analysis.findings[i].doubt = SC_DOUBT_FOOTPRINT;
			f.analysis.findings[i].side[0].known = SC_KNOWN_PARAMETER;
			f.analysis.findings[i].side[0].how = SC_HOW_PARAMETER;
		}
	text = text_of(&f, &style);
	assert_true(sc_text_count_lines(text) <= SC_TEXT_PAGE);
	assert_non_null(strstr(text, "600 possible findings about kernels without PTX"));
	assert_int_equal(count_of(text, "\n  SC-102:   cudaMemcpyAsync"), 4);
	assert_non_null(strstr(text, "  also:     8 more pairs of places\n"));
	free(text);
	fake_fini(&f);
}

TEST(processes_share_the_page)
{
	struct sc_joint joint = {.expected = 4};
	struct sc_report_style style = {0};
	struct fake f;

	make_many(&f, 5);
	for (unsigned i = 0; i < joint.expected; i++)
		sc_report_add(sc_report_find("text", 4), &joint, &f.report, &style);
	assert_true(sc_text_count_lines(sc_buf_text(&joint.parts)) < 2 * SC_TEXT_PAGE);
	assert_int_equal(count_of(joint.parts.text, "1200 errors"), 4);
	sc_joint_fini(&joint);
	fake_fini(&f);
}
