/* Words: how well the bytes of a kernel are known, and why a finding is only possible. */
#include <stdbool.h>
#include "reports/words.h"

static const struct sc_record *kernel_of(const struct sc_words *w, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, side->op);

	return record && record->op.kind == SC_OP_KERNEL ? record : NULL;
}

/* Where the knowledge of a kernel's bytes comes from, and how good it is. */
static void add_known(struct sc_buf *out, const struct sc_side *side)
{
	static const char *const sources[] = {"known", "from its PTX", "by its parameters only",
					      "as the program declares",
					      "as a footprints file declares"};
	const char *source = side->how <= SC_HOW_FILE ? sources[side->how] : sources[0];

	if (side->how == SC_HOW_PARAMETER) {
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
			    const struct sc_record *record, const struct sc_side *side)
{
	sc_buf_add(out, "kernel ");
	sc_words_kernel(out, w, record->op.object);
	if (side->how == SC_HOW_PARAMETER) {
		sc_buf_add(out, " is given this memory; no PTX of it is known, so which bytes it "
				"touches, and whether it writes, is not known (build it with PTX "
				"or declare its footprint)");
		return;
	}
	sc_buf_printf(out, " %s this memory somewhere: ",
		      side->mode == SC_SIDE_WRITE ? "may write" : "only reads");
	sc_buf_add(out, side->reason ? sc_analysis_reason_text(side->reason)
				     : "which bytes is not known");
}

static void add_footprint_doubt(struct sc_buf *out, const struct sc_words *w,
				const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++) {
		const struct sc_record *record = kernel_of(w, &f->side[i]);

		if (f->side[i].known != SC_KNOWN_PARAMETER || !record)
			continue;
		add_whole_doubt(out, w, record, &f->side[i]);
		return;
	}
	sc_buf_add(out, "which bytes a kernel touches is known from its parameters only");
}

/* One of the two may touch fewer bytes, and why. */
static void add_bound_doubt(struct sc_buf *out, const struct sc_words *w,
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
		return;
	}
	sc_buf_add(out, "one of the two may touch fewer bytes than are shown here");
}

static bool has_callback(const struct sc_words *w, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		const struct sc_record *record =
			sc_analysis_record(w->report->analysis, f->side[i].op);

		if (record && (record->op.callback || record->op.kind == SC_OP_HOST_FUNC))
			return 1;
	}
	return 0;
}

/* Both sides are calls, or accesses, of one thread: only a host function has a part in it. */
static bool is_of_one_thread(const struct sc_finding *f)
{
	return f->sides < 2 || f->side[0].thread == f->side[1].thread;
}

static const char *handed_over(const struct sc_words *w, const struct sc_finding *f)
{
	if (has_callback(w, f))
		return "a callback that had ended before may have told this thread";
	if (is_of_one_thread(f))
		return "a host function may tell the program that something is done, or wait for "
		       "it, in a way that is not seen: an atomic, a future, a lock of its own";
	return "the threads may agree in a way that is not seen: an atomic, a future, a lock of "
	       "their own";
}

const char *sc_words_doubt_id(const struct sc_finding *f)
{
	switch ((enum sc_doubt)f->doubt) {
	case SC_DOUBT_NONE: return NULL;
#define SC_DOUBT_ID(constant, name) \
	case SC_DOUBT_##constant:   \
		return name;
#include "reports/doubt.def"
#undef SC_DOUBT_ID
	}
	return NULL;
}

bool sc_words_doubt(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	switch ((enum sc_doubt)f->doubt) {
	case SC_DOUBT_NONE: return 0;
	case SC_DOUBT_FOOTPRINT: add_footprint_doubt(out, w, f); break;
	case SC_DOUBT_OVER: add_bound_doubt(out, w, f); break;
	case SC_DOUBT_HANDED_OVER: sc_buf_add(out, handed_over(w, f)); break;
	case SC_DOUBT_FOREIGN:
		sc_buf_add(out, "another process, or a word in memory, may order them unseen");
		break;
	case SC_DOUBT_TALK:
		sc_buf_add(out, "a kernel may signal by a word in memory while it runs, as its "
				"volatile accesses, atomics or fences show, and order them unseen");
		break;
	case SC_DOUBT_WAIT:
		sc_buf_add(out, "some paths through the kernel wait for the kernel before it "
				"before this access, others do not; which ones run is not known");
		break;
	case SC_DOUBT_LOST:
		sc_buf_add(out, "operations were not recorded; one of them may ");
		sc_buf_add(out, f->sides > 1 ? "order the two" : "make this right");
		break;
	case SC_DOUBT_FAULTED: sc_buf_add(out, "the device had reported an error before"); break;
	case SC_DOUBT_SCRATCH:
		sc_buf_add(out,
			   "one handle of a library drives both streams; whether the two use its "
			   "scratch memory at once is not known");
		break;
	case SC_DOUBT_HOLDER:
		sc_buf_add(out, "which thread holds the lock was not recorded: it was locked "
				"before the first host function was enqueued");
		break;
	case SC_DOUBT_ENDED:
		sc_buf_add(out, "in this run the wait ended: another thread released the lock, or "
				"the wait failed");
		break;
	case SC_DOUBT_NOTIFIER:
		sc_buf_add(out, "another thread may notify this one after an error; a run without "
				"an error does not show it");
		break;
	}
	return 1;
}
