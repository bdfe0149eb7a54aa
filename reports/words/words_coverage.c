/* Words for coverage: each row of the tables as a phrase. */
#include "reports/words/words_coverage.h"

#include <inttypes.h>
#include <string.h>
#include "reports/words/words.h"
#include "reports/words/words_run.h"

#define SKIPPED_KERNELS 5 /* that are named */

enum place { HEAD, TABLE }; /* of a row of SC_SEEN */

void sc_words_each_seen(const struct sc_coverage *c, sc_words_seen_fn *take, void *to)
{
	const struct sc_words_seen rows[] = {
#define SC_SEEN(id, place, one, many, about) {#id, one, many, about, c->id, place == HEAD},
#include "analyzer/model/coverage.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		take(to, &rows[i]);
}

/* Phrases that are joined to one: what stands between them, and whether there is one yet. */
struct list {
	struct sc_buf *out;
	const char *before;
};

static void add_seen(void *to, const struct sc_words_seen *row)
{
	struct list *list = to;

	if (!row->is_head)
		return;
	sc_buf_printf(list->out, "%s%" PRIu64 " %s", list->before, row->count,
		      row->count == 1 ? row->one : row->many);
	list->before = *list->before ? ", " : " (";
}

void sc_words_seen(struct sc_buf *out, const struct sc_coverage *c)
{
	struct list list = {out, ""};

	sc_words_each_seen(c, add_seen, &list);
	sc_buf_add_char(out, ')');
}

/* The ways in which the bytes of launches are known, the surest first. */
static const struct {
	const char *known;
	unsigned how; /* index of struct sc_kernel_tally's launches */
} ways[] = {
#define SC_LAUNCHES(id, how, known, about) {known, how},
#include "analyzer/model/coverage.def"
};

#define WAYS (sizeof(ways) / sizeof(*ways))

bool sc_words_launches(struct sc_buf *out, const struct sc_coverage *c)
{
	const uint64_t counts[WAYS] = {
#define SC_LAUNCHES(id, how, known, about) c->id,
#include "analyzer/model/coverage.def"
	};
	uint64_t all = 0;

	for (size_t i = 0; i < WAYS; i++)
		all += counts[i];
	if (!all)
		return 0;
	sc_buf_printf(out, "known %s in %" PRIu64 " of %" PRIu64 " launch%s", ways[0].known,
		      counts[0], all, all == 1 ? "" : "es");
	for (size_t i = 1; i < WAYS; i++)
		if (counts[i])
			sc_buf_printf(out, ", %s in %" PRIu64, ways[i].known, counts[i]);
	return 1;
}

void sc_words_launches_of(struct sc_buf *out, const struct sc_kernel_tally *k)
{
	struct list list = {out, ""};
	unsigned used = 0;

	for (size_t i = 0; i < WAYS; i++)
		used += k->launches[ways[i].how] > 0;
	for (size_t i = 0; i < WAYS; i++) {
		uint64_t launches = k->launches[ways[i].how];

		if (!launches)
			continue;
		sc_buf_add(out, list.before);
		if (used > 1)
			sc_buf_printf(out, "%" PRIu64 " ", launches);
		sc_buf_add(out, ways[i].known);
		list.before = ", ";
	}
}

/* Kernels that people read as the same one: templates differ in what the short name leaves out. */
struct skipped {
	struct sc_buf text; /* owned: its name, and why it was not executed */
	uint64_t launches;
};

/* The text of a note is "KERNEL: REASON". */
static void describe_skipped(struct sc_buf *out, const struct sc_record *note)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(note, SC_ATTACH_TEXT, &bytes);
	const char *colon = memchr(text, ':', bytes);
	size_t length = colon ? (size_t)(colon - text) : bytes;

	sc_words_mangled(out, text, length);
	if (bytes > length + 2) {
		sc_buf_add(out, " (");
		sc_words_clean(out, colon + 2, bytes - length - 2);
		sc_buf_add_char(out, ')');
	}
}

