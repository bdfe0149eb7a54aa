/* Fuzz target: bytes as a trace, written again without names (extensions/anonymize); what comes out
 * is a trace without damage, of as many operations. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "analyzer/analysis.h"
#include "extensions/anonymize/private_trace.h"
#include "tests/fuzz/sealed_copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static size_t count_ops(struct sc_reader *r)
{
	struct sc_record record;
	size_t count = 0;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0)
		count += sc_op_kind_class(record.op.kind) != SC_CLASS_DEFINE;
	return count;
}

static void check(FILE *file, size_t count)
{
	char path[64], message[160] = "";
	struct sc_reader *r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	require(!sc_reader_open(&r, path, message, sizeof(message)));
	require(count_ops(r) == count);
	require(!sc_reader_stats(r)->damaged && !sc_reader_stats(r)->uncommitted);
	sc_reader_free(r);
}

static void anonymize(struct sc_reader *r)
{
	struct sc_report report = {.reader = r};
	sc_private_places places = {0};
	FILE *file = tmpfile();
	size_t count = count_ops(r);

	report.symbols = sc_symbols_new(r);
	require(file && report.symbols);
	if (!sc_private_trace_write(&report, file, &places))
		check(file, count);
	fclose(file);
	sc_vector_fini(&places);
	sc_symbols_free(report.symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *trace = sealed_copy(data, bytes);
	struct sc_reader *r;

	if (!sc_reader_open_memory(&r, trace, bytes, NULL, 0)) {
		anonymize(r);
		sc_reader_free(r);
	}
	free(trace);
	return 0;
}
