/* SARIF: the tool and its rules, the checked processes and what of them was not seen. */
#include "reports/sarif.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/many/together.h"
#include "reports/rule_text.h"
#include "reports/sources/site.h"
#include "reports/words/words_coverage.h"

#define INVOCATION_DEPTH 5 /* of its members in the log */

void sc_sarif_message(struct sc_sarif *s, const char *key)
{
	sc_json_open(&s->j, key, '{');
	sc_json_text(&s->j, "text", sc_buf_text(&s->phrase));
	sc_json_close(&s->j, '}');
	sc_buf_clear(&s->phrase);
}

const char *sc_sarif_level(unsigned loudness)
{
	switch ((enum sc_loudness)loudness) {
	case SC_LOUD_NOTE: return "note";
	case SC_LOUD_WARNING: return "warning";
	case SC_LOUD_ERROR: return "error";
	}
	return "none";
}

/* Appends a path as part of a URI: everything but plain characters as %XX. */
static void add_uri_path(struct sc_buf *out, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    strchr("/-._~+", c))
			sc_buf_add_char(out, (char)c);
		else
			sc_buf_printf(out, "%%%02X", (unsigned)c);
	}
}

void sc_sarif_file(struct sc_sarif *s, const char *key, const char *path)
{
	struct sc_frame frame = {.file = path};
	const char *below = sc_site_path(&frame, s->directory);

	sc_json_open(&s->j, key, '{');
	if (*below == '/')
		sc_buf_add(&s->phrase, "file://");
	add_uri_path(&s->phrase, below);
	sc_json_text(&s->j, "uri", sc_buf_text(&s->phrase));
	sc_buf_clear(&s->phrase);
	if (below != path)
		sc_json_text(&s->j, "uriBaseId", "SRCROOT");
	sc_json_close(&s->j, '}');
}

int sc_sarif_rule_index(unsigned rule)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	for (unsigned i = 0; i < count; i++)
		if ((unsigned)rows[i].rule == rule)
			return (int)i;
	return -1;
}

static void put_text(struct sc_sarif *s, const char *key, const char *text)
{
	sc_buf_add(&s->phrase, text);
	sc_sarif_message(s, key);
}

/* The page of a rule, without its title, and without links to other pages: a viewer has none of
 * them. */
static void add_page(struct sc_buf *out, const char *page)
{
	const char *open;

	page += strcspn(page, "\n");
	page += strspn(page, "\n");
	while ((open = strchr(page, '['))) {
		const char *close = open + 1 + strcspn(open + 1, "[]");
		const char *end = strncmp(close, "](", 2) ? NULL : strchr(close, ')');
		bool is_link = end && memmem(close, (size_t)(end - close), ".md", 3);

		sc_buf_add_bytes(out, page, (size_t)(open - page) + !is_link);
		page = open + 1;
		if (is_link) {
			sc_buf_add_bytes(out, page, (size_t)(close - page));
			page = end + 1;
		}
	}
	sc_buf_add(out, page);
}

/* The page is in the log, for no address of it is the same for every reader: viewers of code open
 * no file: URI, and a log is read on other machines than that of the run. GitHub shows the markdown
 * of `help`, VS Code's viewer that of `fullDescription`. Rules without a finding have none. */
static void put_why(struct sc_sarif *s, const struct sc_rule_row *rule, bool has_page)
{
	sc_json_open(&s->j, "fullDescription", '{');
	sc_json_text(&s->j, "text", rule->why);
	if (has_page) {
		add_page(&s->phrase, sc_rule_page(rule->rule));
		sc_json_phrase(&s->j, "markdown", &s->phrase);
	}
	sc_json_close(&s->j, '}');
}

static void put_help(struct sc_sarif *s, const struct sc_rule_row *rule, bool has_page)
{
	sc_json_open(&s->j, "help", '{');
	sc_buf_printf(&s->phrase, "%s\n\nFix: %s.\n\nMore: streamcheck rules SC-%d", rule->why,
		      rule->fix, rule->rule);
	sc_json_phrase(&s->j, "text", &s->phrase);
	if (has_page)
		add_page(&s->phrase, sc_rule_page(rule->rule));
	else
		sc_buf_printf(&s->phrase, "%s\n", rule->why);
	sc_buf_printf(&s->phrase, "\n**Fix:** %s.\n\nMore: `streamcheck rules SC-%d`", rule->fix,
		      rule->rule);
	sc_json_phrase(&s->j, "markdown", &s->phrase);
	sc_json_close(&s->j, '}');
}

static void put_rule(struct sc_sarif *s, const struct sc_rule_row *rule, bool has_page)
{
	static const char *const kinds[] = {
		[SC_RULE_BASE] = "collision",
		[SC_RULE_CAUSE] = "cause",
		[SC_RULE_ALONE] = "usage",
	};
	unsigned loudness = (unsigned)rule->severity; /* a proven finding of the rule */

	sc_json_open(&s->j, NULL, '{');
	sc_buf_printf(&s->phrase, "SC-%d", rule->rule);
	sc_json_text(&s->j, "id", s->phrase.text);
	sc_buf_clear(&s->phrase);
	sc_json_text(&s->j, "name", rule->slug);
	put_text(s, "shortDescription", rule->summary);
	put_why(s, rule, has_page);
	put_help(s, rule, has_page);
	sc_json_open(&s->j, "defaultConfiguration", '{');
	sc_json_text(&s->j, "level", sc_sarif_level(loudness));
	sc_json_close(&s->j, '}');
	sc_json_open(&s->j, "properties", '{');
	sc_json_open(&s->j, "tags", '[');
	sc_json_text(&s->j, NULL, "correctness");
	sc_json_text(&s->j, NULL, "cuda");
	sc_json_text(&s->j, NULL, kinds[rule->kind]);
	sc_json_close(&s->j, ']');
	sc_json_close(&s->j, '}');
	sc_json_close(&s->j, '}');
}

