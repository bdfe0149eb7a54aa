/* What the processes of a run have together, as data of the HTML report: of runs whose processes
 * are not all in the page, by far the most of many ranks, and those that were read from summaries.
 */
#include "reports/html/html.h"

#include <stdbool.h>
#include <string.h>
#include "reports/facts.h"
#include "reports/sources/site.h"
#include "reports/many/together.h"
#include "reports/words/words_run.h"

#define FINDINGS_MOST 500 /* the worst come first */
#define ROWS_MOST     100 /* of the matrix: of further findings the ranks are not listed in full */

static void put_ranks(struct sc_json *w, const char *key, const struct sc_rank_set *ranks)
{
	struct sc_buf text = {0};

	sc_rank_set_print(&text, ranks);
	sc_json_text(w, key, ranks->ranges.count ? text.text : "");
	sc_buf_fini(&text);
}

/* Puts the phrase, or null if it is empty; empties it. */
static void put_phrase(struct sc_json *w, const char *key, struct sc_buf *phrase)
{
	if (phrase->bytes)
		sc_json_text(w, key, phrase->text);
	else
		sc_json_null(w, key);
	sc_buf_clear(phrase);
}

static void put_group(struct sc_json *w, const struct sc_summary *s,
		      const struct sc_summary_group *g)
{
	struct sc_buf phrase = {0};

	sc_json_open(w, NULL, '{');
	sc_json_number(w, "processes", g->processes);
	sc_rank_set_describe(&phrase, &g->ranks, &s->ranks);
	put_phrase(w, "who", &phrase);
	sc_json_open(w, "counts", '[');
	for (unsigned i = 0; i < SC_SUMMARY_COMPLETE; i++)
		sc_json_number(w, NULL, g->counts[i]);
	sc_json_close(w, ']');
	sc_json_bool(w, "complete", g->counts[SC_SUMMARY_COMPLETE] != 0);
	if (g->counts[SC_SUMMARY_SIGNAL])
		sc_words_signal(&phrase, (unsigned)g->counts[SC_SUMMARY_SIGNAL]);
	put_phrase(w, "signal", &phrase);
	sc_json_text(w, "command", g->command);
	sc_json_close(w, '}');
	sc_buf_fini(&phrase);
}

/* "main.cu:40", or the function. */
static void add_place(struct sc_buf *out, const struct sc_summary_row *row, const char *directory)
{
	const struct sc_frame frame = sc_summary_frame(row);

	if (frame.line || *frame.function)
		sc_site_add_place(out, &frame, directory);
}

static void put_finding(struct sc_json *w, const struct sc_joint *joint,
			const struct sc_summary_row *row, bool is_in_matrix)
{
	char print[SC_FINGERPRINT_SIZE];
	struct sc_buf phrase = {0};

	sc_json_open(w, NULL, '{');
	sc_fingerprint_text(print, row->fingerprint);
	sc_json_text(w, "print", print);
	sc_json_number(w, "rule", row->rule);
	sc_json_text(w, "severity", sc_severity_text(row->severity));
	sc_json_text(w, "confidence", sc_words_confidence(row->confidence));
	sc_json_number(w, "processes", row->processes);
	if (is_in_matrix)
		put_ranks(w, "ranks", &row->ranks);
	sc_rank_set_describe(&phrase, &row->ranks, &joint->all->ranks);
	put_phrase(w, "who", &phrase);
	add_place(&phrase, row, joint->directory);
	put_phrase(w, "place", &phrase);
	sc_json_text(w, "message", row->message);
	sc_json_text(w, "text", row->text);
	sc_json_close(w, '}');
	sc_buf_fini(&phrase);
}

static void put_findings(struct sc_json *w, const struct sc_joint *joint)
{
	const struct sc_summary *s = joint->all;
	size_t put = 0;

	sc_json_number(w, "found", s->rows.count);
	sc_json_open(w, "findings", '[');
	for (int severity = SC_ERROR; severity >= SC_ADVICE; severity--)
		for (size_t i = 0; i < s->rows.count && put < FINDINGS_MOST; i++)
			if (s->rows.items[i].severity == severity) {
				put_finding(w, joint, &s->rows.items[i], put < ROWS_MOST);
				put++;
			}
	sc_json_close(w, ']');
}

void sc_html_put_together(struct sc_json *w, const struct sc_joint *joint)
{
	const struct sc_summary *s = sc_together(joint);
	struct sc_buf phrase = {0};

	if (!s)
		return;
	sc_json_open(w, "together", '{');
	sc_json_number(w, "processes", s->processes);
	sc_json_number(w, "summarized", s->processes - s->added);
	put_ranks(w, "ranks", &s->ranks);
	sc_json_bool(w, "complete", !sc_summary_is_incomplete(s));
	sc_summary_gaps(&phrase, s);
	put_phrase(w, "gaps", &phrase);
	sc_json_open(w, "groups", '[');
	for (size_t i = 0; i < s->groups.count; i++)
		put_group(w, s, &s->groups.items[i]);
	sc_json_close(w, ']');
	put_findings(w, joint);
	sc_json_close(w, '}');
	sc_buf_fini(&phrase);
}

void sc_html_count_all(uint64_t counts[SC_JOINT_COUNTS], const struct sc_joint *joint)
{
	const struct sc_summary *s = joint->all;

	memcpy(counts, joint->counts, SC_JOINT_COUNTS * sizeof(*counts));
	for (size_t i = 0; sc_summary_has_read(s) && i < s->rows.count; i++) {
		const struct sc_summary_row *row = &s->rows.items[i];

		if (!row->is_read)
			continue;
		counts[row->severity % 3]++;
		counts[3] += sc_facts_loudness_of(row->severity, row->confidence) == SC_LOUD_ERROR;
	}
}
