/* Reports: whole texts compared with tests/golden, from traces and findings made by hand. */
#include "reports/report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "reports/output.h"
#include "reports/sources/site.h"
#include "reports/words/words_fill.h"
#include "tests/unit/reports/report_fake.h"

#define STORY SC_SOURCE_DIR "/tests/golden/story.cu"

static const char script[] = "process 4711 text=\"./story --fast\"\n"
			     "function 1 0 text=\"_Z5scalePfi\"\n"
			     "stream n1 stack=1\n"
			     "alloc dev 4096 stack=2\n"
			     "alloc out 4096 pinned stack=3\n"
			     "kernel n1 1 maybe dev stack=4\n"
			     "copy n1 out <- dev 4096 stack=5\n"
			     "stream_sync L stack=6\n"
			     "host_read out 4 stack=7\n"
			     "exit 0\n";

/* What the stacks of the script are in story.cu. */
static void add_stacks(struct fake *f)
{
	static const struct {
		unsigned line;	     /* in run() or main() */
		const char *api;     /* or NULL for the program itself */
		const char *wrapper; /* generated host function of a kernel, or NULL */
		bool is_main;
	} stacks[] = {
		[1] = {28, "cudaStreamCreateWithFlags", NULL, 1},
		[2] = {29, "cudaMalloc", NULL, 1},
		[3] = {16, "cudaMallocHost", NULL, 0},
		[4] = {17, "cudaLaunchKernel", "scale(float*, int)", 0},
		[5] = {18, "cudaMemcpyAsync", NULL, 0},
		[6] = {19, "cudaStreamSynchronize", NULL, 0},
		[7] = {20, NULL, NULL, 0},
	};

	for (uint32_t i = 1; i < sizeof(stacks) / sizeof(*stacks); i++) {
		if (stacks[i].api)
			fake_frame(f, i, stacks[i].api, NULL, 0, "/opt/lib/libcudart.so.13");
		if (stacks[i].wrapper)
			fake_frame(f, i, stacks[i].wrapper, STORY, 5, NULL);
		if (!stacks[i].is_main)
			fake_frame(f, i, "run(float*, int, CUstream_st*)", STORY, stacks[i].line,
				   NULL);
		fake_frame(f, i, "main", STORY, stacks[i].is_main ? stacks[i].line : 30, NULL);
		fake_frame(f, i, "__libc_start_main", NULL, 0, "/lib/libc.so.6");
	}
}

/* The story: result read after a wait for the wrong stream; and a kernel that may touch it too. */
static void make_story(struct fake *f)
{
	uint64_t out;
	struct sc_finding *read, *kernel;

	fake_init(f, script);
	add_stacks(f);
	f->analysis.coverage = (struct sc_coverage){
		.ops = 7,
		.streams = 2,
		.copies = 1,
		.kernels = 1,
		.host_accesses = 1,
		.driver_seen = 1,
		.closed = 1,
	};
	out = sc_analysis_record(&f->analysis, fake_op(f, 5))->op.dst;
	read = fake_finding(f, SC_RULE_101, SC_ERROR);
	read->causes[0] = SC_RULE_112;
	read->side[0] = fake_side(f, 7, SC_SIDE_WRITE, out, 4);
	read->side[1] = fake_side(f, 9, SC_SIDE_READ, out, 4);
	read->allocation = fake_op(f, 5) + 1;
	read->reach = SC_REACH_OTHER;
	read->reach_op = fake_op(f, 8) + 1;
	read->fix = SC_FIX_SYNC_STREAM;
	read->fix_stream = read->side[0].stream;
	read->fix_before = read->side[1].op + 1;
	read->count = 12;
	kernel = fake_finding(f, SC_RULE_209, SC_WARNING);
	kernel->confidence = SC_POSSIBLE;
	kernel->doubt = SC_DOUBT_FOOTPRINT;
	kernel->side[0] = fake_side(f, 6, SC_SIDE_WRITE, out, 4096);
	kernel->side[0].known = SC_KNOWN_PARAMETER;
	kernel->side[0].how = SC_HOW_PARAMETER;
	kernel->side[1] = fake_side(f, 7, SC_SIDE_WRITE, out, 4096);
	kernel->allocation = fake_op(f, 5) + 1;
	kernel->fix = SC_FIX_EVENT;
	kernel->fix_after = kernel->side[0].op + 1;
	kernel->fix_before = kernel->side[1].op + 1;
	kernel->fix_stream = kernel->side[1].stream;
}

