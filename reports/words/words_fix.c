/* Words for findings: the one change that mends it, and where it belongs. */
#include "reports/words/words_fill.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "reports/sources/site.h"

static const struct sc_frame *frame_of(const struct sc_words *w, uint64_t op_plus, uint32_t *thread)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;
	struct sc_report_site site;
	const struct sc_frame *frame;

	*thread = 0;
	if (!record)
		return NULL;
	sc_site_of(&site, w->report, &record->op);
	frame = sc_site_frame(&site);
	*thread = record->op.thread;
	return frame && frame->line && *frame->file ? frame : NULL;
}

/* What to say instead where one line runs in several threads, where moving a call would leave it
 * where it is, in a loop, and where the two lines run in different threads. */
static enum sc_fix instead(const struct sc_words *w, const struct sc_finding *f)
{
	uint32_t threads[2];
	const struct sc_frame *before = frame_of(w, f->fix_before, &threads[0]);
	const struct sc_frame *after = frame_of(w, f->fix_after, &threads[1]);
	bool is_one_thread = threads[0] == threads[1];

	if (!before || !after || strcmp(before->file, after->file) != 0)
		return (enum sc_fix)f->fix;
	if (!is_one_thread && before->line == after->line)
		return SC_FIX_TURNS;
	if (f->fix != SC_FIX_MOVE)
		return SC_FIX_EVENT;
	if (!is_one_thread)
		return SC_FIX_NOTIFY;
	return !strcmp(before->function, after->function) && before->line > after->line
		       ? SC_FIX_AGAIN
		       : SC_FIX_MOVE;
}

enum sc_fix sc_words_fix_of(const struct sc_words *w, const struct sc_finding *f)
{
	bool has_nodes = f->fix_before && f->fix_after;

	if (f->fix >= SC_FIXES || (f->fix == SC_FIX_EDGE && !has_nodes))
		return SC_FIX_RULE;
	if (f->fix == SC_FIX_MOVE || f->fix == SC_FIX_EVENT)
		return instead(w, f);
	return (enum sc_fix)f->fix;
}

void sc_words_times(struct sc_buf *out, const struct sc_finding *f)
{
	sc_words_count(out, f->count, "time");
	if (f->turned)
		sc_buf_printf(out,
			      ", %" PRIu64 " of them in the opposite order, which has to be "
			      "ruled out, too",
			      f->turned);
	if (f->paths > 1)
		sc_buf_printf(out, ", with %" PRIu32 " pairs of callers or threads", f->paths);
}

void sc_words_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	/* an order the other way round might never end */
	if (f->is_awaited)
		sc_buf_add(out, "if that does not order them: ");
	sc_words_fill(out, w, f, sc_fix_rows[sc_words_fix_of(w, f)].sentence);
	if (f->rule == SC_RULE_201 && *w->dialect->blocking)
		sc_buf_printf(out, "; or %s", w->dialect->blocking);
}
