/* The report as compilers write it: file:line:column: error: … [SC-nnn], for editors and build
 * logs.
 */
#include "reports/report.h"

#include <stdbool.h>
#include "reports/facts.h"
#include "reports/site.h"
#include "reports/together.h"
#include "reports/words_coverage.h"

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

static void add_gaps(struct sc_buf *out, const struct sc_analysis *a)
{
	struct sc_buf gaps = {0};

	if (sc_words_gaps(&gaps, sc_analysis_coverage(a)) || !sc_analysis_complete(a))
		sc_buf_printf(out, "streamcheck: warning: %s: %s\n",
			      sc_analysis_complete(a) ? "not everything was seen" : "incomplete",
			      gaps.bytes ? gaps.text : "nothing was recorded");
	sc_buf_fini(&gaps);
}

void sc_report_gcc(struct sc_joint *joint, const struct sc_report *r,
		   const struct sc_report_style *style)
{
	struct gcc g = {.out = &joint->parts, .report = r, .directory = style->directory};
	struct sc_words words;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	if (sc_joint_leaves_out(joint, r->names))
		return;
	sc_words_init(&words, r, style->directory);
	for (; count; count--, f++)
		add_finding(&g, &words, f);
	add_gaps(&joint->parts, r->analysis);
}

void sc_report_finish_gcc(struct sc_buf *out, const struct sc_joint *joint)
{
	const struct sc_summary_row *row;
	size_t at = 0;

	sc_joint_copy(out, joint);
	while ((row = sc_together_next(joint, &at))) {
		const struct sc_frame frame = sc_summary_frame(row);
		const struct gcc g = {.out = out, .directory = joint->directory};

		add_place(&g, &frame);
		sc_facts_line_loudness(out, sc_facts_loudness_of(row->severity, row->confidence));
		sc_buf_printf(out, "%s [SC-%u]\n", row->message, (unsigned)row->rule);
		add_place(&g, &frame);
		sc_buf_add(out, "note: ranks: ");
		sc_summary_where(out, joint->all, row);
		sc_buf_add_char(out, '\n');
	}
}
