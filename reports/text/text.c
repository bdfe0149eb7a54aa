/* The text report: for people, calm, complete enough to mend the bug from the first screen. */
#include "reports/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "reports/fingerprint.h"
#include "reports/text/text_layout.h"
#include "reports/text/text_page.h"
#include "reports/utf8.h"
#include "reports/verified.h"
#include "reports/words/words_coverage.h"
#include "reports/words/words_failed.h"
#include "reports/words/words_run.h"

#define COMMAND_COLUMNS 120
#define OPEN_KERNELS	10 /* that are named */
#define LOSSES_SHOWN	8
#define FAILED_SHOWN	10
#define FILTERS		8  /* options that hide findings, at least */
#define PROCESS_LINES	20 /* of findings, at least */
#define SECTIONS_ALL	20 /* processes that have a section each, whatever was found */

enum { LEFT_OUT }; /* counts of the joint: processes without a section */

static void add_gaps(struct sc_buf *out, const struct sc_words *w)
{
	const struct sc_analysis *a = w->report->analysis;
	bool is_complete = sc_analysis_complete(a);
	struct sc_buf gaps = {0}, failed = {0};

	sc_words_first_failed(&failed, w);
	if (sc_words_gaps(&gaps, sc_analysis_coverage(a), sc_buf_text(&failed)))
		sc_buf_printf(out, "; %s: %s", is_complete ? "note" : "incomplete", gaps.text);
	else
		sc_buf_add(out, is_complete ? "; nothing lost" : "; incomplete");
	sc_buf_fini(&failed);
	sc_buf_fini(&gaps);
}

/* The recorder's own words of a source of events or of a loss, if it has any. */
static void add_note(struct sc_buf *out, const char *before, const struct sc_record *note)
{
	struct sc_buf plain = {0};
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(note, SC_ATTACH_TEXT, &bytes);

	if (!text || !bytes)
		return;
	sc_buf_add(out, before);
	sc_buf_add_bytes(&plain, text, bytes);
	sc_utf8_add_clean(out, sc_buf_text(&plain));
	sc_buf_fini(&plain);
}

/* Sources of events that this run had to do without. */
static void add_missing(struct sc_buf *out, const struct sc_analysis *a)
{
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(a, &count);
	const char *before = "; missing: ";

	for (size_t i = 0; i < count; i++) {
		if (notes[i].op.kind != SC_OP_SOURCE || notes[i].op.value)
			continue;
		add_note(out, before, &notes[i]);
		before = ", ";
	}
}

/* By each option on its own. */
static void add_filtered(struct sc_buf *out, const struct sc_report *r)
{
	struct {
		const char *option;
		size_t count;
	} filters[FILTERS] = {0};

	for (size_t i = 0; i < r->hidden_count; i++) {
		const char *option = r->hidden[i].filter;
		size_t at = 0;

		while (option && at < FILTERS && filters[at].option &&
		       strcmp(filters[at].option, option) != 0)
			at++;
		if (!option || at == FILTERS)
			continue;
		filters[at].option = option;
		filters[at].count++;
	}
	for (size_t i = 0; i < FILTERS && filters[i].count; i++)
		sc_buf_printf(out, ", %zu hidden by --%s", filters[i].count, filters[i].option);
}

static void add_verdict(struct sc_buf *out, const struct sc_report *r)
{
	uint64_t seen[3] = {0};
	size_t count;
	const struct sc_finding *findings = sc_analysis_findings(r->analysis, &count);
	struct sc_hidden_counts hidden = sc_report_hidden(r);

	for (size_t i = 0; i < count; i++)
		seen[findings[i].severity % 3]++;
	sc_buf_add(out, "streamcheck: ");
	sc_words_count(out, seen[SC_ERROR], "error");
	sc_buf_add(out, ", ");
	sc_words_count(out, seen[SC_WARNING], "warning");
	sc_buf_printf(out, ", %" PRIu64 " advice", seen[SC_ADVICE]);
	if (hidden.suppressed)
		sc_buf_printf(out, ", %zu suppressed", hidden.suppressed);
	if (hidden.known)
		sc_buf_printf(out, ", %zu known", hidden.known);
	add_filtered(out, r);
}

static void print_first_line(struct sc_text *t)
{
	struct sc_buf *out = &t->phrase;

	add_verdict(out, t->report);
	sc_buf_add(out, " in ");
	sc_words_seen(out, sc_analysis_coverage(t->report->analysis));
	add_gaps(out, &t->words);
	add_missing(out, t->report->analysis);
	sc_layout_wrap(t->out, t->style, 0, 2, sc_buf_text(out));
	sc_buf_add_char(t->out, '\n');
	sc_buf_clear(out);
}

