/* Fuzz target: bytes as a trace, analyzed and reported in every format; a report stays sound text,
 * and the reproducer of a finding has nothing of the trace outside of comments. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/analysis.h"
#if SC_REPAIR
#include "extensions/repair/reproducer/reproduction.h"
#endif
#include "reports/report.h"
#include "reports/utf8.h"
#include "tests/fuzz/sealed_copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Valid UTF-8 (its own U+FFFD takes three bytes) without a control character but line ends, and the
 * tabs of the script that HTML carries. */
static void check_text(const struct sc_buf *text)
{
	size_t at = 0;

	require(text->bytes == strlen(sc_buf_text(text)));
	while (at < text->bytes) {
		uint32_t character;
		size_t took = sc_utf8_decode(text->text + at, text->bytes - at, &character);

		require(character != SC_UTF8_INVALID || took == 3);
		require(character >= 0x20 || character == '\n' || character == '\t');
		at += took;
	}
}

/* Brackets outside of strings close as they open; strings end. */
static void check_json(const struct sc_buf *json)
{
	char open[64];
	size_t depth = 0;
	bool is_string = 0;

	for (const char *c = sc_buf_text(json); *c; c++) {
		if (is_string && *c == '\\')
			c++;
		else if (*c == '"')
			is_string = !is_string;
		else if (!is_string && (*c == '{' || *c == '[') && depth < sizeof(open))
			open[depth++] = *c == '{' ? '}' : ']';
		else if (!is_string && (*c == '}' || *c == ']'))
			require(depth && open[--depth] == *c);
	}
	require(!depth && !is_string);
}

#if SC_REPAIR
/* A comment ends with its line, and a line is one. */
static void check_program(const struct sc_buf *text)
{
	for (const char *c = sc_buf_text(text); *c; c++) {
		require((*c >= 0x20 && *c < 0x7f) || *c == '\n' || *c == '\t');
		require(*c != '\\' || (c[1] && c[1] != '\n'));
		require(c[0] != '?' || c[1] != '?');
	}
}

static void reproduce(struct sc_report *report)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(report->analysis, &count);

	for (size_t i = 0; i < count && i < 3; i++) {
		struct sc_buf program = {0}, why = {0};
		struct sc_slice slice;
		struct sc_words words;

		sc_words_init(&words, report, NULL);
		sc_slice_make(&slice, report->reader, &f[i]);
		require(sc_reproduction_print(&program, &why, &slice, &words, &f[i], NULL) ==
			!why.bytes);
		check_program(&program);
		sc_buf_fini(&program);
		sc_buf_fini(&why);
		sc_slice_fini(&slice);
	}
}
#endif

static void report(struct sc_reader *r, const struct sc_analysis *a)
{
	struct sc_report_style narrow = {.width = 40};
	struct sc_names names;
	struct sc_report report = {.analysis = a, .reader = r, .names = &names};
	struct sc_buf text = {0};

	sc_names_init(&names, r, 0);
	report.symbols = sc_symbols_new(r);
	require(report.symbols != NULL);
	for (size_t i = 0; i < sc_report_count(); i++) {
		sc_report_print(sc_report_at(i), &text, &report, &narrow);
		check_text(&text);
		if (*sc_buf_text(&text) == '{')
			check_json(&text);
		sc_buf_clear(&text);
	}
	sc_buf_fini(&text);
#if SC_REPAIR
	reproduce(&report);
#endif
	sc_symbols_free(report.symbols);
	sc_names_fini(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *trace = sealed_copy(data, bytes);
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .advice = 1};
	struct sc_analysis *a;
	struct sc_reader *r;

	if (sc_reader_open_memory(&r, trace, bytes, NULL, 0)) {
		free(trace);
		return 0;
	}
	if (!sc_analysis_run(&a, r, &settings)) {
		report(r, a);
		sc_analysis_free(a);
	}
	sc_reader_free(r);
	free(trace);
	return 0;
}
