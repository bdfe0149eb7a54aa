/* Summary, for people: what was found, in which ranks, on a page. */
#include "reports/many/summary.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include "reports/facts.h"
#include "reports/text/text_finding.h"
#include "reports/text/text_page.h"
#include "reports/words/words.h"
#include "reports/words/words_run.h"

#define ROWS_SHOWN   20 /* findings of all processes, a line each */
#define ADDED_SHOWN  20 /* processes, a line each; more are grouped */
#define GROUPS_SHOWN 20
#define RUNS_SHOWN   4

static void add_counts(struct sc_buf *out, const uint64_t counts[SC_SUMMARY_COUNTS])
{
	sc_words_count(out, counts[SC_SUMMARY_ERRORS], "error");
	sc_buf_add(out, ", ");
	sc_words_count(out, counts[SC_SUMMARY_WARNINGS], "warning");
	sc_buf_printf(out, ", %" PRIu64 " advice", counts[SC_SUMMARY_ADVICE]);
	if (counts[SC_SUMMARY_SUPPRESSED])
		sc_buf_printf(out, ", %" PRIu64 " suppressed", counts[SC_SUMMARY_SUPPRESSED]);
	if (counts[SC_SUMMARY_KNOWN])
		sc_buf_printf(out, ", %" PRIu64 " known", counts[SC_SUMMARY_KNOWN]);
	if (counts[SC_SUMMARY_FILTERED])
		sc_buf_printf(out, ", %" PRIu64 " hidden by filters", counts[SC_SUMMARY_FILTERED]);
}

/* "process 4711, rank 3", "ranks 0-1023 except 7", "12 processes", "12 processes, ranks 0-5". */
static void add_who(struct sc_buf *out, const struct sc_summary_group *g,
		    const struct sc_rank_set *all)
{
	if (g->processes == 1 && g->process)
		sc_buf_printf(out, "process %" PRIu64, g->process);
	else if (g->processes != sc_rank_set_count(&g->ranks))
		sc_buf_printf(out, "%" PRIu64 " process%s", g->processes,
			      g->processes == 1 ? "" : "es");
	else {
		sc_rank_set_describe(out, &g->ranks, all);
		return;
	}
	if (g->ranks.ranges.count)
		sc_buf_add(out, ", ");
	sc_rank_set_describe(out, &g->ranks, all);
}

void sc_summary_print_group(struct sc_buf *out, const struct sc_summary_group *g,
			    const struct sc_rank_set *all)
{
	sc_buf_add(out, "  ");
	add_who(out, g, all);
	sc_buf_add(out, ": ");
	if (g->processes > 1)
		sc_buf_add(out, "each ");
	add_counts(out, g->counts);
	if (g->counts[SC_SUMMARY_SIGNAL]) {
		sc_buf_add(out, ", ended by ");
		sc_words_signal(out, (unsigned)g->counts[SC_SUMMARY_SIGNAL]);
	}
	sc_buf_add(out, g->counts[SC_SUMMARY_COMPLETE] ? ": " : ", incomplete: ");
	sc_buf_add(out, g->command);
	sc_buf_add_char(out, '\n');
}

void sc_summary_line(struct sc_buf *out, const struct sc_summary_row *row)
{
	sc_facts_line_place(out, row->file, row->line_number, row->column);
	sc_facts_line_loudness(out, sc_facts_loudness_of(row->severity, row->confidence));
	sc_buf_printf(out, "%s [SC-%u]", row->message, (unsigned)row->rule);
}

void sc_summary_where(struct sc_buf *out, const struct sc_summary *s,
		      const struct sc_summary_row *row)
{
	sc_buf_add(out, "in ");
	if (row->ranks.ranges.count)
		sc_rank_set_describe(out, &row->ranks, &s->ranks);
	else
		sc_buf_printf(out, "%" PRIu64 " process%s", row->processes,
			      row->processes == 1 ? "" : "es");
}

/* Processes that are not complete, or that a signal ended. */
static void add_incomplete(struct sc_buf *out, const struct sc_summary *s)
{
	for (size_t i = 0; i < s->groups.count; i++) {
		const struct sc_summary_group *g = &s->groups.items[i];

		if (g->counts[SC_SUMMARY_COMPLETE])
			continue;
		sc_buf_add(out, out->bytes ? "; " : "");
		add_who(out, g, &s->ranks);
		sc_buf_add(out, g->processes == 1 ? " is incomplete" : " are incomplete");
		if (!g->counts[SC_SUMMARY_SIGNAL])
			continue;
		sc_buf_add(out, ", ended by ");
		sc_words_signal(out, (unsigned)g->counts[SC_SUMMARY_SIGNAL]);
	}
}

void sc_summary_gaps(struct sc_buf *out, const struct sc_summary *s)
{
	struct sc_buf gaps = {0};

	if (sc_rank_set_count(&s->shards) < s->shard_count) {
		sc_buf_printf(&gaps,
			      "of %" PRIu32 " shards only these were analyzed: ", s->shard_count);
		sc_rank_set_print(&gaps, &s->shards);
	}
	add_incomplete(&gaps, s);
	if (s->runs.count > 1) {
		sc_buf_add(&gaps, gaps.bytes ? "; ranks of " : "ranks of ");
		sc_summary_runs(&gaps, s);
	}
	sc_buf_add(out, sc_buf_text(&gaps));
	sc_buf_fini(&gaps);
}