/* False if there is no room for one more. */
static bool add_skipped(struct skipped list[SKIPPED_KERNELS], const struct sc_record *note)
{
	struct sc_buf text = {0};
	unsigned i = 0;

	describe_skipped(&text, note);
	while (i < SKIPPED_KERNELS && list[i].launches &&
	       strcmp(sc_buf_text(&list[i].text), sc_buf_text(&text)) != 0)
		i++;
	if (i == SKIPPED_KERNELS || list[i].launches)
		sc_buf_fini(&text);
	else
		list[i].text = text;
	if (i < SKIPPED_KERNELS)
		list[i].launches += note->op.value;
	return i < SKIPPED_KERNELS;
}

static void print_skipped(struct sc_buf *out, struct skipped list[SKIPPED_KERNELS], size_t more)
{
	for (unsigned i = 0; i < SKIPPED_KERNELS && list[i].launches; i++) {
		sc_buf_printf(out, "%s%" PRIu64 " of %s",
			      i ? ", " : "; not executed: ", list[i].launches,
			      sc_buf_text(&list[i].text));
		sc_buf_fini(&list[i].text);
	}
	if (more)
		sc_buf_printf(out, ", and those of %zu more", more);
}

/* What the notes about launches have of those that were executed (0) or recorded (1). */
static const char *note_text(const struct sc_record *note, bool is_recorded, uint32_t *bytes)
{
	*bytes = 0;
	if (note->op.kind != SC_OP_LAUNCHES ||
	    (note->op.object == SC_LAUNCHES_RECORDED) != is_recorded)
		return NULL;
	return sc_record_attachment(note, SC_ATTACH_TEXT, bytes);
}

/* Launches that patches of their kernels recorded on the GPU, and those that they did not; after
 * others, if there are any. */
static bool add_recorded(struct sc_buf *out, const struct sc_analysis *a, bool is_first)
{
	const struct sc_coverage *c = sc_analysis_coverage(a);
	const char *before = "; not recorded, or not all of it: ";
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(a, &count);

	if (!c->recorded && !c->unrecorded && !(c->has_recorder && c->work))
		return 0;
	sc_buf_printf(out, "%s%" PRIu64 " launch%s recorded on the GPU", is_first ? "" : "; ",
		      c->recorded, c->recorded == 1 ? " was" : "es were");
	for (size_t i = 0; i < count; i++) {
		uint32_t bytes;
		const char *text = note_text(&notes[i], 1, &bytes);

		if (!text || !bytes)
			continue;
		sc_buf_printf(out, "%s%" PRIu64 " (", before, notes[i].op.value);
		sc_words_clean(out, text, bytes);
		sc_buf_add_char(out, ')');
		before = ", ";
	}
	return 1;
}

bool sc_words_simulated(struct sc_buf *out, const struct sc_analysis *a)
{
	const struct sc_coverage *c = sc_analysis_coverage(a);
	struct skipped skipped[SKIPPED_KERNELS] = {0};
	size_t count, more = 0;
	const struct sc_record *notes = sc_analysis_notes(a, &count);
	uint32_t bytes;

	if (!c->executed && !c->skipped && !c->given_up)
		return add_recorded(out, a, 1);
	sc_buf_printf(out, "%" PRIu64 " launch%s ran on the simulated device", c->executed,
		      c->executed == 1 ? "" : "es");
	for (size_t i = 0; i < count; i++) {
		if (note_text(&notes[i], 0, &bytes) && bytes && notes[i].op.value)
			more += !add_skipped(skipped, &notes[i]);
	}
	print_skipped(out, skipped, more);
	if (c->given_up)
		sc_buf_printf(out,
			      "; what the program computed after the launch%s that the device "
			      "gave up is not its own",
			      c->given_up == 1 ? "" : "es");
	if (c->unsaid_graphs)
		sc_buf_printf(out,
			      "; of %" PRIu64 " launches of graphs the trace had no room for "
			      "the bytes that their kernels touched",
			      c->unsaid_graphs);
	add_recorded(out, a, 0);
	return 1;
}

