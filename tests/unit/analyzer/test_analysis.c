/* The analysis as reports see it: coverage, completeness, kept records, determinism. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/analysis.h"
#include "base/buf.h"
#include "tests/unit/analyzer/analyzed.h"

static struct run run_text(const char *text, bool advice)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .advice = advice};

	return run_with(text, &settings);
}

static const char *const racy = "alloc d 1024\n"
				"alloc p 1024 pinned\n"
				"kernel s1 writes d\n"
				"copy s1 p <- d 1024\n"
				"stream_sync s2\n"
				"host_read p 4\n"
				"kernel s3 reads d\n"
				"stream_sync s1\n"
				"stream_sync s1\n";

TEST(coverage)
{
	struct run run = run_text(racy, 1);
	const struct sc_coverage *c = sc_analysis_coverage(run.analysis);
	size_t kernels;

	assert_int_equal(c->copies, 1);
	assert_int_equal(c->kernels, 2);
	assert_int_equal(c->exact_launches, 2);
	assert_non_null(sc_analysis_kernels(run.analysis, &kernels));
	assert_int_equal(kernels, 1);
	assert_int_equal(c->bounded_launches + c->parameter_launches, 0);
	assert_int_equal(c->host_accesses, 1);
	assert_int_equal(c->waits, 3);
	assert_int_equal(c->streams, 3);
	assert_int_equal(c->ops, 9);
	assert_true(sc_analysis_complete(run.analysis));
	run_fini(&run);
}

/* A kernel that stores by a pointer which it loads touches memory that nothing names. */
TEST(what_a_loaded_pointer_leads_to_is_not_known)
{
	static const char put[] =
		".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .global .u64 where;\\n"
		".visible .entry put()\\n{\\n.reg .b64 %a;\\nld.global.u64 %a, [where];\\n"
		"st.global.u32 [%a], 7;\\nret;\\n}\\n.visible .entry get()\\n{\\n.reg .b64 %a;\\n"
		"ld.global.u64 %a, [where];\\nret;\\n}\\n";
	size_t bytes = strlen(put), count;
	const struct sc_kernel_tally *k;
	const struct sc_coverage *c;
	struct run run;
	char text[1024];

	for (const char *at = put; (at = strstr(at, "\\n")); at += 2)
		bytes--;
	snprintf(text, sizeof(text),
		 "image 900 0 %zu data=\"%s\"\nmodule 901 peer=900\nfunction K 901 put\n"
		 "function J 901 get\nkernel s1 K launch=1/1\nkernel s1 J launch=1/1\n",
		 bytes, put);
	run = run_text(text, 1);
	c = sc_analysis_coverage(run.analysis);
	assert_int_equal(c->open_launches, 1);
	assert_int_equal(c->exact_launches, 1);
	k = sc_analysis_kernels(run.analysis, &count);
	assert_int_equal(count, 2);
	assert_int_equal(k[0].launches[SC_TALLY_OPEN], 1);
	assert_string_equal(sc_analysis_reason_text(k[0].reason),
			    "the pointer itself is loaded or computed");
	run_fini(&run);
}

/* An address of freed memory in a table among the parameters is counted, not reported. */
TEST(stale_rows_are_counted)
{
	struct run run = run_text("alloc d 64\nfree d\nfunction K 901 k layout=[0:72,72:8]\n"
				  "kernel s1 K launch=1/1 args d d 0 0 0 0 0 0 0 0\n",
				  1);
	size_t count;

	assert_int_equal(sc_analysis_coverage(run.analysis)->stale_rows, 2);
	(void)sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 0);
	run_fini(&run);
}

/* Views of one allocation are not compared unless that is asked for; the coverage says so. */
TEST(views_are_counted)
{
	static const char *const views = "alloc d 1024\nkernel s1 args d\nkernel s2 args d+512\n"
					 "kernel s3 args d+512\n";
	struct run run = run_text(views, 1);
	struct sc_analysis_settings strict = {.profile = SC_STRICT};
	size_t count;

	assert_int_equal(sc_analysis_coverage(run.analysis)->uncompared_views, 2);
	(void)sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	run_fini(&run);
	run = run_with(views, &strict);
	assert_int_equal(sc_analysis_coverage(run.analysis)->uncompared_views, 0);
	(void)sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 3);
	run_fini(&run);
}

/* Other work in another part of an allocation than a launch's pointer leads to is counted, too. */
TEST(parts_are_counted)
{
	static const char *const parts = "alloc d 1024\nalloc p 1024 pinned\ncopy s1 d <- p 256\n"
					 "kernel s2 args d+512\ncopy s3 d+256 <- p 256\n"
					 "copy s3 d+512 <- p 256\n";
	struct run run = run_text(parts, 1);
	struct sc_analysis_settings strict = {.profile = SC_STRICT};
	size_t count;

	assert_int_equal(sc_analysis_coverage(run.analysis)->uncompared_parts, 2);
	(void)sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	run_fini(&run);
	run = run_with(parts, &strict);
	assert_int_equal(sc_analysis_coverage(run.analysis)->uncompared_parts, 0);
	(void)sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 3);
	run_fini(&run);
}

