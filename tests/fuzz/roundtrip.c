/* What fuzz targets expect of a trace: it reads twice alike, and its text form parses back. */
#include "tests/fuzz/roundtrip.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace/text/text.h"

struct printed {
	char *text;
	size_t bytes;
	uint64_t records;
	bool is_ambiguous; /* strings are defined twice: a call's name may mean either */
};

static void expect(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static void expect_same(const char *first, const char *second)
{
	while (*first || *second) {
		int a = (int)strcspn(first, "\n"), b = (int)strcspn(second, "\n");

		if (a != b || memcmp(first, second, (size_t)a)) {
			fprintf(stderr, "fuzz: a round trip changed\n%.*s\nto\n%.*s\n", a, first, b,
				second);
			abort();
		}
		first += a + !!first[a];
		second += b + !!second[b];
	}
}

static void look_up(const struct sc_reader *r, const struct sc_record *record)
{
	const uint64_t *frames;
	size_t count = sc_reader_stack(r, record->op.object, &frames);
	volatile uint64_t sum = strlen(sc_reader_string(r, record->op.call)) +
				strlen(sc_reader_function(r, record->op.object));

	for (size_t i = 0; i < count; i++)
		sum += frames[i];
	for (uint32_t i = 0; i < record->attachment_bytes; i++)
		sum += record->attachments[i];
	(void)sum;
}

static struct printed print_all(struct sc_reader *r)
{
	struct printed p = {0};
	struct sc_record record;
	FILE *out = open_memstream(&p.text, &p.bytes);
	unsigned strings = 0;

	expect(out != NULL, "no memory stream");
	while (sc_reader_next(r, &record)) {
		look_up(r, &record);
		sc_text_print(out, r, &record);
		strings += record.op.kind == SC_OP_STRING;
		p.records++;
	}
	fclose(out);
	/* A link into nowhere keeps its number, which may be a record's after the parse; of several
	 * strings, the parse keeps those that something names. */
	p.is_ambiguous = strings > 1 || strstr(p.text, "link=@") ||
			 strstr(p.text, "callback_begin @") || strstr(p.text, "callback_end @");
	return p;
}

static void check_text(const struct printed *first)
{
	struct sc_text_script script;
	struct printed second;
	struct sc_reader *r;
	char message[200];

	if (sc_text_parse(&script, first->text, first->bytes, message, sizeof(message)))
		expect(0, message);
	expect(!sc_reader_open_memory(&r, script.trace, script.bytes, message, sizeof(message)),
	       message);
	second = print_all(r);
	expect(!sc_reader_stats(r)->damaged && !sc_reader_stats(r)->uncommitted,
	       "a parsed trace is damaged");
	if (!first->is_ambiguous) {
		expect_same(first->text, second.text);
		expect(first->records == second.records, "the parse made other records");
	}
	free(second.text);
	sc_reader_free(r);
	sc_text_script_fini(&script);
}

void roundtrip_check(struct sc_reader *r)
{
	struct printed first = print_all(r);
	struct sc_reader_stats stats = *sc_reader_stats(r);
	struct sc_record record;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		look_up(r, &record);
	expect(!memcmp(&stats, sc_reader_stats(r), sizeof(stats)), "the second pass differs");
	check_text(&first);
	free(first.text);
}