static char *read_file(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(path, "r");

	assert_non_null(text);
	if (file) {
		assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
		fclose(file);
	}
	return text;
}

/* Compares with a golden file; with STREAMCHECK_WRITE_GOLDEN set, writes it instead and fails. */
static void assert_golden(const char *name, const struct sc_buf *text)
{
	char path[512];
	char *golden;

	snprintf(path, sizeof(path), SC_SOURCE_DIR "/tests/golden/%s", name);
	if (getenv("STREAMCHECK_WRITE_GOLDEN")) {
		assert_int_equal(sc_output_write_file(path, text, NULL), 0);
		fail_msg("%s was written, not compared", path);
	}
	golden = read_file(path);
	assert_string_equal(sc_buf_text(text), golden);
	free(golden);
}

static void print(const char *format, struct sc_buf *out, const struct fake *f,
		  const struct sc_report_style *style)
{
	sc_report_print(sc_report_find(format, strlen(format)), out, &f->report, style);
}

static void check(const char *format, const char *golden, struct sc_report_style style)
{
	struct sc_buf text = {0};
	struct fake f;

	make_story(&f);
	style.directory = SC_SOURCE_DIR;
	print(format, &text, &f, &style);
	assert_golden(golden, &text);
	sc_buf_fini(&text);
	fake_fini(&f);
}

TEST(text_for_a_file)
{
	check("text", "story.txt", (struct sc_report_style){0});
}

TEST(text_for_a_narrow_terminal)
{
	check("text", "story-72.txt", (struct sc_report_style){.width = 72});
}

TEST(text_in_colour)
{
	check("text", "story-color.txt", (struct sc_report_style){.color = 1});
}

/* What no finding of tests/golden/formats has. */
TEST(json_of_what_is_possible)
{
	struct sc_buf text = {0};
	struct fake f;

	make_story(&f);
	print("json", &text, &f, &(struct sc_report_style){0});
	assert_non_null(strstr(text.text, "\"bytes_known\": \"by its parameters only\""));
	assert_non_null(strstr(text.text, "\"decided_by\": [\n"
					  "        \"streamcheck verify FILE -- ./story --fast\",\n"
					  "        \"build it with PTX, as nvcc -arch=sm_90 does, "
					  "or declare its footprint\"\n      ]"));
	assert_non_null(strstr(text.text, "\"group\": 1,"));
	sc_buf_fini(&text);
	fake_fini(&f);
}

static void first_line_is(struct fake *f, const char *expected)
{
	struct sc_report_style style = {0};
	struct sc_buf text = {0};

	print("text", &text, f, &style);
	assert_string_equal(text.text, expected);
	sc_buf_fini(&text);
}

TEST(a_clean_run_is_one_line)
{
	struct fake f;

	fake_init(&f, script);
	f.analysis.coverage.ops = 1;
	f.analysis.coverage.copies = 1;
	first_line_is(&f, "streamcheck: 0 errors, 0 warnings, 0 advice in 1 operation "
			  "(0 streams, 1 copy, 0 kernels, 0 host accesses); nothing lost\n");
	fake_fini(&f);
}

TEST(what_is_missing_is_said)
{
	struct fake f;

	fake_init(&f, "source 1 text=\"driver hook\"\n"
		      "source 0 text=\"CUPTI: calls inside callbacks are not seen\"\n"
		      "lost 3 text=\"calls of \\x1b[31mcuFoo have no decoder\"\n");
	f.analysis.is_complete = 0;
	f.analysis.coverage = (struct sc_coverage){
		.lost = 3, .unknown_calls = 1, .driver_seen = 1, .calls_in_flight = 2};
	first_line_is(&f, "streamcheck: 0 errors, 0 warnings, 0 advice in 0 operations "
			  "(0 streams, 0 copies, 0 kernels, 0 host accesses); incomplete: "
			  "3 events lost, 1 call without a decoder, 2 calls never returned, "
			  "the process died before its end was recorded; "
			  "missing: CUPTI: calls inside callbacks are not seen\n"
			  "  not seen: 3 events: calls of ?[31mcuFoo have no decoder\n");
	fake_fini(&f);
}

