/* Formats: whole reports compared with tests/golden/formats, hostile names, and fingerprints, from
 * findings and stacks made by hand. */
#include "reports/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "reports/fingerprint.h"
#include "reports/output.h"
#include "reports/utf8.h"
#include "tests/unit/reports/report_fake.h"

#define FOLDER "/src/pipe line"
#define FILE_A FOLDER "/stage%1.cu"
#define FILE_B "/opt/lib/reader.cpp"

/* A producer's copy, an event that is recorded too early, a consumer's kernel, a host read. */
static const char script[] = "process 4711 text=\"/opt/bin/pipe --fast <in\"\n"
			     "function 1 0 text=\"_Z5scalePfi\"\n"
			     "stream n1 stack=1\n"
			     "stream n2 stack=1\n"
			     "alloc dev 4096 stack=2\n"
			     "alloc out 4096 pinned stack=2\n"
			     "record e1 n1 stack=3\n"
			     "copy n1 dev <- out 4096 stack=4\n"
			     "wait n2 e1 stack=5\n"
			     "kernel n2 1 reads dev stack=6\n"
			     "stream_sync n2 stack=7\n"
			     "host_write out 4 stack=8\n"
			     "lost 3 text=\"calls of cuFoo have no decoder\"\n"
			     "exit 3\n";

static void add_stacks(struct fake *f)
{
	static const struct {
		unsigned line; /* in fill() or drain() */
		const char *api;
		bool is_drain;
	} stacks[] = {
		[1] = {10, "cudaStreamCreateWithFlags", 0}, [2] = {12, "cudaMalloc", 0},
		[3] = {20, "cudaEventRecord", 0},	    [4] = {21, "cudaMemcpyAsync", 0},
		[5] = {40, "cudaStreamWaitEvent", 1},	    [6] = {41, "cudaLaunchKernel", 1},
		[7] = {42, "cudaStreamSynchronize", 1},	    [8] = {43, NULL, 1},
	};

	for (uint32_t i = 1; i < sizeof(stacks) / sizeof(*stacks); i++) {
		if (stacks[i].api)
			fake_frame(f, i, stacks[i].api, NULL, 0, "/opt/lib/libcudart.so.13");
		if (stacks[i].is_drain)
			fake_frame(f, i, "Reader::drain(float*)", FILE_B, stacks[i].line, NULL);
		else
			fake_frame(f, i, "fill(float*)", FILE_A, stacks[i].line, NULL);
		f->symbols.stacks[i].frames[f->symbols.stacks[i].count - 1].column = 5;
		fake_frame(f, i, "main", FILE_A, 90 + i, NULL);
		fake_frame(f, i, "__libc_start_main", NULL, 0, "/lib/libc.so.6");
	}
}

static struct sc_finding *add_collision(struct fake *f, unsigned rule, unsigned first,
					unsigned then, enum sc_severity severity)
{
	struct sc_finding *finding = fake_finding(f, rule, severity);
	uint64_t address = sc_analysis_record(&f->analysis, fake_op(f, 5))->op.dst;

	finding->side[0] = fake_side(f, first, SC_SIDE_WRITE, address, 64);
	finding->side[1] = fake_side(f, then, SC_SIDE_READ, address, 64);
	finding->allocation = fake_op(f, 5) + 1;
	finding->fix_after = finding->side[0].op + 1;
	finding->fix_before = finding->side[1].op + 1;
	return finding;
}

/* A proven error, a possible one, advice about one op. */
static void make_story(struct fake *f)
{
	struct sc_finding *race, *doubtful, *advice;

	fake_init(f, script);
	add_stacks(f);
	f->analysis.is_complete = 0;
	f->analysis.coverage = (struct sc_coverage){.ops = 9,
						    .streams = 2,
						    .copies = 1,
						    .kernels = 1,
						    .work = 2,
						    .lost = 3,
						    .driver_seen = 1,
						    .closed = 1};
	race = add_collision(f, SC_RULE_106, 8, 10, SC_ERROR);
	race->causes[0] = SC_RULE_110;
	race->reach = SC_REACH_EARLIER;
	race->reach_op = fake_op(f, 9) + 1;
	race->fix = SC_FIX_EVENT;
	race->fix_stream = race->side[1].stream;
	race->count = 5;
	doubtful = add_collision(f, SC_RULE_102, 8, 12, SC_ERROR);
	doubtful->confidence = SC_POSSIBLE;
	doubtful->doubt = SC_DOUBT_OVER;
	doubtful->fix = SC_FIX_SYNC_STREAM;
	doubtful->fix_stream = doubtful->side[0].stream;
	advice = fake_finding(f, SC_RULE_303, SC_ADVICE);
	advice->sides = 1;
	advice->side[0] = fake_side(f, 11, SC_SIDE_CALL, 0, 0);
}

