/* Words: how well the bytes of a kernel are known, and why a finding is only possible. */
#include <stdbool.h>
#include <string.h>
#include "reports/utf8.h"
#include "reports/words/words_fill.h"

static const struct sc_record *kernel_of(const struct sc_words *w, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, side->op);

	return record && record->op.kind == SC_OP_KERNEL ? record : NULL;
}

/* Where the knowledge of a kernel's bytes comes from. */
static void add_source(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	static const char *const sources[] = {
		[SC_HOW_PTX] = "from its PTX",
		[SC_HOW_PARAMETER] = "by its parameters only",
		[SC_HOW_PROGRAM] = "as the program declares",
		[SC_HOW_FILE] = "as a footprints file declares",
		[SC_HOW_EXECUTION] = "as the simulated device executed it, in this run",
		[SC_HOW_RECORDED] = "as recorded on the GPU, in this run"};
	const char *source = side->how <= SC_HOW_RECORDED ? sources[side->how] : NULL;

	if (side->how == SC_HOW_DOCUMENTED)
		sc_buf_printf(out, "documented operands of %s",
			      sc_analysis_function(w->report->analysis, kernel_of(w, side)));
	else
		sc_buf_add(out, source ? source : "known");
}

/* That, and how good the knowledge is. */
static void add_known(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	if (SC_HOW_IS_PARAMETERS(side->how)) {
		sc_buf_add(out, "by its parameters only");
		if (side->reason)
			sc_buf_printf(out, " (%s)", sc_analysis_reason_text(side->reason));
		return;
	}
	if (side->known == SC_KNOWN_EXACT)
		sc_buf_add(out, "exact, ");
	else if (side->known == SC_KNOWN_OVER)
		sc_buf_add(out, "an upper bound, ");
	else
		sc_buf_add(out, "somewhere in this memory, ");
	add_source(out, w, side);
	if (side->known != SC_KNOWN_EXACT && side->reason)
		sc_buf_printf(out, " (%s)", sc_analysis_reason_text(side->reason));
}

bool sc_words_known(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	if (!kernel_of(w, side) || side->how == SC_HOW_OP)
		return 0;
	add_known(out, w, side);
	return 1;
}

/* Why no more is known than that it gets a pointer. */
static void add_lack(struct sc_buf *out, const struct sc_side *side)
{
	sc_buf_add(out, " gets a pointer to this memory and ");
	if (SC_HOW_IS_PARAMETERS(side->how) && side->reason)
		sc_buf_printf(out, "its PTX is not known (%s)",
			      sc_analysis_reason_text(side->reason));
	else
		sc_buf_add(out, "has no PTX");
}

/* What a kernel may do to memory of which only its pointer is known. */
static void add_whole_doubt(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_record *record, const struct sc_side *side,
			    bool is_likely)
{
	sc_buf_add(out, "kernel ");
	sc_words_kernel(out, w, record->op.object);
	if (is_likely) {
		add_lack(out, side);
		sc_buf_add(out,
			   ", so whether it uses that pointer is not known; all else is certain");
		return;
	}
	if (SC_HOW_IS_PARAMETERS(side->how)) {
		add_lack(out, side);
		sc_buf_printf(
			out,
			", so which bytes it touches, and whether it writes, is not known (%s)",
			w->dialect->knowing);
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

static void add_talker(struct sc_buf *out, const struct sc_words *w, uint64_t op_plus)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;

	if (record)
		sc_words_call_at(out, w, op_plus - 1);
	else
		sc_buf_add(out, "the host");
}

static bool is_copy(const struct sc_words *w, uint64_t op_plus)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;

	return record && record->op.kind == SC_OP_COPY;
}

/* Who may wait for a word, and who may write it; false if it is not known. */
static bool add_talk_doubt(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!f->observer && !f->publisher)
		return 0;
	add_talker(out, w, f->observer);
	sc_buf_add(out, is_copy(w, f->observer) ? " may read a word in memory that "
						: " may wait for a word in memory that ");
	add_talker(out, w, f->publisher);
	sc_buf_add(out, " may write, which would order the two");
	return 1;
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
	    (f->doubt != SC_DOUBT_OVER || !add_bound_doubt(out, w, f)) &&
	    (f->doubt != SC_DOUBT_TALK || !add_talk_doubt(out, w, f)))
		sc_words_fill(out, w, f, sc_doubt_rows[f->doubt].sentence);
	return 1;
}

/* A kernel of whose bytes too little is known. */
static bool has_open_kernel(const struct sc_words *w, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		if (f->side[i].known != SC_KNOWN_EXACT && kernel_of(w, &f->side[i]))
			return 1;
	return 0;
}

bool sc_words_can_verify(const struct sc_words *w, const struct sc_finding *f)
{
	bool is_of_bytes = f->doubt == SC_DOUBT_FOOTPRINT || f->doubt == SC_DOUBT_OVER;

	return f->confidence != SC_PROVEN && is_of_bytes && has_open_kernel(w, f);
}

/* True if the command alone starts such a process again: it is whole, no launcher gave the process
 * a rank, and it was not begun by Python's multiprocessing, which passes it open files. */
static bool can_start_again(const struct sc_names *names)
{
	static const char *const others[] = {"…", "multiprocessing.spawn",
					     "multiprocessing.forkserver",
					     "--multiprocessing-fork"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strstr(names->command, others[i]))
			return 0;
	return *names->command && !names->is_child && names->rank < 0;
}

void sc_words_verify_command(struct sc_buf *out, const struct sc_words *w)
{
	const struct sc_names *names = w->report->names;

	sc_buf_add(out, "streamcheck verify ");
	sc_words_trace(out, w);
	sc_buf_add(out, " -- ");
	if (w->report->command)
		sc_utf8_add_clean(out, w->report->command);
	else if (can_start_again(names))
		sc_utf8_add_clean(out, names->command);
	else
		sc_buf_add(out, "PROGRAM");
}