/* Of a process that goes on no call "never returned", and none is missing yet. */
TEST(what_still_runs_is_said)
{
	struct fake f;

	fake_init(&f, "stream s\n");
	f.analysis.coverage =
		(struct sc_coverage){.running = 1, .driver_seen = 1, .calls_in_flight = 1};
	first_line_is(&f,
		      "streamcheck: 0 errors, 0 warnings, 0 advice in 0 operations "
		      "(0 streams, 0 copies, 0 kernels, 0 host accesses); note: 1 call still "
		      "running, the process is still running, and this is what it did so far\n");
	fake_fini(&f);
}

static void reach_is(struct fake *f, enum sc_reach reach, const char *expected)
{
	struct sc_finding *finding = &f->analysis.findings[0];
	struct sc_buf text = {0};
	struct sc_words w;

	finding->reach = (uint8_t)reach;
	sc_words_init(&w, &f->report, SC_SOURCE_DIR);
	sc_words_set_finding(&w, finding);
	assert_true(sc_words_reach(&text, &w, finding));
	assert_string_equal(text.text, expected);
	sc_buf_fini(&text);
}

#define NODE_AT "node 0 (tests/golden/story.cu:19)"
#define SYNC_AT "cudaStreamSynchronize at tests/golden/story.cu:19"

TEST(each_reach_has_its_words)
{
	struct fake f;

	make_story(&f);
	reach_is(&f, SC_REACH_NONE, "no call between them waits for the first operation");
	reach_is(&f, SC_REACH_OTHER,
		 SYNC_AT
		 " waits for the default stream, which does not include the first operation");
	reach_is(&f, SC_REACH_EARLIER,
		 SYNC_AT " waits only for work that was enqueued before the first operation");
	reach_is(&f, SC_REACH_NEVER,
		 SYNC_AT " waits for nothing: the event was not recorded before");
	reach_is(&f, SC_REACH_RECORD, SYNC_AT " waits for another record of the event");
	reach_is(&f, SC_REACH_LAUNCH,
		 SYNC_AT " waits until the first operation has begun, not until it has ended");
	reach_is(&f, SC_REACH_FOREIGN, SYNC_AT " may wait for a record of another process");
	reach_is(&f, SC_REACH_NOT_READY, SYNC_AT " returned \"not ready\", which orders nothing");
	reach_is(&f, SC_REACH_FORK,
		 NODE_AT " is the last that both depend on; no dependencies lead from the one to "
			 "the other");
	reach_is(&f, SC_REACH_JOIN,
		 NODE_AT " is the first that depends on both; no dependencies lead from the one to "
			 "the other");
	reach_is(&f, SC_REACH_EARLY,
		 NODE_AT " may start early: its dependency is programmatic, and its code does not "
			 "wait for it");
	reach_is(&f, SC_REACH_BESIDE,
		 NODE_AT " waits for the first operation, but the second operation does not depend "
			 "on that node");
	reach_is(&f, SC_REACH_BEFORE,
		 SYNC_AT
		 " waits only for earlier work; thread 1 enqueued the first operation after it");
	f.analysis.findings[0].severity = SC_WARNING;
	f.analysis.findings[0].causes[1] = SC_RULE_204;
	reach_is(&f, SC_REACH_NONE,
		 "no call between them waits for the first operation; the race is real, but a call "
		 "between the two that allocates or frees memory may have made the device wait in "
		 "this run, which CUDA does not promise: a warning, and no error");
	fake_fini(&f);
}

