/* The report as workflow commands of GitHub Actions: annotations at the lines of a pull request. */
#include "reports/report.h"

#include <string.h>
#include "reports/alike.h"
#include "reports/facts.h"
#include "reports/sources/site.h"
#include "reports/many/together.h"
#include "reports/utf8.h"

/* Appends text, with the characters escaped that end a value. More characters end a property. */
static void add_escaped(struct sc_buf *out, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (strchr(escaped, *text))
			sc_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
		else
			sc_buf_add_char(out, *text);
	}
}

static void add_message(struct sc_buf *out, const char *text)
{
	add_escaped(out, text, "%\r\n");
}

static void add_property(struct sc_buf *out, const char *key, const char *text)
{
	struct sc_buf clean = {0};

	sc_utf8_add_clean(&clean, text);
	sc_buf_printf(out, "%s=", key);
	add_escaped(out, sc_buf_text(&clean), "%\r\n:,");
	sc_buf_fini(&clean);
}

static void add_place(struct sc_buf *out, const struct sc_frame *frame, const char *directory)
{
	if (!frame || !frame->line || !*frame->file)
		return;
	add_property(out, "file", sc_site_path(frame, directory));
	sc_buf_printf(out, ",line=%u,", frame->line);
	if (frame->column)
		sc_buf_printf(out, "col=%u,", frame->column);
}

/* Facts are lines of the message. */
static void add_fact(void *to, uint64_t op_plus, const char *label, const char *text)
{
	(void)op_plus;
	sc_buf_printf(to, "\n%s: %s", label, text);
}

static void add_title(struct sc_buf *out, unsigned number, unsigned confidence)
{
	const struct sc_rule_row *rule = sc_rule_find(number);
	struct sc_buf title = {0};

	sc_buf_printf(&title, "SC-%u %s (%s)", number, rule ? rule->slug : "unknown-rule",
		      sc_words_confidence(confidence));
	add_property(out, "title", title.text);
	sc_buf_fini(&title);
}

static void add_command(struct sc_buf *out, enum sc_loudness loudness)
{
	static const char *const commands[] = {
		[SC_LOUD_NOTE] = "notice",
		[SC_LOUD_WARNING] = "warning",
		[SC_LOUD_ERROR] = "error",
	};

	sc_buf_printf(out, "::%s ", commands[loudness]);
}

/* The annotation, without a line end: what follows belongs to its message. */
static void take(struct sc_once_item *item, struct sc_words *w, const struct sc_finding *f)
{
	struct sc_buf *out = &item->part[0];
	unsigned side = sc_facts_side(w->report, f);
	struct sc_buf message = {0};

	sc_facts_message(&message, w, f);
	sc_facts_each(w, f, add_fact, &message);
	add_command(out, sc_facts_loudness(f));
	add_place(out, sc_facts_frame(w->report, f->side[side].op), w->directory);
	add_title(out, f->rule, f->confidence);
	sc_buf_add(out, "::");
	add_message(out, message.text);
	sc_buf_fini(&message);
}

void sc_report_github(struct sc_joint *joint, const struct sc_report *r,
		      const struct sc_report_style *style)
{
	sc_alike_take(joint, r, style, take);
}

/* The end of an annotation: which processes it is about. */
static void add_where(struct sc_buf *out, const struct sc_joint *joint,
		      const struct sc_once_item *item)
{
	struct sc_buf where = {0};

	if (sc_joint_is_many(joint)) {
		sc_buf_add(&where, "\nprocesses: ");
		sc_alike_who(&where, joint, item);
		add_message(out, where.text);
	}
	sc_buf_add_char(out, '\n');
	sc_buf_fini(&where);
}

static void add_summaries(struct sc_buf *out, const struct sc_joint *joint)
{
	const struct sc_summary_row *row;
	size_t at = 0;

	while ((row = sc_together_next(joint, &at))) {
		const struct sc_frame frame = sc_summary_frame(row);
		struct sc_buf message = {0};

		sc_buf_printf(&message, "%s\nprocesses: ", row->message);
		sc_summary_where(&message, joint->all, row);
		add_command(out, sc_facts_loudness_of(row->severity, row->confidence));
		add_place(out, &frame, joint->directory);
		add_title(out, row->rule, row->confidence);
		sc_buf_add(out, "::");
		add_message(out, message.text);
		sc_buf_add_char(out, '\n');
		sc_buf_fini(&message);
	}
}

/* The loudest come first: GitHub shows ten annotations of a step. */
void sc_report_finish_github(struct sc_buf *out, const struct sc_joint *joint)
{
	const struct sc_once_item *item;
	struct sc_once_at at = sc_once_begin();

	while ((item = sc_once_next(&joint->found, &at))) {
		sc_buf_add(out, sc_buf_text(&item->part[0]));
		add_where(out, joint, item);
	}
	add_summaries(out, joint);
	for (at = sc_once_begin(); (item = sc_once_next(&joint->said, &at));) {
		sc_buf_printf(out, "::%s title=streamcheck::", item->weight ? "warning" : "notice");
		add_message(out, sc_buf_text(&item->part[0]));
		add_where(out, joint, item);
	}
}
