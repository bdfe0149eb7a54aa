/* SARIF: the findings of summaries. A summary keeps a place, a message and the text of each, and no
 * stacks. */
#include "reports/sarif.h"

#include <inttypes.h>
#include <stdbool.h>
#include "reports/facts.h"
#include "reports/many/together.h"

static void put_locations(struct sc_sarif *s, const struct sc_summary_row *row)
{
	const struct sc_frame frame = sc_summary_frame(row);

	sc_json_open(&s->j, "locations", '[');
	if (frame.line || *frame.function) {
		sc_json_open(&s->j, NULL, '{');
		sc_sarif_place(s, &frame);
		sc_json_close(&s->j, '}');
	}
	sc_json_close(&s->j, ']');
}

static void put_properties(struct sc_sarif *s, const struct sc_summary_row *row)
{
	sc_json_open(&s->j, "properties", '{');
	sc_json_text(&s->j, "severity", sc_severity_text(row->severity));
	sc_json_text(&s->j, "confidence", sc_words_confidence(row->confidence));
	sc_sarif_ranks(s, row->processes, &row->ranks);
	sc_json_text(&s->j, "text", row->text);
	sc_json_close(&s->j, '}');
}

static void put_result(struct sc_sarif *s, const struct sc_summary *all,
		       const struct sc_summary_row *row)
{
	sc_json_open(&s->j, NULL, '{');
	sc_sarif_rule(s, row->rule, sc_facts_loudness_of(row->severity, row->confidence));
	sc_buf_printf(&s->phrase, "%s; ", row->message);
	sc_summary_where(&s->phrase, all, row);
	sc_sarif_message(s, "message");
	put_locations(s, row);
	sc_sarif_fingerprint(s, row->fingerprint);
	sc_json_open(&s->j, "suppressions", '[');
	sc_json_close(&s->j, ']');
	put_properties(s, row);
	sc_json_close(&s->j, '}');
}

void sc_sarif_summary_invocation(struct sc_sarif *s, const struct sc_joint *joint)
{
	const struct sc_summary *all = joint->all;
	uint64_t processes;

	if (!sc_summary_has_read(all))
		return;
	processes = all->processes - all->added;
	sc_json_open(&s->j, NULL, '{');
	sc_json_bool(&s->j, "executionSuccessful", !sc_summary_is_incomplete(all));
	if (all->groups.count && *all->groups.items[0].command)
		sc_json_text(&s->j, "commandLine", all->groups.items[0].command);
	sc_json_open(&s->j, "toolExecutionNotifications", '[');
	sc_summary_gaps(&s->phrase, all);
	if (s->phrase.bytes)
		sc_sarif_notification(s, "warning");
	sc_buf_printf(&s->phrase,
		      "%" PRIu64 " process%s from summaries, without stacks and suppressed "
		      "findings",
		      processes, processes == 1 ? "" : "es");
	sc_sarif_notification(s, "note");
	sc_json_close(&s->j, ']');
	sc_json_close(&s->j, '}');
}

void sc_sarif_summary_results(struct sc_sarif *s, const struct sc_joint *joint)
{
	const struct sc_summary_row *row;
	size_t at = 0;

	while ((row = sc_together_next(joint, &at)))
		put_result(s, joint->all, row);
}