static void fix_is(struct fake *f, enum sc_fix fix, const char *expected)
{
	struct sc_finding *finding = &f->analysis.findings[0];
	struct sc_buf text = {0};
	struct sc_words w;

	finding->fix = (uint8_t)fix;
	sc_words_init(&w, &f->report, SC_SOURCE_DIR);
	sc_words_set_finding(&w, finding);
	sc_words_fix(&text, &w, finding);
	assert_string_equal(text.text, expected);
	sc_buf_fini(&text);
}

TEST(each_fix_names_its_line)
{
	struct sc_record *other;
	struct fake f;

	make_story(&f);
	f.analysis.findings[0].fix_after = fake_op(&f, 7) + 1;
	fix_is(&f, SC_FIX_RULE,
	       "tests/golden/story.cu:20: wait for the stream (cudaStreamSynchronize) or "
	       "for an event recorded after the operation");
	fix_is(&f, SC_FIX_SYNC_STREAM,
	       "before tests/golden/story.cu:20, wait for stream 3: cudaStreamSynchronize");
	fix_is(&f, SC_FIX_SYNC_CONTEXT,
	       "before tests/golden/story.cu:20, wait for device 0: cudaDeviceSynchronize");
	fix_is(&f, SC_FIX_EVENT,
	       "record an event (cudaEventRecord) after tests/golden/story.cu:18 and let stream 3 "
	       "wait for it (cudaStreamWaitEvent) before tests/golden/story.cu:20");
	fix_is(&f, SC_FIX_POOL,
	       "let the pool keep the memory until stream 3 has used it, or, before the memory "
	       "goes back at tests/golden/story.cu:20, let stream 3 wait (cudaStreamWaitEvent) for "
	       "an event that is recorded after tests/golden/story.cu:18 (cudaEventRecord)");
	f.analysis.findings[0].fix_before = fake_op(&f, 8) + 1;
	fix_is(&f, SC_FIX_MOVE,
	       "record again after the last cudaMemcpyAsync at tests/golden/story.cu:18, or wait "
	       "for "
	       "the newest record: cudaStreamSynchronize at tests/golden/story.cu:19 stands after "
	       "that line already, and the wait uses the record of an earlier round");
	f.analysis.findings[0].fix_before = fake_op(&f, 7) + 1;
	f.analysis.findings[0].fix_after = fake_op(&f, 8) + 1;
	fix_is(&f, SC_FIX_MOVE,
	       "move cudaMemcpyAsync at tests/golden/story.cu:18 after cudaStreamSynchronize at "
	       "tests/golden/story.cu:19");
	f.analysis.findings[0].side[1].thread = 7;
	other = (struct sc_record *)sc_analysis_record(&f.analysis, fake_op(&f, 7));
	other->op.thread = 7;
	fix_is(&f, SC_FIX_MOVE,
	       "record the event (cudaEventRecord) after tests/golden/story.cu:19, then notify "
	       "thread 7, and let it wait for that record; the two lines run in different threads, "
	       "so moving one orders nothing");
	other->op.thread = f.analysis.findings[0].side[0].thread;
	f.analysis.findings[0].varies = 4;
	fix_is(&f, SC_FIX_SYNC_STREAM,
	       "before tests/golden/story.cu:18, wait for stream 3 and each other stream that the "
	       "first operation runs in: cudaStreamSynchronize");
	fake_fini(&f);
}

TEST(a_fix_without_lines_names_the_function)
{
	struct fake f;
	struct sc_finding *finding;

	fake_init(&f, "alloc dev 64\nalloc out 64 pinned\ncopy n1 out <- dev 64 stack=1\n"
		      "host_read out 4 stack=2\nexit 0\n");
	fake_frame(&f, 1, "fetch(float*)", NULL, 0, NULL);
	fake_frame(&f, 2, "main", NULL, 0, NULL);
	finding = fake_finding(&f, SC_RULE_101, SC_ERROR);
	finding->side[0] = fake_side(&f, 3, SC_SIDE_WRITE, 0, 4);
	finding->side[1] = fake_side(&f, 4, SC_SIDE_READ, 0, 4);
	finding->fix_stream = finding->side[0].stream;
	finding->fix_after = finding->side[0].op + 1;
	finding->fix_before = finding->side[1].op + 1;
	fix_is(&f, SC_FIX_SYNC_STREAM,
	       "before the access in main, wait for stream 4: cudaStreamSynchronize");
	fix_is(&f, SC_FIX_EVENT,
	       "record an event (cudaEventRecord) after copy in fetch(float*) and let "
	       "stream 4 wait for it (cudaStreamWaitEvent) before the access in main");
	fake_fini(&f);
}

