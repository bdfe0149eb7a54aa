/* Words for findings: the one change that mends it, and where it belongs. */
#include <inttypes.h>
#include "reports/words_fill.h"

enum sc_fix sc_words_fix_of(const struct sc_finding *f)
{
	bool has_nodes = f->fix_before && f->fix_after;

	if (f->fix >= SC_FIXES || (f->fix == SC_FIX_EDGE && !has_nodes))
		return SC_FIX_RULE;
	return (enum sc_fix)f->fix;
}

void sc_words_times(struct sc_buf *out, const struct sc_finding *f)
{
	sc_words_count(out, f->count, "time");
	if (f->turned)
		sc_buf_printf(out, ", %" PRIu64 " of them in the opposite order, which has to be "
			      "ruled out, too", f->turned);
	if (f->paths > 1)
		sc_buf_printf(out, ", with %" PRIu32 " pairs of callers or threads", f->paths);
}

void sc_words_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_words_fill(out, w, f, sc_fix_rows[sc_words_fix_of(f)].sentence);
	if (f->rule == SC_RULE_201 && *w->dialect->blocking)
		sc_buf_printf(out, "; or %s", w->dialect->blocking);
}
