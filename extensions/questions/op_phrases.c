/* Op phrases: ops fetched from the trace, and put into words. */
#include "extensions/questions/op_phrases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "reports/sources/site.h"

void sc_op_phrases_init(struct sc_op_phrases *t, const struct sc_report *r, const char *directory)
{
	*t = (struct sc_op_phrases){.report = r};
	sc_words_init(&t->words, r, directory);
}

void sc_op_phrases_want(struct sc_op_phrases *t, uint64_t sequence)
{
	sc_u64_map_get(&t->index, sequence);
}

static bool is_wanted(void *data, const struct sc_op *op, uint64_t sequence)
{
	struct sc_op_phrases *t = data;
	const uint64_t *number = sc_u64_map_find(&t->index, sequence);

	(void)op;
	return number && !*number;
}

static void want_symbols(void *data, const struct sc_record *record)
{
	struct sc_op_phrases *t = data;

	sc_symbols_want(t->report->symbols, record->op.stack);
}

static char *taken(struct sc_buf *b)
{
	char *text = sc_heap_xcopy(sc_buf_text(b), strlen(sc_buf_text(b)));

	sc_buf_fini(b);
	return text;
}

static void tell(void *data, const struct sc_record *record)
{
	struct sc_op_phrases *t = data;
	struct sc_report_site site;
	const struct sc_frame *frame;
	struct sc_buf text = {0}, place = {0};

	sc_words_op(&text, &t->words, record);
	sc_site_of(&site, t->report, &record->op);
	frame = sc_site_frame(&site);
	if (frame)
		sc_site_add_place(&place, frame, t->words.directory);
	sc_vector_push(&t->ops,
		       ((struct sc_op_phrase){record->sequence, taken(&text), taken(&place)}));
	*sc_u64_map_get(&t->index, record->sequence) = t->ops.count;
}

void sc_op_phrases_fetch(struct sc_op_phrases *t)
{
	sc_reader_visit(
		t->report->reader,
		&(struct sc_visit){.is_wanted = is_wanted, .take = want_symbols, .data = t});
	sc_reader_visit(t->report->reader,
			&(struct sc_visit){.is_wanted = is_wanted, .take = tell, .data = t});
}

static const struct sc_op_phrase *find(const struct sc_op_phrases *t, uint64_t sequence)
{
	const uint64_t *number = sc_u64_map_find(&t->index, sequence);

	return number && *number ? &t->ops.items[*number - 1] : NULL;
}

const char *sc_op_phrases_text(const struct sc_op_phrases *t, uint64_t sequence)
{
	const struct sc_op_phrase *op = find(t, sequence);

	return op ? op->text : "an operation";
}

const char *sc_op_phrases_place(const struct sc_op_phrases *t, uint64_t sequence)
{
	const struct sc_op_phrase *op = find(t, sequence);

	return op ? op->place : "";
}

void sc_op_phrases_add(struct sc_buf *out, const struct sc_op_phrases *t, uint64_t sequence)
{
	const char *place = sc_op_phrases_place(t, sequence);

	sc_buf_add(out, sc_op_phrases_text(t, sequence));
	if (*place)
		sc_buf_printf(out, " at %s", place);
	sc_buf_printf(out, " (operation %" PRIu64 ")", sequence);
}

void sc_op_phrases_fini(struct sc_op_phrases *t)
{
	for (size_t i = 0; i < t->ops.count; i++) {
		free(t->ops.items[i].text);
		free(t->ops.items[i].place);
	}
	sc_vector_fini(&t->ops);
	sc_u64_map_fini(&t->index);
}