/* How surely the bytes of the kernels are known. */
static void print_kernels(struct sc_text *t)
{
	sc_buf_add(&t->phrase, "bytes ");
	if (sc_words_launches(&t->phrase, sc_analysis_coverage(t->report->analysis)))
		sc_text_fact(t, "kernels");
	sc_buf_clear(&t->phrase);
}

static void print_windows(struct sc_text *t)
{
	if (sc_words_windows(&t->phrase, sc_analysis_coverage(t->report->analysis)))
		sc_text_fact(t, "windows");
	if (sc_words_cut(&t->phrase, sc_analysis_coverage(t->report->analysis)))
		sc_text_fact(t, "cut");
}

static void print_simulated(struct sc_text *t)
{
	if (sc_words_simulated(&t->phrase, t->report->analysis))
		sc_text_fact(t, "launches");
}

/* Kernels that touch memory which is not known, all in one line. */
static void print_open(struct sc_text *t)
{
	size_t count, named = 0;
	const struct sc_kernel_tally *k = sc_analysis_kernels(t->report->analysis, &count);
	struct sc_buf names = {0};

	for (size_t i = 0; i < count; i++) {
		uint64_t launches = k[i].launches[SC_TALLY_OPEN];

		if (!launches || ++named > OPEN_KERNELS)
			continue;
		sc_buf_add(&names, named > 1 ? "; " : "");
		sc_words_kernel(&names, &t->words, k[i].kernel);
		sc_buf_printf(&names, " (%" PRIu64 " launch%s, %s)", launches,
			      launches == 1 ? "" : "es", sc_analysis_reason_text(k[i].reason));
	}
	if (named > OPEN_KERNELS)
		sc_buf_printf(&names, "; and %zu more", named - OPEN_KERNELS);
	if (named) {
		sc_words_count(&t->phrase, named, "kernel");
		sc_buf_printf(&t->phrase,
			      " also touch%s memory by addresses that neither parameters nor code "
			      "show; races there are not found, or only possible: %s",
			      named == 1 ? "es" : "", sc_buf_text(&names));
		sc_text_fact(t, "not known");
	}
	sc_buf_fini(&names);
}

/* What was left out that is no loss: the first line does not have it. */
static void print_details(struct sc_text *t)
{
	const struct sc_coverage *c = sc_analysis_coverage(t->report->analysis);

	for (unsigned i = 0; i < SC_GAPS; i++) {
		if (!sc_words_gap_detail(&t->phrase, c, i))
			continue;
		if (i == SC_GAP_uncompared_views) {
			sc_buf_add(&t->phrase, "; the first: kernels ");
			sc_words_kernel(&t->phrase, &t->words, c->view_kernels[0]);
			sc_buf_add(&t->phrase, " and ");
			sc_words_kernel(&t->phrase, &t->words, c->view_kernels[1]);
		}
		sc_text_fact(t, "left out");
	}
}

/* Reasons of losses, as the recorder noted them. */
static void print_losses(struct sc_text *t)
{
	size_t count, losses = 0;
	const struct sc_record *notes = sc_analysis_notes(t->report->analysis, &count);

	for (size_t i = 0; i < count; i++) {
		const struct sc_op *op = &notes[i].op;

		if (op->kind != SC_OP_LOST || (++losses > LOSSES_SHOWN && !t->style->is_whole))
			continue;
		sc_words_count(&t->phrase, op->value, "event");
		add_note(&t->phrase, ": ", &notes[i]);
		sc_text_fact(t, "not seen");
	}
	if (losses <= LOSSES_SHOWN || t->style->is_whole)
		return;
	sc_buf_add(&t->phrase, "and ");
	sc_words_count(&t->phrase, losses - LOSSES_SHOWN, "more time");
	sc_text_fact(t, "not seen");
}

/* Calls that failed; the first line has the first. */
static void print_failed(struct sc_text *t)
{
	size_t count, most;
	const struct sc_failed_call *f = sc_analysis_failed_calls(t->report->analysis, &count);

	most = t->style->is_whole || count <= FAILED_SHOWN ? count : FAILED_SHOWN;
	for (size_t i = 0; i < most; i++) {
		sc_words_failed_call(&t->phrase, &t->words, &f[i]);
		sc_text_fact(t, "failed");
	}
	if (most == count)
		return;
	sc_buf_add(&t->phrase, "and calls at ");
	sc_words_count(&t->phrase, count - most, "more place");
	sc_buf_add(&t->phrase, "; --text=all lists them");
	sc_text_fact(t, "failed");
}

static void print_run(struct sc_text *t)
{
	if (sc_words_without_lines(&t->phrase, &t->words))
		sc_text_fact(t, "no lines");
	if (sc_words_config(&t->phrase, &t->words))
		sc_text_fact(t, "options");
	if (sc_analysis_has_exchanged(t->report->analysis)) {
		sc_buf_add(&t->phrase, "--allocators=visible has frameworks take each tensor from "
				       "cudaMallocAsync, not from a pool of their own, with which "
				       "torch.compile(mode=\"reduce-overhead\") ends by an error");
		sc_text_fact(t, "memory");
	}
}