void sc_sarif_tool(struct sc_sarif *s, const struct sc_joint *joint)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	sc_json_open(&s->j, "tool", '{');
	sc_json_open(&s->j, "driver", '{');
	sc_json_text(&s->j, "name", "streamcheck");
	sc_json_text(&s->j, "semanticVersion", SC_VERSION);
	sc_json_open(&s->j, "rules", '[');
	for (unsigned i = 0; i < count; i++)
		put_rule(s, &rows[i], sc_together_has_rule(joint, (unsigned)rows[i].rule));
	sc_json_close(&s->j, ']');
	sc_json_close(&s->j, '}');
	sc_json_close(&s->j, '}');
}

void sc_sarif_notification(struct sc_sarif *s, const char *level)
{
	sc_json_open(&s->j, NULL, '{');
	sc_json_text(&s->j, "level", level);
	sc_sarif_message(s, "message");
	sc_json_close(&s->j, '}');
}

/* A missing event source, or why events were lost, in the recorder's words. */
static void put_note(struct sc_sarif *s, const struct sc_record *note)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(note, SC_ATTACH_TEXT, &bytes);

	if ((note->op.kind == SC_OP_SOURCE && note->op.value) || note->op.kind == SC_OP_LAUNCHES)
		return;
	if (note->op.kind == SC_OP_LOST) {
		sc_words_count(&s->phrase, note->op.value, "event");
		sc_buf_add(&s->phrase, " not seen: ");
	} else {
		sc_buf_add(&s->phrase, "missing: ");
	}
	sc_buf_add_bytes(&s->phrase, text ? text : "", text ? bytes : 0);
	sc_sarif_notification(s, "note");
}

static void put_notifications(struct sc_sarif *s)
{
	const struct sc_analysis *a = s->report->analysis;
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(a, &count);

	sc_json_open(&s->j, "toolExecutionNotifications", '[');
	if (sc_words_gaps(&s->phrase, sc_analysis_coverage(a), NULL))
		sc_sarif_notification(s, sc_analysis_complete(a) ? "note" : "warning");
	else if (!sc_analysis_complete(a)) {
		sc_buf_add(&s->phrase, "nothing was recorded");
		sc_sarif_notification(s, "warning");
	}
	if (sc_words_simulated(&s->phrase, a))
		sc_sarif_notification(s, "note");
	for (; count; count--, notes++)
		put_note(s, notes);
	sc_json_close(&s->j, ']');
}

/* The exit status of the checked program, if the trace has it. */
static void put_exit_code(struct sc_sarif *s)
{
	struct sc_record record;

	sc_reader_rewind(s->report->reader);
	while (sc_reader_next(s->report->reader, &record) > 0)
		if (record.op.kind == SC_OP_EXIT) {
			sc_json_number(&s->j, "exitCode", record.op.value & 0xFF);
			return;
		}
}

/* The members that processes may have alike. */
static void put_invocation(struct sc_sarif *s)
{
	const struct sc_names *names = s->report->names;

	sc_json_bool(&s->j, "executionSuccessful", sc_analysis_complete(s->report->analysis));
	if (*names->command)
		sc_json_text(&s->j, "commandLine", names->command);
	put_exit_code(s);
	put_notifications(s);
}

/* What is incomplete comes first. */
void sc_sarif_take_invocation(struct sc_sarif *s, struct sc_joint *joint)
{
	struct sc_buf text = {0};
	struct sc_once_item *item;

	s->j = (struct sc_json){.out = &text, .depth = INVOCATION_DEPTH};
	put_invocation(s);
	item = sc_once_take(&joint->said, s->report->names,
			    sc_fingerprint_hash(text.text, text.bytes),
			    !sc_analysis_complete(s->report->analysis), 1);
	if (item)
		sc_buf_add_bytes(&item->part[0], text.text, text.bytes);
	sc_buf_fini(&text);
}

void sc_sarif_ranks(struct sc_sarif *s, uint64_t processes, const struct sc_rank_set *ranks)
{
	sc_json_number(&s->j, "processes", processes);
	if (ranks->ranges.count)
		sc_rank_set_print(&s->phrase, ranks);
	sc_json_phrase(&s->j, "ranks", &s->phrase);
}

void sc_sarif_ids(struct sc_sarif *s, const struct sc_once_item *item)
{
	sc_json_open(&s->j, "processIds", '[');
	for (size_t i = 0; i < item->ids.count; i++)
		sc_json_number(&s->j, NULL, item->ids.items[i]);
	sc_json_close(&s->j, ']');
}

static void put_processes(struct sc_sarif *s, const struct sc_once_item *item)
{
	sc_json_number(&s->j, "processId", item->ids.items[0]);
	if (item->processes < 2)
		return;
	sc_json_open(&s->j, "properties", '{');
	sc_sarif_ranks(s, item->processes, &item->ranks);
	sc_sarif_ids(s, item);
	sc_json_close(&s->j, '}');
}

void sc_sarif_invocations(struct sc_sarif *s, const struct sc_joint *joint)
{
	const struct sc_once_item *item;
	struct sc_once_at at = sc_once_begin();

	sc_json_open(&s->j, "invocations", '[');
	while ((item = sc_once_next(&joint->said, &at))) {
		sc_json_open(&s->j, NULL, '{');
		sc_assert(s->j.depth == INVOCATION_DEPTH);
		sc_buf_add(s->j.out, item->part[0].text);
		s->j.has_items = 1;
		put_processes(s, item);
		sc_json_close(&s->j, '}');
	}
	sc_sarif_summary_invocation(s, joint);
	sc_json_close(&s->j, ']');
}