TEST(a_caller_in_the_same_line_is_passed_over)
{
	struct sc_buf text = {0};
	struct sc_words w;
	struct fake f;

	fake_init(&f, "alloc dev 64 stack=1\nexit 0\n");
	fake_frame(&f, 1, "<genexpr>", STORY, 19, NULL);
	fake_frame(&f, 1, "main", STORY, 19, NULL);
	fake_frame(&f, 1, "<module>", STORY, 27, NULL);
	sc_words_init(&w, &f.report, SC_SOURCE_DIR);
	sc_words_place_from(&text, &w, sc_analysis_record(&f.analysis, fake_op(&f, 1)));
	assert_string_equal(text.text, "tests/golden/story.cu:19, from tests/golden/story.cu:27");
	sc_buf_fini(&text);
	fake_fini(&f);
}

/* Of the story's second finding; nobody asked about the first. */
static void reruns_are(struct fake *f, const struct sc_trial *trial, const char *expected)
{
	struct sc_trial trials[2] = {{0}, *trial};
	struct sc_buf text = {0};
	struct sc_words w;

	f->report.trials = trials;
	f->report.trial_count = 2;
	sc_words_init(&w, &f->report, SC_SOURCE_DIR);
	sc_words_set_finding(&w, &f->analysis.findings[1]);
	assert_true(sc_words_trial(&text, &w, &f->analysis.findings[1]));
	assert_string_equal(text.text, expected);
	assert_false(sc_words_trial(&text, &w, &f->analysis.findings[0]));
	f->report.trials = NULL;
	sc_buf_fini(&text);
}

#define FIRST  "the launch of scale(float*, int) at tests/golden/story.cu:17"
#define SECOND "cudaMemcpyAsync at tests/golden/story.cu:18"

TEST(reruns_say_what_differed)
{
	static const char *const texts[SC_TRIAL_PLACES] = {
		"confirmed: bytes 16–17 of the memory are left as 01 02 with " FIRST
		" first, 03 with " SECOND " first",
		"confirmed: bytes 16–17 of the memory are, when " SECOND
		" reads it, 01 02 with " FIRST " first, 03 with " SECOND " first",
		"confirmed: bytes 16–17 of the memory are, when the host accesses it, 01 02 "
		"with " FIRST " first, 03 with " SECOND " first",
		"confirmed: bytes 16–17 of a copy to the host are 01 02 with " FIRST
		" first, 03 with " SECOND " first",
		"confirmed: bytes 16–17 of standard output are 01 02 with " FIRST
		" first, 03 with " SECOND " first",
		"confirmed: the program ends with exit code 0 with " FIRST
		" first, signal 11 with " SECOND " first",
	};
	struct sc_trial t = {.verdict = SC_TRIAL_CONFIRMED,
			     .actor = 1,
			     .offset = 16,
			     .bytes = {{1, 2}, {3}},
			     .count = {2, 1},
			     .status = {0, 11}};
	struct fake f;

	make_story(&f);
	for (unsigned i = 0; i < SC_TRIAL_PLACES; i++) {
		t.shown = (uint8_t)i;
		t.differs = (uint8_t)(1 << i);
		reruns_are(&f, &t, texts[i]);
	}
	t = (struct sc_trial){.verdict = SC_TRIAL_SAME,
			      .compared = 1 << SC_TRIAL_MEMORY | 1 << SC_TRIAL_EXIT,
			      .unsteady = 1 << SC_TRIAL_OUTPUT,
			      .is_cut = 1};
	reruns_are(
		&f, &t,
		"no difference seen: the program ran in both orders with the same bytes in memory, "
		"exit code (of the memory the first 16 MiB); different in the same order, too: "
		"output");
	t = (struct sc_trial){.verdict = SC_TRIAL_UNTRIED, .reason = "why"};
	reruns_are(&f, &t, "not tried: why");
	fake_fini(&f);
}