/* The head of a section: which process the findings below it are of. */
static void print_process(struct sc_text *t)
{
	const struct sc_names *names = t->report->names;

	sc_buf_printf(t->out, "\n==== process %" PRIu32, names->process);
	if (names->rank >= 0)
		sc_buf_printf(t->out, ", rank %d", names->rank);
	sc_buf_add(t->out, ": ");
	sc_utf8_add_cut(t->out, names->command, COMMAND_COLUMNS);
	sc_buf_add_char(t->out, '\n');
}

static void print_repair(struct sc_text *t)
{
	if (!sc_words_repair(&t->phrase, &t->words))
		return;
	sc_buf_add_char(t->out, '\n');
	if (!t->report->trace)
		sc_buf_add(&t->phrase, " (FILE: of a run with --trace=FILE)");
	sc_text_fact(t, "repair");
}

static void print_as_above(struct sc_text *t, size_t met)
{
	if (!met)
		return;
	sc_words_count(&t->phrase, met, "finding");
	sc_buf_add(&t->phrase, met == 1 ? " of a process above" : " of processes above");
	sc_text_fact(t, "also");
}

/* Marks the findings that another process of the run had; returns how many these are. */
static size_t mark_met(struct sc_text *t, struct sc_joint *joint)
{
	struct sc_fingerprints prints;
	size_t met = 0;

	sc_fingerprints_init(&prints, t->report);
	t->is_met = sc_heap_xcalloc(prints.count + 1, sizeof(*t->is_met));
	for (size_t i = 0; i < prints.count; i++) {
		uint64_t *place = sc_u64_map_get(&joint->ids, prints.items[i]);

		t->is_met[i] = *place && *place != joint->processes + 1;
		met += t->is_met[i];
		*place = *place ?: joint->processes + 1;
	}
	sc_fingerprints_fini(&prints);
	return met;
}

/* True if so many processes have sections that this one has none: without a finding of its own, or
 * after the end of the page. */
static bool is_left_out(const struct sc_text *t, const struct sc_joint *joint, size_t met)
{
	size_t count, lines = sc_text_count_lines(sc_buf_text(&joint->parts));

	sc_analysis_findings(t->report->analysis, &count);
	if (t->style->is_whole || joint->expected <= SECTIONS_ALL)
		return 0;
	return met == count || lines >= SC_TEXT_PAGE;
}

/* Of the page that the processes of a run share; each has room to say what was found. */
static size_t lines_left(const struct sc_joint *joint)
{
	size_t used = sc_text_count_lines(sc_buf_text(&joint->parts));

	return used + PROCESS_LINES < SC_TEXT_PAGE ? SC_TEXT_PAGE - used : PROCESS_LINES;
}

static void print_findings(struct sc_text *t, struct sc_joint *joint, size_t met)
{
	size_t count;

	sc_analysis_findings(t->report->analysis, &count);
	if (!met || met < count) {
		sc_text_findings(t, lines_left(joint));
		print_repair(t);
	}
	print_as_above(t, met);
}

void sc_report_text(struct sc_joint *joint, const struct sc_report *r,
		    const struct sc_report_style *style)
{
	struct sc_text t = {.out = &joint->parts, .report = r, .style = style};
	size_t met = 0;

	if (sc_joint_is_many(joint) && !style->is_whole)
		met = mark_met(&t, joint);
	if (sc_joint_is_many(joint) && is_left_out(&t, joint, met)) {
		joint->counts[LEFT_OUT]++;
		free(t.is_met);
		return;
	}
	if (sc_joint_is_many(joint))
		print_process(&t);
	else if (r->verified)
		sc_verified_print(t.out, r->verified, style);
	sc_words_init(&t.words, r, style->directory);
	print_first_line(&t);
	print_windows(&t);
	print_simulated(&t);
	print_kernels(&t);
	print_open(&t);
	print_details(&t);
	print_losses(&t);
	print_failed(&t);
	print_run(&t);
	print_findings(&t, joint, met);
	free(t.is_met);
	sc_buf_fini(&t.phrase);
}

void sc_report_finish_text(struct sc_buf *out, const struct sc_joint *j)
{
	sc_buf_add(out, j->summary ? j->summary : "");
	sc_joint_copy(out, j);
	if (j->counts[LEFT_OUT]) {
		sc_buf_add(out, "\n==== ");
		sc_buf_printf(out,
			      "%" PRIu64 " more process%s; --text=all "
			      "shows each\n",
			      j->counts[LEFT_OUT], j->counts[LEFT_OUT] == 1 ? "" : "es");
	}
}
