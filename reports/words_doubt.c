/* Words: how well the bytes of a kernel are known, and why a finding is only possible. */
#include <stdbool.h>
#include "reports/words_fill.h"

static const struct sc_record *kernel_of(const struct sc_words *w, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, side->op);

	return record && record->op.kind == SC_OP_KERNEL ? record : NULL;
}

/* Where the knowledge of a kernel's bytes comes from, and how good it is. */
static void add_known(struct sc_buf *out, const struct sc_side *side)
{
	static const char *const sources[] = {"known",
					      "from its PTX",
					      "by its parameters only",
					      "as the program declares",
					      "as a footprints file declares",
					      "as the simulated device executed it, in this run",
					      "known",
					      "as recorded on the GPU, in this run"};
	const char *source = side->how <= SC_HOW_RECORDED ? sources[side->how] : sources[0];

	if (SC_HOW_IS_PARAMETERS(side->how)) {
		sc_buf_add(out, "by its parameters only");
		return;
	}
	if (side->known == SC_KNOWN_EXACT) {
		sc_buf_printf(out, "exact, %s", source);
		return;
	}
	sc_buf_printf(out, "%s, %s",
		      side->known == SC_KNOWN_OVER ? "an upper bound" : "somewhere in this memory",
		      source);
	if (side->reason)
		sc_buf_printf(out, " (%s)", sc_analysis_reason_text(side->reason));
}

bool sc_words_known(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	if (!kernel_of(w, side) || side->how == SC_HOW_OP)
		return 0;
	add_known(out, side);
	return 1;
}

/* What a kernel may do to memory of which only its pointer is known. */
static void add_whole_doubt(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_record *record, const struct sc_side *side,
			    bool is_likely)
{
	sc_buf_add(out, "kernel ");
	sc_words_kernel(out, w, record->op.object);
	if (is_likely) {
		sc_buf_add(out, " gets a pointer to this memory and has no PTX, so whether it uses "
				"that pointer is not known; all else is certain");
		return;
	}
	if (SC_HOW_IS_PARAMETERS(side->how)) {
		sc_buf_add(out, " gets a pointer to this memory and has no PTX, so which bytes it "
				"touches, and whether it writes, is not known (");
		sc_buf_printf(out, "%s)", w->dialect->knowing);
		return;
	}
	sc_buf_printf(out, " %s this memory somewhere: ",
		      side->mode == SC_SIDE_WRITE ? "may write" : "only reads");
	sc_buf_add(out, side->reason ? sc_analysis_reason_text(side->reason)
				     : "which bytes is not known");
}

/* The kernel of which only the pointers among its parameters are known; false if it is not known.
 */
static bool add_footprint_doubt(struct sc_buf *out, const struct sc_words *w,
				const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++) {
		const struct sc_record *record = kernel_of(w, &f->side[i]);

		if (f->side[i].known != SC_KNOWN_PARAMETER || !record)
			continue;
		add_whole_doubt(out, w, record, &f->side[i], f->confidence == SC_LIKELY);
		return 1;
	}
	return 0;
}

/* The kernel that may touch fewer bytes, and why; false if it is not known. */
static bool add_bound_doubt(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++) {
		const struct sc_record *record = kernel_of(w, &f->side[i]);

		if (f->side[i].known != SC_KNOWN_OVER || !record || !f->side[i].reason)
			continue;
		sc_buf_add(out, "kernel ");
		sc_words_kernel(out, w, record->op.object);
		sc_buf_printf(out, " may touch fewer bytes than are shown here: %s",
			      sc_analysis_reason_text(f->side[i].reason));
		return 1;
	}
	return 0;
}

const char *sc_words_doubt_id(const struct sc_finding *f)
{
	return f->doubt == SC_DOUBT_NONE ? NULL : sc_doubt_rows[f->doubt].id;
}

bool sc_words_doubt(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (f->doubt == SC_DOUBT_NONE)
		return 0;
	if ((f->doubt != SC_DOUBT_FOOTPRINT || !add_footprint_doubt(out, w, f)) &&
	    (f->doubt != SC_DOUBT_OVER || !add_bound_doubt(out, w, f)))
		sc_words_fill(out, w, f, sc_doubt_rows[f->doubt].sentence);
	return 1;
}