TEST(what_is_missing)
{
	struct run run = run_text("source 0 \"callback interface\"\n"
				  "lost 7 \"no room\"\n"
				  "kernel s1 result=-2147483648\n",
				  1);
	const struct sc_coverage *c = sc_analysis_coverage(run.analysis);
	const struct sc_record *notes;
	size_t count;

	notes = sc_analysis_notes(run.analysis, &count);
	assert_int_equal(count, 2);
	assert_int_equal(notes[0].op.kind, SC_OP_SOURCE);
	assert_int_equal(notes[1].op.value, 7);
	assert_int_equal(c->lost, 7);
	assert_int_equal(c->calls_in_flight, 1);
	assert_false(sc_analysis_complete(run.analysis));
	run_fini(&run);
}

/* `count` lines after the first ones; what the analysis had to leave out of them, all in `gap`. */
static uint64_t left_out(const char *first, const char *line, unsigned count, unsigned factor,
			 enum sc_gap gap)
{
	struct sc_buf text = {0};
	uint64_t found;
	struct run run;

	sc_buf_add(&text, first);
	for (unsigned i = 1; i <= count; i++)
		sc_buf_printf(&text, line, i * factor, i * factor);
	sc_buf_add(&text, "kernel s1 library\n");
	run = run_text(sc_buf_text(&text), 1);
	found = sc_analysis_coverage(run.analysis)->gaps[gap];
	assert_int_equal(sc_analysis_complete(run.analysis), !found);
	for (unsigned i = 0; i < SC_GAPS; i++)
		assert_true(i == gap || !sc_analysis_coverage(run.analysis)->gaps[i]);
	run_fini(&run);
	sc_buf_fini(&text);
	return found;
}

TEST(what_the_analysis_leaves_out_is_counted)
{
	static const char rows[] = "copy2d s1 A+%u <- d+%u width=16 rows=8 pitch=256\n";
	static const char memory[] = "alloc A 64m\nalloc d 64m\n";

	assert_int_equal(left_out(memory, rows, 4096, 4096, SC_GAP_touches), 0);
	assert_int_equal(left_out(memory, rows, 4097, 4096, SC_GAP_touches), 2 * 2048);
	assert_int_equal(left_out("", "host_func s1 # %u %u\n", 4096, 1, SC_GAP_host_functions), 0);
	assert_int_equal(left_out("", "host_func s1 # %u %u\n", 4099, 1, SC_GAP_host_functions), 3);
	assert_int_equal(
		left_out("host_func s1\n", "sync_hold %u 1 # %u\n", 1024, 1, SC_GAP_held_locks), 0);
	assert_int_equal(
		left_out("host_func s1\n", "sync_hold %u 1 # %u\n", 1026, 1, SC_GAP_held_locks), 2);
	assert_int_equal(left_out("", "library_stream %u s1 # %u\n", 256, 1, SC_GAP_library_uses),
			 0);
	assert_int_equal(left_out("", "library_stream %u s1 # %u\n", 257, 1, SC_GAP_library_uses),
			 1);
	assert_int_equal(left_out("alloc m 1m managed\n", "discard s1 m+%u 16 # %u\n", 256, 32,
				  SC_GAP_discards),
			 0);
	assert_int_equal(left_out("alloc m 1m managed\n", "discard s1 m+%u 16 # %u\n", 258, 32,
				  SC_GAP_discards),
			 2);
}

/* A handle that works in many streams: each is compared with all that nothing orders. */
TEST(a_handle_in_many_streams)
{
	struct sc_buf text = {0};
	struct run run;
	size_t count;

	for (unsigned i = 1; i <= 20; i++)
		sc_buf_printf(&text, "library_stream h1 s%u\nkernel s%u library\n", i, i);
	run = run_text(sc_buf_text(&text), 1);
	sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 20 * 19 / 2);
	run_fini(&run);
	sc_buf_fini(&text);
}

static uint64_t unwatched(const char *text, bool is_strict)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .strict_hosts = is_strict};
	struct run run = run_with(text, &settings);
	uint64_t found = sc_analysis_coverage(run.analysis)->unwatched;

	run_fini(&run);
	return found;
}