static void is_filled(const struct fake *f, const struct sc_verdict_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sc_buf text = {0};
		struct sc_words w;

		sc_words_init(&w, &f->report, SC_SOURCE_DIR);
		sc_words_set_finding(&w, &f->analysis.findings[0]);
		sc_words_fill(&text, &w, &f->analysis.findings[0], rows[i].sentence);
		if (strpbrk(sc_buf_text(&text), "{}"))
			fail_msg("%s: %s", rows[i].id, sc_buf_text(&text));
		sc_buf_fini(&text);
	}
}

/* Each name in braces of analyzer/finding/verdict.def stands for something. */
TEST(each_sentence_can_be_filled)
{
	struct fake f;

	make_story(&f);
	f.analysis.findings[0].fix_after = f.analysis.findings[0].fix_before;
	f.analysis.findings[0].reach_record = f.analysis.findings[0].reach_op;
	is_filled(&f, sc_doubt_rows, SC_DOUBTS);
	is_filled(&f, sc_reach_rows, SC_REACHES);
	is_filled(&f, sc_fix_rows, SC_FIXES);
	is_filled(&f, sc_timing_rows, SC_TIMINGS);
	fake_fini(&f);
}

/* Files in a sentence of the device are named as all of the report's: from the run's directory. */
TEST(a_fault_names_its_file_from_the_directory)
{
	struct sc_finding *finding;
	struct sc_buf text = {0};
	struct sc_words w;
	struct fake f;

	fake_init(&f, "kernel s1 scale\n"
		      "kernel_fault 1 0 8 text=\"scale fails at " STORY ":3, and at /tmp" STORY
		      ":4\"\n");
	finding = fake_finding(&f, 0, SC_ERROR);
	finding->fault = fake_op(&f, 2) + 1;
	sc_words_init(&w, &f.report, SC_SOURCE_DIR);
	assert_true(sc_words_fault(&text, &w, finding));
	assert_string_equal(sc_buf_text(&text),
			    "scale fails at tests/golden/story.cu:3, and at /tmp" STORY ":4");
	sc_buf_fini(&text);
	fake_fini(&f);
}

/* The read is in a helper, the copy was not: the wait belongs before the helper's call. */
TEST(a_fix_stands_where_the_stacks_part)
{
	struct fake f;

	make_story(&f);
	f.symbols.stacks[7].count = 0;
	fake_frame(&f, 7, "sum", STORY, 8, NULL);
	fake_frame(&f, 7, "run(float*, int, CUstream_st*)", STORY, 20, NULL);
	fake_frame(&f, 7, "main", STORY, 30, NULL);
	fix_is(&f, SC_FIX_SYNC_STREAM,
	       "before tests/golden/story.cu:20, wait for stream 3: cudaStreamSynchronize");
	f.analysis.findings[0].side[1].thread = 2;
	fix_is(&f, SC_FIX_SYNC_STREAM,
	       "before tests/golden/story.cu:8, wait for stream 3: cudaStreamSynchronize");
	fake_fini(&f);
}

/* nvcc's stub and the host function above it are nobody's code; an op in them is of their caller.
 */
TEST(a_launch_is_found_below_its_stub)
{
	static const char *const stubs[][2] = {
		{"__device_stub__Z5scalePfi(float*, int)", "scale(float*, int)"},
		{"__wrapper__device_stub_scale<float>(float* restrict&, int const&)",
		 "scale<float>"},
	};
	struct sc_report_site site;
	struct fake f;

	make_story(&f);
	for (size_t i = 0; i < 2; i++) {
		f.symbols.stacks[5].count = 0;
		fake_frame(&f, 5, "cudaLaunchKernel", NULL, 0, "/opt/lib/libcudart.so.13");
		fake_frame(&f, 5, stubs[i][0], "/tmp/x.cudafe1.stub.c", 3, NULL);
		fake_frame(&f, 5, stubs[i][1], STORY, 5, NULL);
		fake_frame(&f, 5, "run(float*, int, CUstream_st*)", STORY, 17, NULL);
		sc_site_of_stack(&site, &f.report, 5);
		assert_int_equal(sc_site_frame(&site)->line, 17);
		assert_string_equal(site.api, "cudaLaunchKernel");
	}
	fake_fini(&f);
}

