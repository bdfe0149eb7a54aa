/* Summary in JSON; its fields are described in docs/user/reports.md. */
#include "reports/many/summary_json.h"

#include <stdio.h>
#include "reports/words/words.h"

/* As text: "0-5,7"; null without ranks. */
static void put_ranks(struct sc_json *w, const struct sc_rank_set *ranks)
{
	struct sc_buf text = {0};

	sc_rank_set_print(&text, ranks);
	if (ranks->ranges.count)
		sc_json_text(w, "ranks", text.text);
	else
		sc_json_null(w, "ranks");
	sc_buf_fini(&text);
}

static void put_row(struct sc_json *w, const struct sc_summary_row *row)
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
	put_ranks(w, &row->ranks);
	sc_summary_line(&line, row);
	sc_json_text(w, "line", sc_buf_text(&line));
	sc_buf_fini(&line);
	sc_json_text(w, "text", row->text);
	sc_json_close(w, '}');
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

void sc_summary_put(struct sc_json *w, const struct sc_summary *s)
{
	sc_json_open(w, "together", '{');
	sc_json_number(w, "processes", s->processes);
	put_ranks(w, &s->ranks);
	sc_json_bool(w, "complete", !sc_summary_is_incomplete(s));
	put_runs(w, s);
	sc_json_open(w, "findings", '[');
	for (size_t i = 0; i < s->rows.count; i++)
		put_row(w, &s->rows.items[i]);
	sc_json_close(w, ']');
	sc_json_close(w, '}');
}
