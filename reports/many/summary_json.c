/* Summary in JSON; its fields are described in docs/user/reports.md. */
#include "reports/many/summary_json.h"

#include <stdbool.h>
#include <stdio.h>
#include "reports/sources/site.h"
#include "reports/words/words.h"
#include "reports/words/words_run.h"

/* As text: "0-5,7"; null without ranks. */
static void put_ranks(struct sc_json *w, const struct sc_rank_set *ranks)
{
	struct sc_buf text = {0};

	if (ranks->ranges.count)
		sc_rank_set_print(&text, ranks);
	sc_json_phrase(w, "ranks", &text);
	sc_buf_fini(&text);
}

/* The same for people: "ranks 0-1023 except 7". */
static void put_who(struct sc_json *w, const struct sc_rank_set *ranks, const struct sc_summary *s)
{
	struct sc_buf text = {0};

	sc_rank_set_describe(&text, ranks, &s->ranks);
	sc_json_phrase(w, "who", &text);
	sc_buf_fini(&text);
}

/* "main.cu:40", or the function. */
static void put_place(struct sc_json *w, const struct sc_summary_row *row, const char *directory)
{
	const struct sc_frame frame = sc_summary_frame(row);
	struct sc_buf text = {0};

	if (frame.line || *frame.function)
		sc_site_add_place(&text, &frame, directory);
	sc_json_phrase(w, "place", &text);
	sc_buf_fini(&text);
}

static void put_row(struct sc_json *w, const struct sc_summary *s, const struct sc_summary_row *row,
		    bool has_ranks, const char *directory)
{
	const struct sc_rule_row *rule = sc_rule_find(row->rule);
	struct sc_buf line = {0};
	char id[16], fingerprint[SC_FINGERPRINT_SIZE];

	snprintf(id, sizeof(id), "SC-%u", (unsigned)row->rule);
	sc_fingerprint_text(fingerprint, row->fingerprint);
	sc_json_open(w, NULL, '{');
	sc_json_text(w, "rule", id);
	sc_json_text(w, "slug", rule ? rule->slug : "unknown-rule");
	sc_json_text(w, "severity", sc_severity_text(row->severity));
	sc_json_text(w, "confidence", sc_words_confidence(row->confidence));
	sc_json_text(w, "fingerprint", fingerprint);
	sc_json_number(w, "processes", row->processes);
	if (has_ranks)
		put_ranks(w, &row->ranks);
	put_who(w, &row->ranks, s);
	put_place(w, row, directory);
	sc_summary_line(&line, row);
	sc_json_text(w, "line", sc_buf_text(&line));
	sc_buf_fini(&line);
	sc_json_text(w, "text", row->text);
	sc_json_close(w, '}');
}

/* The worst come first. */
static void put_rows(struct sc_json *w, const struct sc_summary *s,
		     const struct sc_summary_scope *scope)
{
	size_t put = 0;

	sc_json_open(w, "findings", '[');
	for (int severity = SC_ERROR; severity >= SC_ADVICE; severity--)
		for (size_t i = 0; i < s->rows.count && put < scope->findings_most; i++)
			if (s->rows.items[i].severity == severity) {
				put_row(w, s, &s->rows.items[i], put < scope->ranks_most,
					scope->directory);
				put++;
			}
	sc_json_close(w, ']');
}

/* Processes with equal numbers of findings. */
static void put_group(struct sc_json *w, const struct sc_summary *s,
		      const struct sc_summary_group *g)
{
	static const char *const keys[] = {
		[SC_SUMMARY_ERRORS] = "errors", [SC_SUMMARY_WARNINGS] = "warnings",
		[SC_SUMMARY_ADVICE] = "advice", [SC_SUMMARY_SUPPRESSED] = "suppressed",
		[SC_SUMMARY_KNOWN] = "known",	[SC_SUMMARY_FILTERED] = "filtered",
	};
	struct sc_buf signal = {0};

	sc_json_open(w, NULL, '{');
	sc_json_number(w, "processes", g->processes);
	put_ranks(w, &g->ranks);
	put_who(w, &g->ranks, s);
	for (unsigned i = 0; i < SC_SUMMARY_COMPLETE; i++)
		sc_json_number(w, keys[i], g->counts[i]);
	sc_json_bool(w, "complete", g->counts[SC_SUMMARY_COMPLETE] != 0);
	if (g->counts[SC_SUMMARY_SIGNAL])
		sc_words_signal(&signal, (unsigned)g->counts[SC_SUMMARY_SIGNAL]);
	sc_json_phrase(w, "signal", &signal);
	sc_json_text(w, "command", g->command);
	sc_json_close(w, '}');
	sc_buf_fini(&signal);
}

static void put_runs(struct sc_json *w, const struct sc_summary *s)
{
	sc_json_open(w, "runs", '[');
	for (size_t i = 0; i < s->runs.count; i++) {
		sc_json_open(w, NULL, '{');
		sc_json_text(w, "run", s->runs.items[i].id);
		sc_json_number(w, "processes", s->runs.items[i].processes);
		put_ranks(w, &s->runs.items[i].ranks);
		sc_json_close(w, '}');
	}
	sc_json_close(w, ']');
}

void sc_summary_put(struct sc_json *w, const struct sc_summary *s,
		    const struct sc_summary_scope *scope)
{
	struct sc_buf gaps = {0};

	sc_json_open(w, "together", '{');
	sc_json_number(w, "processes", s->processes);
	put_ranks(w, &s->ranks);
	sc_json_bool(w, "complete", !sc_summary_is_incomplete(s));
	sc_summary_gaps(&gaps, s);
	sc_json_phrase(w, "gaps", &gaps);
	put_runs(w, s);
	sc_json_open(w, "groups", '[');
	for (size_t i = 0; i < s->groups.count; i++)
		put_group(w, s, &s->groups.items[i]);
	sc_json_close(w, ']');
	sc_json_number(w, "found", s->rows.count);
	put_rows(w, s, scope);
	sc_json_close(w, '}');
	sc_buf_fini(&gaps);
}
