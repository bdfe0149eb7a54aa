/* The report as GitLab's code quality: a list of findings that a merge request shows at their
 * lines. GitLab refuses an entry without a path and a line: what has none stands at
 * "streamcheck", line 1.
 */
#include "reports/report.h"

#include <stdbool.h>
#include <string.h>
#include "reports/alike.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/json_writer.h"
#include "reports/sources/site.h"
#include "reports/many/together.h"

#define ENTRY_DEPTH 2 /* of the members of an entry in the list */

/* Parts of an item: the message, the other members. */
enum { MESSAGE, MEMBERS };

static const char *severity_of(enum sc_loudness loudness)
{
	static const char *const words[] = {
		[SC_LOUD_NOTE] = "info",
		[SC_LOUD_WARNING] = "minor",
		[SC_LOUD_ERROR] = "critical",
	};

	return words[loudness];
}

static void put_location(struct sc_json *j, const struct sc_frame *frame, const char *directory)
{
	bool is_known = frame && frame->line && *frame->file;

	sc_json_open(j, "location", '{');
	sc_json_text(j, "path", is_known ? sc_site_path(frame, directory) : "streamcheck");
	sc_json_open(j, "lines", '{');
	sc_json_number(j, "begin", is_known ? frame->line : 1);
	sc_json_close(j, '}');
	sc_json_close(j, '}');
}

/* All members but the message. */
static void put_members(struct sc_json *j, const char *check, enum sc_loudness loudness,
			uint64_t fingerprint)
{
	char print[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(print, fingerprint);
	sc_json_text(j, "check_name", check);
	sc_json_text(j, "fingerprint", print);
	sc_json_text(j, "severity", severity_of(loudness));
}

static void put_rule_members(struct sc_json *j, unsigned rule, enum sc_loudness loudness,
			     uint64_t fingerprint)
{
	struct sc_buf check = {0};

	sc_buf_printf(&check, "SC-%u", rule);
	put_members(j, check.text, loudness, fingerprint);
	sc_buf_fini(&check);
}

static void take(struct sc_once_item *item, struct sc_words *w, const struct sc_finding *f)
{
	struct sc_json j = {.out = &item->part[MEMBERS], .depth = ENTRY_DEPTH, .has_items = 1};
	unsigned side = sc_facts_side(w->report, f);

	sc_facts_message(&item->part[MESSAGE], w, f);
	put_rule_members(&j, f->rule, sc_facts_loudness(f), item->key);
	put_location(&j, sc_facts_frame(w->report, f->side[side].op), w->directory);
}

void sc_report_gitlab(struct sc_joint *joint, const struct sc_report *r,
		      const struct sc_report_style *style)
{
	sc_alike_take(joint, r, style, take);
}

static void put_finding(struct sc_json *j, const struct sc_joint *joint,
			const struct sc_once_item *item)
{
	struct sc_buf message = {0};

	sc_buf_add(&message, sc_buf_text(&item->part[MESSAGE]));
	if (item->processes > 1) {
		sc_buf_add(&message, "; ");
		sc_alike_where(&message, joint, item);
	}
	sc_json_open(j, NULL, '{');
	sc_json_text(j, "description", message.text);
	sc_buf_add(j->out, sc_buf_text(&item->part[MEMBERS]));
	sc_json_close(j, '}');
	sc_buf_fini(&message);
}

static void put_summaries(struct sc_json *j, const struct sc_joint *joint)
{
	const struct sc_summary_row *row;
	size_t at = 0;

	while ((row = sc_together_next(joint, &at))) {
		const struct sc_frame frame = sc_summary_frame(row);
		struct sc_buf message = {0};

		sc_buf_printf(&message, "%s; ", row->message);
		sc_summary_where(&message, joint->all, row);
		sc_json_open(j, NULL, '{');
		sc_json_text(j, "description", message.text);
		put_rule_members(j, row->rule, sc_facts_loudness_of(row->severity, row->confidence),
				 row->fingerprint);
		put_location(j, &frame, joint->directory);
		sc_json_close(j, '}');
		sc_buf_fini(&message);
	}
}

/* What was not seen. */
static void put_gap(struct sc_json *j, const struct sc_once_item *item)
{
	const char *text = sc_buf_text(&item->part[0]);

	sc_json_open(j, NULL, '{');
	sc_json_text(j, "description", text);
	put_members(j, item->weight ? "incomplete" : "not-everything-was-seen",
		    item->weight ? SC_LOUD_WARNING : SC_LOUD_NOTE,
		    sc_fingerprint_hash(text, strlen(text)));
	put_location(j, NULL, NULL);
	sc_json_close(j, '}');
}

void sc_report_finish_gitlab(struct sc_buf *out, const struct sc_joint *joint)
{
	struct sc_json j = {.out = out};
	const struct sc_once_item *item;
	struct sc_once_at at = sc_once_begin();

	sc_json_open(&j, NULL, '[');
	while ((item = sc_once_next(&joint->found, &at)))
		put_finding(&j, joint, item);
	put_summaries(&j, joint);
	for (at = sc_once_begin(); (item = sc_once_next(&joint->said, &at));)
		put_gap(&j, item);
	sc_json_close(&j, ']');
}