bool sc_summary_runs(struct sc_buf *out, const struct sc_summary *s)
{
	if (s->runs.count < 2)
		return 0;
	sc_buf_printf(out, "%zu%s runs: ", s->runs.count,
		      s->runs.count < SC_SUMMARY_RUNS_MOST ? "" : " or more");
	for (size_t i = 0; i < s->runs.count && i < RUNS_SHOWN; i++) {
		const struct sc_summary_run *run = &s->runs.items[i];

		sc_buf_printf(out, "%s%" PRIu64 " process%s, ", i ? "; " : "", run->processes,
			      run->processes == 1 ? "" : "es");
		sc_rank_set_describe(out, &run->ranks, &s->ranks);
		sc_buf_printf(out, ", of %s", run->id);
	}
	if (s->runs.count > RUNS_SHOWN)
		sc_buf_printf(out, "; and %zu more", s->runs.count - RUNS_SHOWN);
	return 1;
}

static void print_runs(struct sc_buf *out, const struct sc_summary *s)
{
	struct sc_buf runs = {0};

	if (sc_summary_runs(&runs, s))
		sc_buf_printf(out, "  these are ranks of %s\n", runs.text);
	sc_buf_fini(&runs);
}

static void print_row(struct sc_buf *out, const struct sc_summary *s,
		      const struct sc_summary_row *row)
{
	const struct sc_rule_row *rule = sc_rule_find(row->rule);
	char text[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(text, row->fingerprint);
	sc_buf_printf(out, "  %s SC-%u %s [%s] %s in %" PRIu64 " of %" PRIu64 " process%s",
		      sc_severity_text(row->severity), (unsigned)row->rule,
		      rule ? rule->slug : "unknown-rule", sc_words_confidence(row->confidence),
		      text, row->processes, s->processes, s->processes == 1 ? "" : "es");
	if (row->ranks.ranges.count && s->processes > 1)
		sc_buf_add(out, ": ");
	if (s->processes > 1)
		sc_rank_set_describe(out, &row->ranks, &s->ranks);
	sc_buf_add_char(out, '\n');
}

static void print_rows(struct sc_buf *out, const struct sc_summary *s, size_t most)
{
	size_t shown = 0;

	for (int severity = SC_ERROR; severity >= SC_ADVICE; severity--)
		for (size_t i = 0; i < s->rows.count; i++)
			if (s->rows.items[i].severity == severity && shown++ < most)
				print_row(out, s, &s->rows.items[i]);
	if (shown > most)
		sc_buf_printf(out, "  and %zu more; --text=all lists them\n", shown - most);
}

static void print_groups(struct sc_buf *out, const struct sc_summary *s, bool is_whole)
{
	size_t most = is_whole ? SIZE_MAX : GROUPS_SHOWN;

	if (s->added == s->processes && s->added <= ADDED_SHOWN) {
		sc_buf_add(out, sc_buf_text(&s->first));
		return;
	}
	for (size_t i = 0; i < s->groups.count && i < most; i++)
		sc_summary_print_group(out, &s->groups.items[i], &s->ranks);
	if (s->groups.count > most)
		sc_buf_printf(out, "  and processes in %zu more groups; --text=all lists them\n",
			      s->groups.count - most);
}

static void print_shards(struct sc_buf *out, const struct sc_summary *s)
{
	if (sc_rank_set_count(&s->shards) >= s->shard_count)
		return;
	sc_buf_printf(out, "  incomplete: of %" PRIu32 " shards only these were analyzed: ",
		      s->shard_count);
	sc_rank_set_print(out, &s->shards);
	sc_buf_add_char(out, '\n');
}

/* True if the text of a finding fits on the page. */
static bool fits(const struct sc_buf *out, const struct sc_summary_row *row)
{
	return sc_text_count_lines(sc_buf_text(out)) + sc_text_count_lines(row->text) + 2 <=
	       SC_TEXT_PAGE;
}

/* The texts of findings that no section of a process shows, as far as they fit; a line of others.
 */
static void print_texts(struct sc_buf *out, const struct sc_summary *s, bool is_whole)
{
	size_t left = 0, shown = 0;

	for (int severity = SC_ERROR; severity >= SC_ADVICE; severity--)
		for (size_t i = 0; i < s->rows.count; i++) {
			const struct sc_summary_row *row = &s->rows.items[i];

			if (row->severity != severity || !row->is_read)
				continue;
			if (!is_whole && shown && !fits(out, row)) {
				left++;
				continue;
			}
			shown++;
			sc_buf_printf(out, "\n%s  found ", row->text);
			sc_summary_where(out, s, row);
			sc_buf_add_char(out, '\n');
		}
	if (left)
		sc_buf_printf(out, "\n  and %zu more findings; --text=all shows all of each\n",
			      left);
}

void sc_summary_print(struct sc_buf *out, const struct sc_summary *s, bool is_whole)
{
	uint64_t counts[SC_SUMMARY_COUNTS] = {0};

	for (size_t i = 0; i < s->rows.count; i++)
		counts[sc_summary_count_of(s->rows.items[i].severity)]++;
	for (size_t i = 0; i < s->groups.count; i++) {
		const struct sc_summary_group *g = &s->groups.items[i];

		counts[SC_SUMMARY_SUPPRESSED] += g->counts[SC_SUMMARY_SUPPRESSED] * g->processes;
		counts[SC_SUMMARY_KNOWN] += g->counts[SC_SUMMARY_KNOWN] * g->processes;
		counts[SC_SUMMARY_FILTERED] += g->counts[SC_SUMMARY_FILTERED] * g->processes;
	}
	sc_buf_printf(out, "streamcheck: %" PRIu64 " process%s, together ", s->processes,
		      s->processes == 1 ? "" : "es");
	add_counts(out, counts);
	sc_buf_add_char(out, '\n');
	print_shards(out, s);
	print_runs(out, s);
	print_rows(out, s, is_whole ? SIZE_MAX : ROWS_SHOWN);
	print_groups(out, s, is_whole);
	print_texts(out, s, is_whole);
}
