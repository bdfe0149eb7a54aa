/* Digest: walks for a few kinds of records find what walks over all of them find. */
#include "trace/digest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "base/buf.h"
#include "trace/reader.h"
#include "trace/text/text.h"

/* A trace in memory, from its text form. */
static struct sc_text_script script(const char *text)
{
	char message[200] = "";
	struct sc_text_script s;

	if (sc_text_parse(&s, text, strlen(text), message, sizeof(message)))
		fail_msg("%s", message);
	return s;
}

static struct sc_reader *open_script(const struct sc_text_script *s)
{
	char message[200] = "";
	struct sc_reader *r;

	assert_int_equal(sc_reader_open_memory(&r, s->trace, s->bytes, message, sizeof(message)),
			 0);
	return r;
}

#define MANY 20000 /* records, some fifty stretches */

/* A trace of which every 2,500th record is of another kind, and one in a thousand one of two. */
static char *long_text(void)
{
	struct sc_buf text = {0};

	for (int i = 0; i < MANY; i++)
		if (i % 2500 == 2499)
			sc_buf_printf(&text, "driver %d\n", i % 9);
		else
			sc_buf_add(&text, i % 1000 ? "kernel s1\n" : "stream_sync s1\n");
	return sc_buf_take(&text);
}

/* What a walk took, and how many records it looked at. */
struct walk {
	const struct sc_visit *visit;
	uint64_t sum, looked_at;
};

static bool want_few(void *data, const struct sc_op *head, uint64_t sequence)
{
	struct walk *w = data;

	w->looked_at++;
	for (size_t i = 0; i < w->visit->place_count; i++)
		if (w->visit->places[i] == sequence)
			return 1;
	return head->kind == SC_OP_DRIVER;
}

static void take_few(void *data, const struct sc_record *record)
{
	struct walk *w = data;

	w->sum = w->sum * 31 + record->sequence;
}

static struct walk walk(struct sc_reader *r, const struct sc_kinds *kinds, const uint64_t *places,
			size_t count)
{
	struct walk w = {0};
	struct sc_visit visit = {.is_wanted = want_few,
				 .take = take_few,
				 .data = &w,
				 .kinds = kinds,
				 .places = places,
				 .place_count = count};

	w.visit = &visit;
	sc_reader_visit(r, &visit);
	w.visit = NULL;
	return w;
}

TEST(a_walk_for_a_few_kinds_passes_by_what_has_none)
{
	char *text = long_text();
	struct sc_text_script s = script(text);
	struct sc_kinds kinds = {0}, phased = {0};
	uint64_t places[3] = {0};
	struct walk all, few;
	struct sc_record record;
	struct sc_reader *r;

	sc_kinds_add(&kinds, SC_OP_DRIVER);
	sc_kinds_add(&phased, SC_OP_STREAM_SYNC);
	r = open_script(&s);
	few = walk(r, &kinds, NULL, 0); /* nothing was read before, so that all is looked at */
	for (size_t i = 0; sc_reader_next(r, &record); i++)
		if (i % 9000 == 100)
			places[i / 9000] = record.sequence;
	all = walk(r, NULL, NULL, 0);
	assert_int_equal(few.sum, all.sum);
	assert_int_equal(few.looked_at, all.looked_at);
	few = walk(r, &kinds, NULL, 0);
	assert_int_equal(few.sum, all.sum);
	assert_in_range(few.looked_at, 1, all.looked_at / 2);
	all = walk(r, NULL, places, 3);
	few = walk(r, &kinds, places, 3);
	assert_int_equal(few.sum, all.sum);
	assert_in_range(few.looked_at, 1, all.looked_at / 2);
	assert_true(sc_reader_had_phases(r, &phased));
	assert_false(sc_reader_had_phases(r, &kinds));
	sc_reader_free(r);
	sc_text_script_fini(&s);
	free(text);
}

TEST(how_many_records_to_expect)
{
	char *text = long_text();
	struct sc_text_script s = script(text);
	uint64_t first, half = 0, last;
	struct sc_record record;
	struct sc_reader *r;

	r = open_script(&s);
	first = sc_reader_expects(r);
	while (sc_reader_next(r, &record))
		if (sc_reader_stats(r)->records == MANY / 2)
			half = sc_reader_expects(r);
	last = sc_reader_expects(r);
	assert_in_range(last, MANY, MANY + 100); /* and what defines things */
	assert_in_range(half, last, last * 5 / 4);
	assert_in_range(first, last, last * 100);
	sc_reader_free(r);
	sc_text_script_fini(&s);
	free(text);
}