/* "3 events lost", with the reason where there is room for it. */
static void add_gap(struct sc_buf *out, const struct sc_coverage *c, unsigned gap, bool has_room,
		    const char *failed)
{
	const struct sc_gap_row *row = &sc_gap_rows[gap];
	const char *plural = strchr("hs", row->noun[strlen(row->noun) - 1]) ? "es" : "s";

	bool goes_on = c->running && gap == SC_GAP_calls_in_flight;

	sc_buf_printf(out, "%" PRIu64 " %s%s%s", c->gaps[gap], row->noun,
		      c->gaps[gap] == 1 ? "" : plural, goes_on ? " still running" : row->what);
	if (gap == SC_GAP_failed_calls && failed)
		sc_buf_add(out, failed);
	if (has_room)
		sc_buf_printf(out, ": %s", goes_on ? "the process is inside them now" : row->why);
}

/* Takes the counted gaps from a weight on, and the states that are not as they should be. */
static void each_gap(const struct sc_coverage *c, enum sc_gap_weight least, const char *failed,
		     sc_words_gap_fn *take, void *to)
{
	bool has_room = least == SC_GAP_DETAIL;
	struct sc_buf text = {0};

	for (unsigned i = 0; i < SC_GAPS; i++) {
		if (!c->gaps[i] || sc_gap_rows[i].weight < least)
			continue;
		add_gap(&text, c, i, has_room, failed);
		take(to, sc_buf_text(&text));
		sc_buf_clear(&text);
	}
	if (c->signal) {
		sc_buf_add(&text, c->ended_by_parent ? "ended by its parent with " : "");
		sc_words_signal(&text, (unsigned)c->signal);
		sc_buf_add(&text, !c->ended_by_parent ? " ended the program"
				  : c->ended_at_work  ? " while work was in flight"
						      : "");
		take(to, sc_buf_text(&text));
	}
	if (c->running)
		take(to, "the process is still running, and this is what it did so far");
#define SC_STATE(id, otherwise, about)                       \
	if (!c->id && !(c->running && &c->id == &c->closed)) \
		take(to, otherwise);
#include "analyzer/model/coverage.def"
	sc_buf_fini(&text);
}

void sc_words_each_gap(const struct sc_coverage *c, sc_words_gap_fn *take, void *to)
{
	each_gap(c, SC_GAP_DETAIL, NULL, take, to);
}

static void add_to_list(void *to, const char *text)
{
	struct list *list = to;

	sc_buf_add(list->out, list->before);
	sc_buf_add(list->out, text);
	list->before = ", ";
}

bool sc_words_gaps(struct sc_buf *out, const struct sc_coverage *c, const char *failed)
{
	struct list list = {out, ""};

	each_gap(c, SC_GAP_NOTE, failed, add_to_list, &list);
	return *list.before;
}

bool sc_words_gap_detail(struct sc_buf *out, const struct sc_coverage *c, unsigned gap)
{
	if (!c->gaps[gap] || sc_gap_rows[gap].weight != SC_GAP_DETAIL)
		return 0;
	add_gap(out, c, gap, 1, NULL);
	return 1;
}

bool sc_words_cut(struct sc_buf *out, const struct sc_coverage *c)
{
	if (!c->cut.to_ns)
		return 0;
	sc_buf_printf(out,
		      "what came before %.1f s was judged while the program ran and is not in the "
		      "trace any more: ",
		      (double)c->cut.to_ns / 1e9);
	sc_words_count(out, c->cut.findings, "finding");
	sc_buf_add(out, ", proven or likely; the rest was judged without it, so what is between an "
			"operation before and one after may be missing");
	return 1;
}

bool sc_words_windows(struct sc_buf *out, const struct sc_coverage *c)
{
	if (!c->has_windows)
		return 0;
	sc_words_count(out, c->windows, "window");
	sc_buf_printf(out,
		      " with %" PRIu64 " of %" PRIu64
		      " operations, %.1f s of %.1f s; of the rest only the order was recorded",
		      c->window_ops, c->ops, (double)c->window_ns / 1e9, (double)c->run_ns / 1e9);
	return 1;
}