/* Strict mode reports if the recorder did not record the synchronization of threads. */
TEST(threads_that_nobody_watched)
{
	assert_int_equal(unwatched("t1: kernel s1\nt2: kernel s1\n", 1), 2);
	assert_int_equal(unwatched("t1: kernel s1\nt2: kernel s1\n", 0), 0);
	assert_int_equal(unwatched("t1: kernel s1\nt1: kernel s1\n", 1), 0);
	assert_int_equal(unwatched("source 1 \"host synchronization\"\n"
				   "t1: kernel s1\nt2: kernel s1\n",
				   1),
			 0);
	assert_int_equal(unwatched("t1: kernel s1\nsource 1 \"host synchronization\"\n"
				   "t2: kernel s1\n",
				   1),
			 2);
}

/* An analysis of nothing is not complete: it must not look like a clean program. */
TEST(nothing_recorded)
{
	struct run run = run_text("process 1 \"app\"\n", 1);
	size_t count;

	sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 0);
	assert_false(sc_analysis_complete(run.analysis));
	run_fini(&run);
}

TEST(records_of_findings_are_kept)
{
	struct run run = run_text(racy, 1);
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(run.analysis, &count);

	assert_int_equal(count, 3); /* errors first: 101, 106; then advice 303 */
	assert_int_equal(f[0].rule, SC_RULE_101);
	assert_int_equal(f[1].rule, SC_RULE_106);
	assert_int_equal(f[2].rule, SC_RULE_303);
	assert_int_equal(sc_analysis_record(run.analysis, f[0].side[0].op)->op.kind, SC_OP_COPY);
	assert_int_equal(sc_analysis_record(run.analysis, f[0].side[1].op)->op.kind,
			 SC_OP_HOST_READ);
	assert_int_equal(sc_analysis_record(run.analysis, f[0].allocation - 1)->op.kind,
			 SC_OP_ALLOC);
	assert_int_equal(sc_analysis_record(run.analysis, f[0].reach_op - 1)->op.kind,
			 SC_OP_STREAM_SYNC);
	assert_null(sc_analysis_record(run.analysis, UINT64_MAX));
	run_fini(&run);
}

TEST(advice_can_be_left_out)
{
	struct run run = run_text(racy, 0);
	size_t count;

	sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 2);
	run_fini(&run);
}

TEST(same_trace_same_findings)
{
	struct run a = run_text(racy, 1), b = run_text(racy, 1);
	size_t count_a, count_b;
	const struct sc_finding *f = sc_analysis_findings(a.analysis, &count_a);
	const struct sc_finding *g = sc_analysis_findings(b.analysis, &count_b);

	assert_int_equal(count_a, count_b);
	assert_memory_equal(f, g, count_a * sizeof(*f));
	run_fini(&a);
	run_fini(&b);
}

/* Without stacks every pair is a finding of its own; beyond a number they are merged by rule. */
TEST(more_findings_than_anybody_reads)
{
	static char text[2 << 20];
	char *at = text;
	struct run run;
	size_t count;

	at += sprintf(at, "alloc d 65536\n");
	for (unsigned i = 0; i < 44000; i++)
		at += sprintf(at, "set s%u d+%u 4\n", i % 2 + 1, i / 2 * 4);
	run = run_text(text, 1);
	sc_analysis_findings(run.analysis, &count);
	assert_in_range(count, 20000, 20010);
	run_fini(&run);
}

/* SC-309: a hundred thousand queries in a row, which would be a long trace to write by hand. */
static size_t count_leaders(const struct sc_analysis *a)
{
	size_t count, leaders = 0;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (size_t i = 0; i < count; i++)
		leaders += !f[i].leader;
	return leaders;
}

/* One stream writes what 200 others read, each of them twenty buffers: one leader for each. */
TEST(a_leader_for_each_of_many_streams)
{
	struct sc_buf script = {0};
	struct run run;
	size_t count;

	for (unsigned i = 0; i < 4000; i++)
		sc_buf_printf(&script, "alloc d%u 64\nset s1 d%u 64\n", i, i);
	for (unsigned i = 0; i < 4000; i++)
		sc_buf_printf(&script, "kernel s%u reads d%u\n", 2 + i % 200, i);
	run = run_text(script.text, 0);
	sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 4000);
	assert_int_equal(count_leaders(run.analysis), 200);
	run_fini(&run);
	sc_buf_fini(&script);
}

static bool is_not_the_first(void *context, size_t index, const struct sc_finding *f)
{
	(void)context;
	(void)index;
	return f->number != 1;
}

TEST(followers_outlive_their_leader)
{
	struct run run = run_text("alloc d 64\nalloc p 64 pinned\ncopy s1 p <- d 64\n"
				  "host_read p 4\nhost_write p 4\n",
				  0);
	const struct sc_finding *f;
	size_t count;

	assert_int_equal(count_leaders(run.analysis), 1);
	sc_analysis_take_out(run.analysis, is_not_the_first, NULL);
	f = sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 1);
	assert_int_equal(f->number, 2);
	assert_int_equal(f->leader, 0);
	run_fini(&run);
}

