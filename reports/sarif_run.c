/* SARIF: the tool and its rules, the checked run and what of it was not seen, the source files. */
#include "reports/sarif.h"

#include <stdbool.h>
#include <string.h>
#include "reports/facts.h"
#include "reports/site.h"
#include "reports/words_coverage.h"

#define HASH_START UINT64_C(0xCBF29CE484222325)
#define HASH_PRIME UINT64_C(0x100000001B3)

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

static uint64_t hash_of(const char *text)
{
	uint64_t hash = HASH_START;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * HASH_PRIME;
	return hash;
}

/* Index of a file; equal hashes of different files are distinguished by trying the next number. */
static size_t index_of(struct sc_sarif *s, const char *path)
{
	for (uint64_t hash = hash_of(path);; hash++) {
		uint64_t *index = sc_u64_map_get(&s->file_index, hash);

		if (!*index) {
			sc_vector_push(&s->files, path);
			*index = s->files.count;
		}
		if (!strcmp(s->files.items[*index - 1], path))
			return *index - 1;
	}
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

void sc_sarif_file(struct sc_sarif *s, const char *key, const char *path, bool with_index)
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
	if (with_index)
		sc_json_number(&s->j, "index", index_of(s, path));
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

static void put_help(struct sc_sarif *s, const struct sc_rule_row *rule)
{
	sc_json_open(&s->j, "help", '{');
	sc_buf_printf(&s->phrase, "%s\n\nFix: %s.\n\nMore: streamcheck rules SC-%d", rule->why,
		      rule->fix, rule->rule);
	sc_json_text(&s->j, "text", s->phrase.text);
	sc_buf_clear(&s->phrase);
	sc_buf_printf(&s->phrase, "%s\n\n**Fix:** %s.\n\nMore: `streamcheck rules SC-%d`",
		      rule->why, rule->fix, rule->rule);
	sc_json_text(&s->j, "markdown", s->phrase.text);
	sc_buf_clear(&s->phrase);
	sc_json_close(&s->j, '}');
}

static void put_rule(struct sc_sarif *s, const struct sc_rule_row *rule)
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
	put_text(s, "fullDescription", rule->why);
	put_help(s, rule);
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

void sc_sarif_tool(struct sc_sarif *s)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	sc_json_open(&s->j, "tool", '{');
	sc_json_open(&s->j, "driver", '{');
	sc_json_text(&s->j, "name", "streamcheck");
	sc_json_text(&s->j, "semanticVersion", SC_VERSION);
	sc_json_open(&s->j, "rules", '[');
	for (unsigned i = 0; i < count; i++)
		put_rule(s, &rows[i]);
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
	if (sc_words_gaps(&s->phrase, sc_analysis_coverage(a)))
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

void sc_sarif_invocations(struct sc_sarif *s)
{
	const struct sc_names *names = s->report->names;

	sc_json_open(&s->j, "invocations", '[');
	sc_json_open(&s->j, NULL, '{');
	sc_json_bool(&s->j, "executionSuccessful", sc_analysis_complete(s->report->analysis));
	if (*names->command)
		sc_json_text(&s->j, "commandLine", names->command);
	sc_json_number(&s->j, "processId", names->process);
	put_exit_code(s);
	put_notifications(s);
	sc_json_close(&s->j, '}');
	sc_json_close(&s->j, ']');
}

void sc_sarif_artifacts(struct sc_sarif *s)
{
	sc_json_open(&s->j, "artifacts", '[');
	for (size_t i = 0; i < s->files.count; i++) {
		sc_json_open(&s->j, NULL, '{');
		sc_sarif_file(s, "location", s->files.items[i], 0);
		sc_json_close(&s->j, '}');
	}
	sc_json_close(&s->j, ']');
}
