/* What is over is remembered up to a number: what a use after that is still found, what is counted,
 * and what must not be forgotten. */
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/analysis.h"
#include "base/buf.h"
#include "tests/unit/analyzer/analyzed.h"

#define MANY 3000

static struct run analyze_some(const char *text, size_t remembered)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .remembered = remembered};

	return run_with(text, &settings);
}

/* One finding, which the program suppresses with this word. */
static void expect_one_known(const struct run *run)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(run->analysis, &count);

	assert_int_equal(count, 1);
	assert_string_equal(sc_analysis_suppression_reason(run->analysis, f), "known");
}

static size_t found(const struct run *run)
{
	size_t count;

	(void)sc_analysis_findings(run->analysis, &count);
	return count;
}

/* The trace for each i below `many`, % being i; then the end. */
static struct sc_buf repeated(const char *before, const char *turn, unsigned many, const char *end)
{
	struct sc_buf text = {0};

	sc_buf_add(&text, before);
	for (unsigned i = 0; i < many; i++)
		for (const char *c = turn; *c; c++) {
			if (*c == '%')
				sc_buf_printf(&text, "%u", 100 + i);
			else
				sc_buf_add_char(&text, *c);
		}
	sc_buf_add(&text, end);
	return text;
}

static const char *const old_event = "event e1\nrecord e1 s1\nevent_destroy e1\n";
static const char *const new_event = "event e%\nevent_destroy e%\n";
static const char *const use_event = "record e1 s1 flags=dead_handle\n";

TEST(where_a_handle_was_destroyed)
{
	struct sc_buf text = repeated(old_event, new_event, 10, use_event);
	struct run run = analyze_some(sc_buf_text(&text), 11);
	const struct sc_finding *f;
	size_t count;

	f = sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	assert_int_equal(f->rule, 117);
	assert_int_equal(f->sides, 2);
	assert_int_equal(sc_analysis_coverage(run.analysis)->ended, 0);
	run_fini(&run);
	run = analyze_some(sc_buf_text(&text), 10); /* one less than there are */
	f = sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	assert_int_equal(f->sides, 1);
	assert_int_equal(sc_analysis_coverage(run.analysis)->ended, 1);
	assert_true(sc_analysis_complete(run.analysis)); /* the exit code stays */
	run_fini(&run);
	sc_buf_fini(&text);
}

TEST(freed_memory)
{
	struct sc_buf text = repeated("alloc d 64\nfree d\n", "alloc a% 64\nfree a%\n", 10,
				      "set s1 d 64 result=1\n");
	struct run run = analyze_some(sc_buf_text(&text), 0);

	assert_int_equal(found(&run), 1);
	run_fini(&run);
	run = analyze_some(sc_buf_text(&text), 5);
	assert_int_equal(found(&run), 0);
	assert_true(sc_analysis_coverage(run.analysis)->ended > 0);
	run_fini(&run);
	sc_buf_fini(&text);
}

/* However many modules come and go, one that is loaded keeps its kernels, and each name has one
 * row. */
TEST(kernels_of_unloaded_modules)
{
	struct sc_buf text =
		repeated("alloc d 64\nmodule m1\nfunction k1 m1 \"stays\"\nkernel s1 k1 writes d\n"
			 "stream_sync s1\n",
			 "module m%\nfunction k% m% \"goes\"\nkernel s1 k% writes d\n"
			 "stream_sync s1\nmodule_unload m%\n",
			 MANY, "kernel s1 k1 writes d\nkernel n2 k1 writes d\ncontext_sync\n");
	struct run run = analyze_some(sc_buf_text(&text), 0);
	const struct sc_kernel_tally *k;
	size_t count;

	assert_int_equal(found(&run), 1);
	k = sc_analysis_kernels(run.analysis, &count);
	assert_true(count < MANY / 4);
	assert_string_equal(sc_reader_function(run.reader, k[0].kernel), "stays");
	assert_int_equal(k[0].launches[SC_KNOWN_EXACT], 3);
	assert_string_equal(sc_reader_function(run.reader, k[1].kernel), "goes");
	assert_int_equal(sc_analysis_coverage(run.analysis)->exact_launches, MANY + 3);
	run_fini(&run);
	sc_buf_fini(&text);
}

