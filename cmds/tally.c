/* Tally: findings of equal fingerprints are one, in whichever process they occurred. */
#include "cmds/tally.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/assert.h"
#include "reports/utf8.h"
#include "reports/words.h"

#define ROWS_SHOWN 20 /* findings of all processes */

static void count_finding(struct sc_verdict_tally *t, const struct sc_finding *f,
			  uint64_t fingerprint)
{
	uint64_t *place = sc_u64_map_get(&t->by_fingerprint, fingerprint);
	struct sc_tally_row *row;

	if (!*place) {
		sc_vector_push(&t->rows, ((struct sc_tally_row){fingerprint, 0, f->rule,
								f->severity, f->confidence}));
		*place = t->rows.count;
	}
	row = &t->rows.items[*place - 1];
	sc_assert(row->fingerprint == fingerprint);
	row->processes++;
	if (f->confidence > row->confidence)
		row->confidence = f->confidence;
}

static void add_counts(struct sc_buf *out, const uint64_t seen[3],
		       const struct sc_hidden_counts *hidden)
{
	sc_words_count(out, seen[SC_ERROR], "error");
	sc_buf_add(out, ", ");
	sc_words_count(out, seen[SC_WARNING], "warning");
	sc_buf_printf(out, ", %" PRIu64 " advice", seen[SC_ADVICE]);
	if (hidden->suppressed)
		sc_buf_printf(out, ", %zu suppressed", hidden->suppressed);
	if (hidden->known)
		sc_buf_printf(out, ", %zu known", hidden->known);
	if (hidden->filtered)
		sc_buf_printf(out, ", %zu hidden by filters", hidden->filtered);
}

void sc_tally_add(struct sc_verdict_tally *t, const struct sc_loaded *l,
		  const struct sc_fingerprints *prints)
{
	struct sc_hidden_counts hidden = sc_report_hidden(&l->report);
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(l->analysis, &count);
	uint64_t seen[3] = {0};

	for (size_t i = 0; i < count && i < prints->count; i++) {
		count_finding(t, &f[i], prints->items[i]);
		sc_assert(f[i].severity < 3);
		seen[f[i].severity % 3]++;
	}
	t->hidden.suppressed += hidden.suppressed;
	t->hidden.known += hidden.known;
	t->hidden.filtered += hidden.filtered;
	t->process_count++;
	sc_buf_printf(&t->processes, "  process %u", (unsigned)l->names.process);
	if (l->names.rank >= 0)
		sc_buf_printf(&t->processes, ", rank %d", l->names.rank);
	sc_buf_add(&t->processes, ": ");
	add_counts(&t->processes, seen, &hidden);
	sc_buf_add(&t->processes, sc_analysis_complete(l->analysis) ? "" : ", incomplete");
	sc_buf_add(&t->processes, ": ");
	sc_utf8_add_cut(&t->processes, l->names.command, 80);
	sc_buf_add_char(&t->processes, '\n');
}

static void print_row(struct sc_buf *out, const struct sc_tally_row *row, unsigned processes)
{
	const struct sc_rule_row *rule = sc_rule_find(row->rule);
	char text[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(text, row->fingerprint);
	sc_buf_printf(out, "  %s SC-%u %s [%s] %s in %u of %u process%s\n",
		      sc_severity_text(row->severity), (unsigned)row->rule,
		      rule ? rule->slug : "unknown-rule", sc_words_confidence(row->confidence),
		      text, row->processes, processes, processes == 1 ? "" : "es");
}

static void print_rows(struct sc_buf *out, const struct sc_verdict_tally *t, size_t most)
{
	size_t shown = 0;

	for (int severity = SC_ERROR; severity >= SC_ADVICE; severity--)
		for (size_t i = 0; i < t->rows.count; i++)
			if (t->rows.items[i].severity == severity && shown++ < most)
				print_row(out, &t->rows.items[i], t->process_count);
	if (shown > most)
		sc_buf_printf(out, "  and %zu more; --text=all lists them\n", shown - most);
}

void sc_tally_print(struct sc_buf *out, const struct sc_verdict_tally *t, bool is_whole)
{
	uint64_t seen[3] = {0};

	for (size_t i = 0; i < t->rows.count; i++)
		seen[t->rows.items[i].severity % 3]++;
	sc_buf_printf(out, "streamcheck: %u process%s, together ", t->process_count,
		      t->process_count == 1 ? "" : "es");
	add_counts(out, seen, &t->hidden);
	sc_buf_add_char(out, '\n');
	print_rows(out, t, is_whole ? SIZE_MAX : ROWS_SHOWN);
	sc_buf_add(out, sc_buf_text(&t->processes));
}

void sc_tally_fini(struct sc_verdict_tally *t)
{
	sc_u64_map_fini(&t->by_fingerprint);
	sc_vector_fini(&t->rows);
	sc_buf_fini(&t->processes);
}