static size_t busy_findings(unsigned first, unsigned second)
{
	char *text = malloc((first + second + 4) * 32), *at = text;
	struct run run;
	size_t count;

	assert_non_null(text);
	at += sprintf(at, "kernel s1\n");
	for (unsigned i = 0; i < first + second; i++)
		at += sprintf(at, "%sstream_query s1 result=600\n",
			      i == first ? "kernel s2\n" : "");
	run = run_text(text, 1);
	sc_analysis_findings(run.analysis, &count);
	run_fini(&run);
	free(text);
	return count;
}

TEST(busy_polling_is_reported_once_it_is_certain)
{
	assert_int_equal(busy_findings(100000, 0), 1);
	assert_int_equal(busy_findings(99999, 0), 0);
	assert_int_equal(busy_findings(60000, 60000), 0); /* other work in between */
}

/* A live analysis reads the BEGIN of a call while the call is under way. */
static unsigned count_of_waiting(const char *call, const char *result)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .is_live = 1};
	char text[512];
	struct run run;
	size_t count;

	snprintf(text, sizeof(text),
		 "alloc d 1024\nalloc p 1024 pinned\nalloc q 64 pageable\ncopy s1 p <- d 1024\n"
		 "%s phase=begin result=pending\n%s phase=end link=5 result=%s\nhost_read p 4\n",
		 call, call, result);
	run = run_with(text, &settings);
	sc_analysis_findings(run.analysis, &count);
	run_fini(&run);
	return (unsigned)count;
}

TEST(wait_that_is_under_way)
{
	static const char *const calls[] = {"stream_sync s1", "context_sync",
					    "copy s1 q <- d 64 flags=sync"};

	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_int_equal(count_of_waiting(calls[i], "0"), 0);
		assert_int_equal(count_of_waiting(calls[i], "700"), 1);
	}
}

static uint64_t sequence_of(const struct run *run, unsigned line)
{
	uint64_t sequence = 0;

	while (run->script.op_lines[sequence] != line)
		sequence++;
	return sequence;
}

/* What other processes say of an operation is a finding of it, at the bytes that it uses of the
 * memory in question; of other memory, or of none, it names no bytes. */
TEST(remarks_of_other_processes)
{
	static const char text[] = "alloc d 64\nalloc e 64\ncopy s1 e <- d 64\nstream_sync s1\n";
	static const unsigned rules[] = {175, 176, 174}, lines[] = {3, 3, 4}, bytes[] = {4, 0, 0};
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct run run = run_with(text, &settings);
	uint64_t copy = sequence_of(&run, 3), sync = sequence_of(&run, 4);
	const struct sc_remark remarks[] = {
		{.sequence = copy, .rule = 175, .memory = sequence_of(&run, 1) + 1, .bytes = 4},
		{.sequence = copy, .rule = 176, .memory = copy + 1, .bytes = 4},
		{.sequence = sync, .rule = 174, .bytes = 4},
		{.sequence = sync + 100, .rule = 174},
	};
	const struct sc_finding *found;
	size_t count;

	run_fini(&run);
	settings.remark_count = sizeof(remarks) / sizeof(*remarks);
	settings.remarks = remarks;
	run = run_with(text, &settings);
	found = sc_analysis_findings(run.analysis, &count);
	assert_int_equal(count, 3);
	for (unsigned i = 0; i < count; i++) {
		const struct sc_remark *remark = &remarks[found[i].remark - 1];
		unsigned at = (unsigned)(remark - remarks);

		assert_int_equal(found[i].rule, rules[at]);
		assert_int_equal(found[i].side[0].op, sequence_of(&run, lines[at]));
		assert_int_equal(found[i].side[0].bytes, bytes[at]);
		assert_int_equal(found[i].count, 1);
	}
	run_fini(&run);
}

/* Nobody wants what a trace has after a race of two threads, if it is not too long. */
TEST(nothing_is_read_after_a_race_of_two_threads)
{
	static const char text[] = "alloc d 1024\n"
				   "t1: kernel s1 writes d\n"
				   "t1: kernel s2 reads d\n"
				   "t2: kernel s3 reads d\n"
				   "t1: copy s1 d <- d 1024\n"
				   "t1: stream_sync s1\n";
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	static const uint64_t below[] = {0, 1, 1000};
	static const uint64_t ops[] = {6, 6, 4};

	for (unsigned i = 0; i < 3; i++) {
		struct run run;

		settings.stops_below = below[i];
		run = run_with(text, &settings);
		assert_int_equal(sc_analysis_is_stopped(run.analysis), i == 2);
		assert_int_equal(sc_analysis_coverage(run.analysis)->ops, ops[i]);
		run_fini(&run);
	}
}