static void print(const char *format, struct fake *f, struct sc_buf *out)
{
	struct sc_report_style style = {.directory = FOLDER};

	sc_report_print(sc_report_find(format, strlen(format)), out, &f->report, &style);
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

/* The rules of a SARIF log are those of rule.def, which have their own tests. */
static void cut_rules(struct sc_buf *text)
{
	char *start = strstr(text->text, "          \"rules\": [");
	char *end = start ? strstr(start, "\n          ]") : NULL;

	if (!end)
		return;
	end += strlen("\n          ]");
	memmove(start, end, strlen(end) + 1);
	text->bytes = strlen(text->text);
}

/* Cuts the cases of rules that found nothing: which rules there are is not this test's to say. */
static void cut_empty_cases(struct sc_buf *text)
{
	static const char empty[] = ">\n    </testcase>\n";
	char *start = text->text, *line;

	while ((line = strstr(start, "    <testcase"))) {
		char *end = strchr(line, '\n');

		if (!strncmp(end - 1, empty, strlen(empty)))
			memmove(line, end - 1 + strlen(empty), strlen(end - 1 + strlen(empty)) + 1);
		else
			line = end + 1;
		start = line;
	}
	text->bytes = strlen(text->text);
}

/* Makes the numbers after a key one: they depend on how many rules there are. */
static void mask_number(struct sc_buf *text, const char *key)
{
	for (char *at = text->text; (at = strstr(at, key));) {
		size_t digits;

		at += strlen(key);
		digits = strspn(at, "0123456789");
		assert_true(digits > 0);
		memmove(at + 1, at + digits, strlen(at + digits) + 1);
		*at = '#';
	}
	text->bytes = strlen(text->text);
}

static void filter(struct sc_buf *text)
{
	cut_rules(text);
	cut_empty_cases(text);
	mask_number(text, "\"ruleIndex\": ");
	mask_number(text, " tests=\"");
}

/* Compares with a golden file; with STREAMCHECK_WRITE_GOLDEN set, writes it instead and fails. */
static void golden(void **state)
{
	const char *format = *state;
	struct sc_buf text = {0};
	struct fake f;
	char path[512];
	char *expected;

	make_story(&f);
	print(format, &f, &text);
	filter(&text);
	snprintf(path, sizeof(path), SC_SOURCE_DIR "/tests/golden/formats/pipe.%s", format);
	if (getenv("STREAMCHECK_WRITE_GOLDEN")) {
		assert_int_equal(sc_output_write_file(path, &text, NULL), 0);
		fail_msg("%s was written, not compared", path);
	}
	expected = read_file(path);
	assert_string_equal(sc_buf_text(&text), expected);
	free(expected);
	sc_buf_fini(&text);
	fake_fini(&f);
}

#define EVIL "e\033]0;\x01\xff\xc0\x80\"'\\<b>&--]]>%0A::\r\n{}[x](y)\xef\xbf\xbe"

/* Every format, names that hold anything: still UTF-8 without control characters. */
static void hostile_names_are_made_harmless(void **state)
{
	struct fake f;

	(void)state;
	make_story(&f);
	f.names.command = EVIL;
	for (uint32_t i = 1; i < 9; i++)
		for (size_t k = 0; k < f.symbols.stacks[i].count; k++) {
			f.symbols.stacks[i].frames[k].function = EVIL;
			f.symbols.stacks[i].frames[k].file = "/src/" EVIL;
		}
	for (size_t i = 0; i < sc_report_count(); i++) {
		struct sc_buf text = {0};
		size_t took;

		print(sc_report_at(i)->name, &f, &text);
		for (size_t at = 0; at < text.bytes; at += took) {
			uint32_t c;

			took = sc_utf8_decode(text.text + at, text.bytes - at, &c);
			assert_true(c != SC_UTF8_INVALID || took == 3);
			assert_true(c >= 0x20 || c == '\n' || c == '\t');
		}
		sc_buf_fini(&text);
	}
	fake_fini(&f);
}

/* An annotation is one line, whatever its texts hold. */
static void annotations_stay_on_their_line(void **state)
{
	struct sc_buf text = {0};
	struct fake f;
	size_t lines = 0;

	(void)state;
	make_story(&f);
	f.symbols.stacks[6].frames[1].file = "/src/a,b:c%0A\n::stop";
	print("github", &f, &text);
	for (const char *c = text.text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 4); /* three findings and what was lost */
	assert_non_null(strstr(text.text, "file=/src/a%2Cb%3Ac%250A?%3A%3Astop,line=41"));
	sc_buf_fini(&text);
	fake_fini(&f);
}

/* A file's name in SARIF is a URI, in JUnit an attribute's value. */
static void names_are_escaped_where_they_stand(void **state)
{
	struct sc_buf text = {0};
	struct fake f;

	(void)state;
	make_story(&f);
	print("sarif", &f, &text);
	assert_non_null(strstr(text.text, "\"uri\": \"stage%251.cu\""));
	assert_non_null(strstr(text.text, "\"uri\": \"file:///src/pipe%20line/\""));
	sc_buf_clear(&text);
	f.names.command = "/bin/a<b&\"c";
	print("junit", &f, &text);
	assert_non_null(strstr(text.text, "<testsuite name=\"a&lt;b&amp;&quot;c\""));
	sc_buf_fini(&text);
	fake_fini(&f);
}

static void a_run_without_operations_skips_the_rules(void **state)
{
	struct sc_buf text = {0};
	struct fake f;

	(void)state;
	fake_init(&f, "process 1 text=\"app\"\n");
	f.analysis.is_complete = 0;
	print("junit", &f, &text);
	assert_non_null(strstr(text.text, "<skipped message=\"nothing was recorded\"/>"));
	assert_non_null(strstr(text.text, "<error type=\"incomplete\""));
	assert_null(strstr(text.text, "<failure"));
	sc_buf_fini(&text);
	fake_fini(&f);
}

static void a_run_without_work_tests_no_rule(void **state)
{
	struct sc_report_style style = {.requires_work = 1};
	struct sc_buf text = {0};
	struct fake f;

	(void)state;
	fake_init(&f, "process 1 text=\"app\"\n");
	f.analysis.coverage.ops = 1;
	print("junit", &f, &text);
	assert_non_null(strstr(text.text, "<skipped message=\"no copy, fill, kernel or graph"));
	assert_null(strstr(text.text, "the device was used"));
	sc_buf_clear(&text);
	sc_report_print(sc_report_find("junit", strlen("junit")), &text, &f.report, &style);
	assert_non_null(strstr(text.text, "<error type=\"unused\" message=\"no copy, fill"));
	f.analysis.coverage.work = 1;
	sc_buf_clear(&text);
	sc_report_print(sc_report_find("junit", strlen("junit")), &text, &f.report, &style);
	assert_non_null(strstr(text.text, "name=\"the device was used\""));
	assert_null(strstr(text.text, "<error type=\"unused\""));
	sc_buf_fini(&text);
	fake_fini(&f);
}

static void hidden_findings_are_reported_as_suppressed(void **state)
{
	struct sc_hidden hidden[2] = {{.reason = "vendor bug 12"}, {.reason = NULL}};
	struct sc_buf text = {0};
	struct fake f;

	(void)state;
	make_story(&f);
	hidden[0].finding = hidden[1].finding = f.analysis.findings[0];
	hidden[0].fingerprint = 1;
	hidden[1].fingerprint = 2;
	f.report.hidden = hidden;
	f.report.hidden_count = 2;
	print("sarif", &f, &text);
	assert_non_null(strstr(text.text, "\"justification\": \"vendor bug 12\""));
	assert_non_null(strstr(text.text, "\"baselineState\": \"unchanged\""));
	assert_non_null(strstr(text.text, "\"streamcheck/v3\": \"0000000000000002\""));
	sc_buf_fini(&text);
	fake_fini(&f);
}

/* Fingerprint of the first finding. */
static uint64_t fingerprint(struct fake *f)
{
	struct sc_fingerprints all;
	uint64_t first;

	sc_fingerprints_init(&all, &f->report);
	assert_true(all.count > 0);
	first = all.items[0];
	sc_fingerprints_fini(&all);
	return first;
}

static void a_fingerprint_survives_a_rebuild(void **state)
{
	struct fake f;
	uint64_t before;

	(void)state;
	make_story(&f);
	before = fingerprint(&f);
	f.analysis.findings[0].identity = 99;
	f.analysis.findings[0].count = 1;
	f.analysis.findings[0].confidence = SC_POSSIBLE;
	f.analysis.findings[0].side[0].address += 4096;
	for (uint32_t i = 1; i < 9; i++)
		for (size_t k = 0; k < f.symbols.stacks[i].count; k++) {
			struct sc_frame *frame = &f.symbols.stacks[i].frames[k];

			frame->line += frame->line ? 7 : 0;
			frame->pc += 0x1000;
			frame->offset += 0x30;
			frame->file = *frame->file ? "/elsewhere/moved.cu" : "";
		}
	f.symbols.stacks[4].frames[1].function = "fill(float*) [clone .constprop.0]";
	assert_int_equal(fingerprint(&f), before);
	fake_fini(&f);
}

static void a_fingerprint_distinguishes_functions_and_no_causes(void **state)
{
	struct fake f;
	uint64_t before;

	(void)state;
	make_story(&f);
	before = fingerprint(&f);
	f.symbols.stacks[4].frames[1].function = "refill(float*)";
	assert_int_not_equal(fingerprint(&f), before);
	f.symbols.stacks[4].frames[1].function = "fill(float*)";
	assert_int_equal(fingerprint(&f), before);
	f.analysis.findings[0].causes[0] = 0;
	assert_int_equal(fingerprint(&f), before);
	fake_fini(&f);
}

/* The same two calls, in the other order of the host. */
static void a_fingerprint_does_not_contain_the_order(void **state)
{
	struct sc_side first;
	struct fake f;
	uint64_t before;

	(void)state;
	make_story(&f);
	before = fingerprint(&f);
	first = f.analysis.findings[0].side[0];
	f.analysis.findings[0].side[0] = f.analysis.findings[0].side[1];
	f.analysis.findings[0].side[1] = first;
	assert_int_equal(fingerprint(&f), before);
	f.analysis.findings[0].side[1] = f.analysis.findings[0].side[0];
	assert_int_not_equal(fingerprint(&f), before);
	fake_fini(&f);
}

/* Three equals; the second is hidden: the others keep their fingerprints. */
static void equals_are_distinguished_whatever_is_hidden(void **state)
{
	struct sc_fingerprints all, rest;
	struct sc_hidden hidden;
	struct fake f;

	(void)state;
	make_story(&f);
	f.analysis.findings[1] = f.analysis.findings[2] = f.analysis.findings[0];
	sc_fingerprints_init(&all, &f.report);
	assert_int_not_equal(all.items[0], all.items[1]);
	assert_int_not_equal(all.items[1], all.items[2]);
	hidden = (struct sc_hidden){
		.finding = f.analysis.findings[1], .fingerprint = all.items[1], .reason = "known"};
	f.report.hidden = &hidden;
	f.report.hidden_count = 1;
	f.analysis.count = 2;
	sc_fingerprints_init(&rest, &f.report);
	assert_int_equal(rest.items[0], all.items[0]);
	assert_int_equal(rest.items[1], all.items[2]);
	sc_fingerprints_fini(&all);
	sc_fingerprints_fini(&rest);
	fake_fini(&f);
}

#define GOLDEN(name) cmocka_unit_test_prestate(golden, (char[]){name})

int main(void)
{
	const struct CMUnitTest tests[] = {
		GOLDEN("json"),
		GOLDEN("gcc"),
		GOLDEN("github"),
		GOLDEN("sarif"),
		GOLDEN("junit"),
		GOLDEN("perfetto"),
		GOLDEN("gitlab"),
		cmocka_unit_test(hostile_names_are_made_harmless),
		cmocka_unit_test(annotations_stay_on_their_line),
		cmocka_unit_test(names_are_escaped_where_they_stand),
		cmocka_unit_test(a_run_without_operations_skips_the_rules),
		cmocka_unit_test(a_run_without_work_tests_no_rule),
		cmocka_unit_test(hidden_findings_are_reported_as_suppressed),
		cmocka_unit_test(a_fingerprint_survives_a_rebuild),
		cmocka_unit_test(a_fingerprint_distinguishes_functions_and_no_causes),
		cmocka_unit_test(a_fingerprint_does_not_contain_the_order),
		cmocka_unit_test(equals_are_distinguished_whatever_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
