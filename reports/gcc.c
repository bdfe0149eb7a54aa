/* The report as compilers write it: file:line:column: error: … [SC-nnn], for editors and build
 * logs.
 */
#include "reports/report.h"

#include <stdbool.h>
#include "reports/alike.h"
#include "reports/facts.h"
#include "reports/sources/site.h"
#include "reports/many/together.h"

struct gcc {
	struct sc_buf *out;
	const struct sc_report *report;
	const char *directory;
};

/* "main.cu:40:7: "; a place without a line shows the tool's name, as the compiler does. */
static void add_place(const struct gcc *g, const struct sc_frame *frame)
{
	bool is_known = frame && frame->line && *frame->file;

	sc_facts_line_place(g->out, is_known ? sc_site_path(frame, g->directory) : "",
			    is_known ? frame->line : 0, is_known ? frame->column : 0);
}

/* A fact without a place of its own stands at the finding's. */
struct notes {
	const struct gcc *gcc;
	const struct sc_frame *home;
};

static void add_note(void *to, uint64_t op_plus, const char *label, const char *text)
{
	const struct notes *n = to;
	const struct sc_frame *frame = op_plus ? sc_facts_frame(n->gcc->report, op_plus - 1) : NULL;

	add_place(n->gcc, frame && frame->line ? frame : n->home);
	sc_buf_printf(n->gcc->out, "note: %s: %s\n", label, text);
}

/* The finding's own line; returns the frame that it begins with. */
static const struct sc_frame *add_line(const struct gcc *g, struct sc_words *w,
				       const struct sc_finding *f)
{
	unsigned side = sc_facts_side(g->report, f);
	const struct sc_frame *home = sc_facts_frame(g->report, f->side[side].op);

	sc_words_set_finding(w, f);
	add_place(g, home);
	sc_facts_line_loudness(g->out, sc_facts_loudness(f));
	sc_facts_message(g->out, w, f);
	sc_buf_printf(g->out, " [SC-%u]\n", f->rule);
	return home;
}

static void add_finding(const struct gcc *g, struct sc_words *w, const struct sc_finding *f)
{
	struct notes notes = {.gcc = g, .home = add_line(g, w, f)};

	sc_facts_each(w, f, add_note, &notes);
}

void sc_report_line(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f,
		    const char *directory)
{
	struct gcc g = {.out = out, .report = r, .directory = directory};
	struct sc_words words;

	sc_words_init(&words, r, directory);
	add_line(&g, &words, f);
}

/* Parts of an item: the place, "a.cu:5:3: ", and the lines. */
enum { PLACE, LINES };

static void take(struct sc_once_item *item, struct sc_words *w, const struct sc_finding *f)
{
	struct gcc g = {.out = &item->part[PLACE], .report = w->report, .directory = w->directory};

	add_place(&g, sc_facts_frame(w->report, f->side[sc_facts_side(w->report, f)].op));
	g.out = &item->part[LINES];
	add_finding(&g, w, f);
}

void sc_report_gcc(struct sc_joint *joint, const struct sc_report *r,
		   const struct sc_report_style *style)
{
	sc_alike_take(joint, r, style, take);
}

static void add_summaries(struct sc_buf *out, const struct sc_joint *joint)
{
	const struct sc_summary_row *row;
	size_t at = 0;

	while ((row = sc_together_next(joint, &at))) {
		const struct sc_frame frame = sc_summary_frame(row);
		const struct gcc g = {.out = out, .directory = joint->directory};

		add_place(&g, &frame);
		sc_facts_line_loudness(out, sc_facts_loudness_of(row->severity, row->confidence));
		sc_buf_printf(out, "%s [SC-%u]\n", row->message, (unsigned)row->rule);
		add_place(&g, &frame);
		sc_buf_add(out, "note: processes: ");
		sc_summary_where(out, joint->all, row);
		sc_buf_add_char(out, '\n');
	}
}

void sc_report_finish_gcc(struct sc_buf *out, const struct sc_joint *joint)
{
	const struct sc_once_item *item;
	struct sc_once_at at = sc_once_begin();

	while ((item = sc_once_next(&joint->found, &at))) {
		sc_buf_add(out, sc_buf_text(&item->part[LINES]));
		if (!sc_joint_is_many(joint))
			continue;
		sc_buf_printf(out, "%snote: processes: ", sc_buf_text(&item->part[PLACE]));
		sc_alike_who(out, joint, item);
		sc_buf_add_char(out, '\n');
	}
	add_summaries(out, joint);
	for (at = sc_once_begin(); (item = sc_once_next(&joint->said, &at));) {
		sc_buf_printf(out, "streamcheck: warning: %s: %s",
			      item->weight ? "incomplete" : "not everything was seen",
			      sc_buf_text(&item->part[0]));
		sc_buf_add(out, sc_joint_is_many(joint) ? "; " : "");
		if (sc_joint_is_many(joint))
			sc_alike_who(out, joint, item);
		sc_buf_add_char(out, '\n');
	}
}
