/* Words for what came of the runs in both orders. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include "base/sim_note.h"
#include "reports/words/words.h"

static const struct {
	const char *id;
	const char *name;
	const char *text;
} places[] = {
#define SC_TRIAL_PLACE(ID, id, short, text) {id, short, text},
#include "reports/trial.def"
#undef SC_TRIAL_PLACE
};

static const char *const verdicts[] = {NULL, "confirmed", "no-difference", "not-tried"};

const struct sc_trial *sc_words_trial_of(const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_report *r = w->report;
	size_t count;
	const struct sc_finding *findings = sc_analysis_findings(r->analysis, &count);
	size_t index = (size_t)(f - findings);

	if (!r->trials || index >= r->trial_count || !r->trials[index].verdict)
		return NULL;
	return &r->trials[index];
}

const char *sc_words_trial_verdict(const struct sc_trial *t)
{
	return verdicts[t->verdict % (sizeof(verdicts) / sizeof(*verdicts))];
}

const char *sc_words_trial_place(unsigned place)
{
	return place < SC_TRIAL_PLACES ? places[place].id : "";
}

void sc_words_trial_bytes(struct sc_buf *out, const struct sc_trial *t, unsigned order)
{
	for (unsigned i = 0; i < t->count[order] && i < SC_TRIAL_BYTES; i++)
		sc_buf_printf(out, i ? " %02x" : "%02x", t->bytes[order][i]);
}

/* "the host", "cudaMemsetAsync at a.cu:14". */
static void add_side(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, side->op);

	if (record && sc_op_kind_class(record->op.kind) != SC_CLASS_ENQUEUE)
		sc_buf_add(out, "the host");
	else
		sc_words_call_at(out, w, side->op);
}

static unsigned most_shown(const struct sc_trial *t)
{
	return t->count[0] > t->count[1] ? t->count[0] : t->count[1];
}

static void add_range(struct sc_buf *out, const struct sc_trial *t)
{
	unsigned count = most_shown(t);

	if (count > 1)
		sc_buf_printf(out, "bytes %" PRIu64 "–%" PRIu64, t->offset, t->offset + count - 1);
	else
		sc_buf_printf(out, "byte %" PRIu64, t->offset);
}

static void add_text(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		     const struct sc_trial *t)
{
	for (const char *c = places[t->shown].text; *c; c++) {
		if (*c != '%')
			sc_buf_add_char(out, *c);
		else if (*++c == 'b')
			add_range(out, t);
		else if (*c == 'v')
			sc_buf_add(out, most_shown(t) > 1 ? "are" : "is");
		else
			add_side(out, w, &f->side[t->actor]);
	}
}

static void add_value(struct sc_buf *out, const struct sc_trial *t, unsigned order)
{
	int status = t->status[order];

	if (t->shown != SC_TRIAL_EXIT && t->count[order])
		sc_words_trial_bytes(out, t, order);
	else if (t->shown != SC_TRIAL_EXIT)
		sc_buf_add(out, "not there");
	else if (WIFSIGNALED(status))
		sc_buf_printf(out, "signal %d", WTERMSIG(status));
	else
		sc_buf_printf(out, "exit code %d", WEXITSTATUS(status));
}

/* "; also different: the output, copies to the host", for the bits that are set. */
static void add_places(struct sc_buf *out, const char *before, unsigned bits)
{
	for (unsigned i = 0; i < SC_TRIAL_PLACES; i++) {
		if (!(bits & 1 << i))
			continue;
		sc_buf_add(out, before);
		sc_buf_add(out, places[i].name);
		before = ", ";
	}
}

static void add_same(struct sc_buf *out, const struct sc_trial *t)
{
	sc_buf_add(out, "no difference seen: the program ran in both orders");
	add_places(out, " with the same ", t->compared);
	if (t->is_cut)
		sc_buf_printf(out, " (of the memory the first %u MiB)",
			      (unsigned)(SC_NOTE_RANGE_MAX >> 20));
	add_places(out, "; different in the same order, too: ", t->unsteady);
}

static void add_difference(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
			   const struct sc_trial *t)
{
	sc_buf_add(out, "confirmed: ");
	add_text(out, w, f, t);
	for (unsigned i = 0; i < 2; i++) {
		sc_buf_add(out, i ? ", " : " ");
		add_value(out, t, i);
		sc_buf_add(out, " with ");
		add_side(out, w, &f->side[i]);
		sc_buf_add(out, " first");
	}
	add_places(out, "; also different: ", t->differs & ~(1u << t->shown));
}

bool sc_words_trial(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_trial *t = sc_words_trial_of(w, f);

	if (!t)
		return 0;
	if (t->verdict == SC_TRIAL_CONFIRMED)
		add_difference(out, w, f, t);
	else if (t->verdict == SC_TRIAL_SAME)
		add_same(out, t);
	else
		sc_buf_printf(out, "not tried: %s", t->reason);
	return 1;
}