/* A stretch that is open is not forgotten, and hides what happens in it. */
TEST(open_stretches_stay)
{
	struct sc_buf text = repeated("alloc d 64\nt1: quiet_begin \"SC-105: known\"\n",
				      "t2: quiet_begin \"SC-101: %\"\nt2: quiet_end\n", 1000,
				      "t1: set n1 d\nt1: set n2 d\n");
	struct run run = analyze_some(sc_buf_text(&text), 10);

	expect_one_known(&run);
	run_fini(&run);
	sc_buf_fini(&text);
}

/* A range stays as long as the memory that it was declared for. */
TEST(ranges_of_live_memory_stay)
{
	struct sc_buf text = repeated("alloc d 64\nbenign d 64 \"known\"\n",
				      "alloc a% 64\nbenign a% 64 \"known\"\nfree a%\n", 1000,
				      "set n1 d\nset n2 d\n");
	struct run run = analyze_some(sc_buf_text(&text), 10);

	expect_one_known(&run);
	run_fini(&run);
	sc_buf_fini(&text);
}

/* Of windows the last ones are known; a finding inside one of them is proven. */
TEST(windows)
{
	struct sc_buf text = repeated("alloc d 64\n", "window_end\nwindow_begin\n", 1001,
				      "set n1 d\nset n2 d\nwindow_end\n");
	struct run run = analyze_some(sc_buf_text(&text), 10);
	const struct sc_finding *f;
	size_t count;

	f = sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	assert_int_equal(f->confidence, SC_PROVEN);
	assert_int_equal(sc_analysis_coverage(run.analysis)->windows, 1002);
	run_fini(&run);
	sc_buf_fini(&text);
}

/* With strict hosts a thread that all know of is forgotten, one that nobody knows of is not. */
TEST(threads)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .strict_hosts = 1};
	struct sc_buf text = repeated("t1: alloc d 64\nt2: thread_begin peer=1\nt2: alloc x 64\n"
				      "t2: thread_end\n",
				      "t%: thread_begin peer=1\nt%: set s1 d\nt%: stream_sync s1\n"
				      "t%: thread_end\nt1: thread_join %\n",
				      1000, "t1: kernel s1 reads x\n");
	struct run run = run_with(sc_buf_text(&text), &settings);
	const struct sc_finding *f;
	size_t count;

	f = sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	assert_int_equal(f->rule, 211);
	run_fini(&run);
	sc_buf_fini(&text);
}

/* What is defined beyond the limit is counted, and has no name. */
TEST(definitions)
{
	struct sc_buf text = repeated("", "string % \"text of %\"\n", 100, "kernel s1\n");
	struct sc_analysis_settings settings = {
		.profile = SC_REFERENCE, .is_live = 1, .remembered = 10};
	struct run run = run_with(sc_buf_text(&text), &settings);
	uint64_t dropped = sc_analysis_coverage(run.analysis)->definitions;

	assert_in_range(dropped, 55, 65); /* 40 are kept, with some names of the script's own */
	assert_string_equal(sc_reader_string(run.reader, 110), "text of 110");
	assert_string_equal(sc_reader_string(run.reader, 199), "");
	run_fini(&run);
	sc_buf_fini(&text);
}

/* A graph is launched after memory of its nodes was freed and forgotten. */
TEST(graph_of_forgotten_memory)
{
	struct sc_buf text = repeated("alloc d 64\nalloc x 64\ninstantiate g1\ng1/0: set d 64\n"
				      "g1/1: copy x <- d 64 after=[0]\ngraph_launch s1 g1\n"
				      "stream_sync s1\nfree d\n",
				      "alloc a% 64\nset s1 a%\nstream_sync s1\nfree a%\n", 1000,
				      "graph_launch s1 g1\ngraph_launch s1 g1\ncontext_sync\n");
	struct run run = analyze_some(sc_buf_text(&text), 0);

	assert_true(found(&run) > 0);
	run_fini(&run);
	run = analyze_some(sc_buf_text(&text), 10);
	assert_true(sc_analysis_coverage(run.analysis)->ended > 0);
	run_fini(&run);
	sc_buf_fini(&text);
}