/* Names in a trace may hold anything: the report must stay text, and JSON must stay JSON. */
TEST(hostile_names_are_made_harmless)
{
	struct sc_report_style style = {0};
	struct sc_buf text = {0};
	struct fake f;

	make_story(&f);
	f.symbols.stacks[7].frames[0].function = "evil\033]0;\xff\xc0\x80\"\\\n";
	print("text", &text, &f, &style);
	assert_null(strchr(text.text, '\033'));
	assert_non_null(strstr(text.text, "evil?]0;\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\\?\n"));
	sc_buf_clear(&text);
	print("json", &text, &f, &style);
	assert_non_null(strstr(text.text, "\"evil\\u001b]0;\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
					  "\\\"\\\\\\n\""));
	sc_buf_fini(&text);
	fake_fini(&f);
}

TEST(a_finding_of_unknown_ops_still_prints)
{
	struct sc_report_style style = {0};
	struct sc_finding *finding;
	struct sc_buf text = {0};
	struct fake f;

	fake_init(&f, script);
	finding = fake_finding(&f, 999, SC_ERROR);
	finding->side[0].op = finding->side[1].op = 1000000;
	finding->allocation = finding->reach_op = finding->fix_before = 1000000;
	print("text", &text, &f, &style);
	assert_non_null(strstr(text.text, "error SC-999 unknown-rule"));
	assert_non_null(strstr(text.text, "first:    operation 1000000\n"));
	sc_buf_clear(&text);
	print("json", &text, &f, &style);
	assert_non_null(strstr(text.text, "\"rule\": \"SC-999\""));
	sc_buf_fini(&text);
	fake_fini(&f);
}

/* Whatever the number of places: they are looked up together. */
TEST(all_stacks_of_a_page_are_one_batch)
{
	struct sc_report_style style = {.width = 100};
	struct sc_buf text = {0}, out = {0};
	struct fake f;

	for (unsigned i = 1; i <= 9000; i++)
		sc_buf_printf(&text, "kernel s1 stack=%u\n", i);
	fake_init(&f, sc_buf_text(&text));
	sc_report_print(sc_report_find("html", 4), &out, &f.report, &style);
	assert_true(out.bytes > 0);
	assert_int_equal(f.symbols.wanted.count, 9000);
	assert_int_equal(f.symbols.alone, 0);
	fake_fini(&f);
	sc_buf_fini(&text);
	sc_buf_fini(&out);
}

/* Each gap of the table is said, in words and in numbers. */
TEST(all_gaps_are_said)
{
	struct sc_report_style style = {.width = 100};

	for (unsigned i = 0; i < SC_GAPS; i++) {
		/* A detail is for formats that have room for it. */
		static const char *const formats[] = {"text", "json", "html", "gcc"};
		unsigned room = sc_gap_rows[i].weight == SC_GAP_DETAIL ? 3 : 4;
		struct fake f;

		fake_init(&f, "kernel s1\n");
		f.analysis.is_complete = sc_gap_rows[i].weight != SC_GAP_LOSS;
		f.analysis.coverage.gaps[i] = 91;
		for (unsigned k = 0; k < room; k++) {
			struct sc_buf out = {0};

			sc_report_print(sc_report_find(formats[k], strlen(formats[k])), &out,
					&f.report, &style);
			if (!strstr(sc_buf_text(&out), "91"))
				fail_msg("%s says nothing of %s", formats[k], sc_gap_rows[i].name);
			sc_buf_fini(&out);
		}
		fake_fini(&f);
	}
}
