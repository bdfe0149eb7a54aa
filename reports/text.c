/* The text report: for people, calm, complete enough to mend the bug from the first screen. */
#include "reports/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/vector.h"
#include "reports/facts.h"
#include "reports/group.h"
#include "reports/site.h"
#include "reports/text_layout.h"
#include "reports/text_stack.h"
#include "reports/utf8.h"
#include "reports/verified.h"
#include "reports/words.h"
#include "reports/words_coverage.h"
#include "reports/words_run.h"

#define COMMAND_COLUMNS 120
#define OPEN_KERNELS	10 /* that are named */
#define ALIKE_LEAST	3  /* pieces of advice of one rule that become a list */
#define ALIKE_LINES	10 /* of such a list */
#define RULE_NUMBERS	1000

struct text {
	struct sc_buf *out;
	const struct sc_report *report;
	const struct sc_report_style *style;
	struct sc_words words;
	struct sc_groups groups;
	struct sc_buf phrase; /* the line under construction */
};

static void print_fact(struct text *t, const char *label)
{
	sc_layout_fact(t->out, t->style, label, sc_buf_text(&t->phrase));
	sc_buf_clear(&t->phrase);
}

/* Severity, id, slug, what happened, how sure: one line. */
static void print_headline(struct text *t, const struct sc_finding *f)
{
	static const enum sc_paint paints[] = {
		[SC_ADVICE] = SC_PAINT_ADVICE,
		[SC_WARNING] = SC_PAINT_WARNING,
		[SC_ERROR] = SC_PAINT_ERROR,
	};
	const struct sc_rule_row *rule = sc_rule_find(f->rule);
	const char *severity = sc_severity_text(f->severity);

	size_t used;

	sc_buf_printf(&t->phrase, "%s SC-%u", severity, f->rule);
	used = t->phrase.bytes;
	sc_layout_paint(t->out, t->style, paints[f->severity % 3], t->phrase.text);
	sc_buf_clear(&t->phrase);
	sc_buf_printf(&t->phrase, "%s: %s", rule ? rule->slug : "unknown-rule",
		      rule ? rule->summary : "unknown rule");
	sc_buf_printf(&t->phrase, " [%s]", sc_words_confidence(f->confidence));
	sc_layout_begin(t->out, t->style, SC_PAINT_STRONG);
	sc_buf_add_char(t->out, ' ');
	sc_layout_wrap(t->out, t->style, used + 1, 2, t->phrase.text);
	sc_layout_end(t->out, t->style);
	sc_buf_clear(&t->phrase);
	sc_buf_add_char(t->out, '\n');
}

static void print_side(struct text *t, const struct sc_finding *f, unsigned i)
{
	static const char *const labels[] = {"first", "then"};
	const struct sc_side *side = &f->side[i];
	const struct sc_record *record = sc_analysis_record(t->report->analysis, side->op);
	struct sc_buf known = {0};

	if (!record) {
		sc_buf_printf(&t->phrase, "operation %" PRIu64, side->op);
		print_fact(t, f->sides > 1 ? labels[i] : "where");
		return;
	}
	sc_words_op(&t->phrase, &t->words, record);
	if (f->sides > 1 && f->side[0].thread && f->side[1].thread &&
	    f->side[0].thread != f->side[1].thread) {
		sc_buf_printf(&t->phrase, ", in thread %" PRIu32, side->thread);
		sc_words_name(&t->phrase,
			      sc_reader_name(t->report->reader, SC_NAMES_THREAD, side->thread));
	}
	if (sc_words_known(&known, &t->words, side))
		sc_buf_printf(&t->phrase, "; its bytes: %s", sc_buf_text(&known));
	sc_buf_fini(&known);
	print_fact(t, f->sides > 1 ? labels[i] : "where");
	sc_text_print_stack(t->out, t->report, t->style, &record->op);
	if (i + 1 == f->sides || side->launch != f->side[1].launch)
		if (sc_words_launch(&t->phrase, &t->words, side))
			print_fact(t, "launch");
}

/* Where the streams of the two sides were made, so that numbers become variables. */
static void print_streams(struct text *t, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++) {
		const struct sc_named *s = sc_names_stream(t->report->names, f->side[i].stream);
		const struct sc_frame *frame;
		struct sc_report_site site;

		if (!s || !s->stack || (i && f->side[1].stream == f->side[0].stream) ||
		    s->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD))
			continue;
		sc_site_of_stack(&site, t->report, s->stack);
		frame = sc_site_frame(&site);
		if (!frame)
			continue;
		sc_buf_printf(&t->phrase, "%sstream %" PRIu32 " was created at ",
			      t->phrase.bytes ? "; " : "", f->side[i].stream);
		sc_site_add_place(&t->phrase, frame, t->style->directory);
	}
	if (t->phrase.bytes)
		print_fact(t, "streams");
}

static void print_causes(struct text *t, const struct sc_finding *f)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++) {
		const struct sc_rule_row *rule = sc_rule_find(f->causes[i]);

		if (!f->causes[i] || !rule)
			continue;
		sc_buf_printf(&t->phrase, "SC-%u %s: %s", f->causes[i], rule->slug, rule->summary);
		print_fact(t, "cause");
	}
}

static void print_count(struct text *t, const struct sc_finding *f)
{
	if (f->count < 2)
		return;
	sc_words_count(&t->phrase, f->count, "time");
	print_fact(t, "seen");
}

/* The command that decides a finding, and where its trace comes from. */
static void add_command(struct text *t)
{
	sc_words_verify_command(&t->phrase, &t->words);
	if (!t->report->trace)
		sc_buf_add(&t->phrase, " (FILE: of a run with --trace=FILE)");
}

static void print_finding(struct text *t, const struct sc_finding *f)
{
	sc_words_set_finding(&t->words, f);
	print_headline(t, f);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		print_side(t, f, i);
	if (sc_words_bytes(&t->phrase, &t->words, f))
		print_fact(t, "bytes");
	if (sc_words_fault(&t->phrase, &t->words, f))
		print_fact(t, "fault");
	print_streams(t, f);
	if (sc_words_reach(&t->phrase, &t->words, f))
		print_fact(t, "order");
	if (sc_words_timing(&t->phrase, &t->words, f))
		print_fact(t, "timing");
	if (sc_words_trial(&t->phrase, &t->words, f))
		print_fact(t, "reruns");
	print_causes(t, f);
	if (sc_words_doubt(&t->phrase, &t->words, f))
		print_fact(t, "doubt");
	if (sc_words_can_verify(&t->words, f)) {
		add_command(t);
		print_fact(t, "decide");
	}
	print_count(t, f);
	if (sc_words_cost(&t->phrase, &t->words, f))
		print_fact(t, "cost");
	sc_words_fix(&t->phrase, &t->words, f);
	print_fact(t, "fix");
	sc_words_explain(&t->phrase, &t->words, f);
	print_fact(t, "explain");
}

/* How many findings and how often, if more than one or once. */
static void add_group_count(struct text *t, const struct sc_group *g)
{
	const char *before = " (";

	if (g->findings > 1) {
		sc_buf_add(&t->phrase, before);
		sc_words_count(&t->phrase, g->findings, "finding");
		before = ", ";
	}
	if (g->count > g->findings) {
		sc_buf_printf(&t->phrase, "%sseen ", before);
		sc_words_count(&t->phrase, g->count, "time");
		before = ", ";
	}
	sc_buf_add(&t->phrase, *before == ',' ? ")" : "");
}

static void print_group(struct text *t, const struct sc_finding *f, const struct sc_group *g)
{
	char label[16];

	sc_words_set_finding(&t->words, f);
	sc_group_describe(&t->phrase, &t->words, f);
	add_group_count(t, g);
	snprintf(label, sizeof(label), "SC-%u", f->rule);
	print_fact(t, label);
}

/* What else than a run that records the bytes would decide, for each framework once. */
static void print_deciding(struct text *t, const struct sc_finding *all)
{
	SC_VECTOR(const char *) met = {0};
	size_t at;

	sc_buf_add(&t->phrase, "which bytes these kernels touch is recorded by ");
	add_command(t);
	for (size_t i = 0; i < t->groups.list.count; i++) {
		sc_words_set_finding(&t->words, &all[t->groups.list.items[i].first]);
		for (at = 0; at < met.count; at++)
			if (!strcmp(met.items[at], t->words.dialect->knowing))
				break;
		if (at < met.count)
			continue;
		sc_vector_push(&met, t->words.dialect->knowing);
		sc_buf_printf(&t->phrase, "; %s", t->words.dialect->knowing);
	}
	sc_vector_fini(&met);
	print_fact(t, "decide");
}

/* The findings that lack a kernel's code, which come one after the other: a line for each group. */
static void print_groups(struct text *t, const struct sc_finding *all)
{
	const struct sc_group *g = t->groups.list.items;
	size_t first = g[0].first + 1;

	sc_buf_add(t->out, "\n");
	sc_words_count(&t->phrase, t->groups.findings, "possible finding");
	sc_buf_add(&t->phrase, " about kernels without PTX: each gets a pointer to the memory; "
			       "whether it uses it, and for which bytes, is not known");
	sc_layout_begin(t->out, t->style, SC_PAINT_STRONG);
	sc_layout_wrap(t->out, t->style, 0, 2, sc_buf_text(&t->phrase));
	sc_layout_end(t->out, t->style);
	sc_buf_clear(&t->phrase);
	sc_buf_add_char(t->out, '\n');
	for (size_t i = 0; i < t->groups.list.count; i++)
		print_group(t, &all[g[i].first], &g[i]);
	print_deciding(t, all);
	sc_buf_printf(&t->phrase, "streamcheck explain %zu ", first);
	sc_words_trace(&t->phrase, &t->words);
	if (t->groups.findings > 1)
		sc_buf_printf(&t->phrase, ", up to %zu, says all about one of them",
			      first + t->groups.findings - 1);
	print_fact(t, "explain");
}

/* How many pieces of advice a rule has; rules' numbers have three digits. */
struct advice {
	size_t of[RULE_NUMBERS];
	bool is_shown[RULE_NUMBERS]; /* the first of them */
};

static void count_advice(struct advice *a, const struct sc_finding *f, size_t count)
{
	for (size_t i = 0; i < count; i++)
		a->of[f[i].rule % RULE_NUMBERS] += f[i].severity == SC_ADVICE;
}

static void print_also(struct text *t, const struct sc_finding *f)
{
	sc_words_set_finding(&t->words, f);
	sc_group_describe(&t->phrase, &t->words, f);
	add_group_count(t, &(struct sc_group){.findings = 1, .count = f->count});
	print_fact(t, "also");
}

/* What the finding `first` says holds for all places of its rule: they get a line each. */
static void print_alike(struct text *t, const struct sc_finding *f, size_t first, size_t alike)
{
	size_t lines = 0;

	for (size_t i = first + 1; lines < alike - 1 && lines < ALIKE_LINES; i++)
		if (f[i].severity == SC_ADVICE && f[i].rule == f[first].rule) {
			print_also(t, &f[i]);
			lines++;
		}
	if (alike - 1 == lines)
		return;
	sc_words_count(&t->phrase, alike - 1 - lines, "more place");
	sc_buf_add(&t->phrase, ", listed in HTML and JSON reports");
	print_fact(t, "also");
}

/* Advice whose rule has many is a list below the first one. */
static void print_advice(struct text *t, struct advice *a, const struct sc_finding *f, size_t at)
{
	size_t rule = f[at].rule % RULE_NUMBERS;
	bool is_list = a->of[rule] >= ALIKE_LEAST;

	if (is_list && a->is_shown[rule])
		return;
	sc_buf_add_char(t->out, '\n');
	print_finding(t, &f[at]);
	if (is_list)
		print_alike(t, f, at, a->of[rule]);
	a->is_shown[rule] = 1;
}

static void print_findings(struct text *t)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(t->report->analysis, &count);
	struct advice advice = {0};

	count_advice(&advice, f, count);
	sc_groups_init(&t->groups, &t->words);
	for (size_t i = 0; i < count; i++) {
		if (t->groups.of[i]) {
			if (t->groups.list.items[0].first == i)
				print_groups(t, f);
		} else if (f[i].severity == SC_ADVICE) {
			print_advice(t, &advice, f, i);
		} else {
			sc_buf_add_char(t->out, '\n');
			print_finding(t, &f[i]);
		}
	}
	sc_groups_fini(&t->groups);
}

static void add_gaps(struct sc_buf *out, const struct sc_analysis *a)
{
	bool is_complete = sc_analysis_complete(a);
	struct sc_buf gaps = {0};

	if (sc_words_gaps(&gaps, sc_analysis_coverage(a)))
		sc_buf_printf(out, "; %s: %s", is_complete ? "note" : "incomplete", gaps.text);
	else
		sc_buf_add(out, is_complete ? "; nothing lost" : "; incomplete");
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

static void add_verdict(struct sc_buf *out, const struct sc_report *r)
{
	uint64_t seen[3] = {0};
	size_t count;
	const struct sc_finding *findings = sc_analysis_findings(r->analysis, &count);

	for (size_t i = 0; i < count; i++)
		seen[findings[i].severity % 3]++;
	sc_buf_add(out, "streamcheck: ");
	sc_words_count(out, seen[SC_ERROR], "error");
	sc_buf_add(out, ", ");
	sc_words_count(out, seen[SC_WARNING], "warning");
	sc_buf_printf(out, ", %" PRIu64 " advice", seen[SC_ADVICE]);
	if (sc_report_suppressed(r))
		sc_buf_printf(out, ", %zu suppressed", sc_report_suppressed(r));
	if (r->hidden_count > sc_report_suppressed(r))
		sc_buf_printf(out, ", %zu known", r->hidden_count - sc_report_suppressed(r));
}

static void print_first_line(struct text *t)
{
	struct sc_buf *out = &t->phrase;

	add_verdict(out, t->report);
	sc_buf_add(out, " in ");
	sc_words_seen(out, sc_analysis_coverage(t->report->analysis));
	add_gaps(out, t->report->analysis);
	add_missing(out, t->report->analysis);
	sc_layout_wrap(t->out, t->style, 0, 2, sc_buf_text(out));
	sc_buf_add_char(t->out, '\n');
	sc_buf_clear(out);
}

/* How surely the bytes of the kernels are known. */
static void print_kernels(struct text *t)
{
	sc_buf_add(&t->phrase, "bytes ");
	if (sc_words_launches(&t->phrase, sc_analysis_coverage(t->report->analysis)))
		print_fact(t, "kernels");
	sc_buf_clear(&t->phrase);
}

static void print_simulated(struct text *t)
{
	if (sc_words_simulated(&t->phrase, t->report->analysis))
		print_fact(t, "launches");
}

/* Kernels that touch memory which is not known, all in one line. */
static void print_open(struct text *t)
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
		print_fact(t, "not known");
	}
	sc_buf_fini(&names);
}

/* What was left out that is no loss: the first line does not have it. */
static void print_details(struct text *t)
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
		print_fact(t, "left out");
	}
}

/* Reasons of losses, as the recorder noted them. */
static void print_losses(struct text *t)
{
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(t->report->analysis, &count);

	for (size_t i = 0; i < count; i++) {
		const struct sc_op *op = &notes[i].op;

		if (op->kind != SC_OP_LOST)
			continue;
		sc_words_count(&t->phrase, op->value, "event");
		add_note(&t->phrase, ": ", &notes[i]);
		print_fact(t, "not seen");
	}
}

static void print_run(struct text *t)
{
	if (sc_words_without_lines(&t->phrase, &t->words))
		print_fact(t, "no lines");
	if (sc_words_config(&t->phrase, &t->words))
		print_fact(t, "options");
}

/* The head of a section: which process the findings below it are of. */
static void print_process(struct text *t)
{
	const struct sc_names *names = t->report->names;

	sc_buf_printf(t->out, "\n==== process %" PRIu32, names->process);
	if (names->rank >= 0)
		sc_buf_printf(t->out, ", rank %d", names->rank);
	sc_buf_add(t->out, ": ");
	sc_utf8_add_cut(t->out, names->command, COMMAND_COLUMNS);
	sc_buf_add_char(t->out, '\n');
}

static void print_repair(struct text *t)
{
	if (!t->report->repair)
		return;
	sc_buf_add_char(t->out, '\n');
	sc_buf_printf(&t->phrase, "%s: streamcheck repair ", t->report->repair);
	sc_words_trace(&t->phrase, &t->words);
	if (!t->report->trace)
		sc_buf_add(&t->phrase, " (FILE: of a run with --trace=FILE)");
	print_fact(t, "repair");
}

void sc_report_text(struct sc_joint *joint, const struct sc_report *r,
		    const struct sc_report_style *style)
{
	struct text t = {.out = &joint->parts, .report = r, .style = style};

	if (sc_joint_is_many(joint))
		print_process(&t);
	else if (r->verified)
		sc_verified_print(t.out, r->verified, style);
	sc_words_init(&t.words, r, style->directory);
	print_first_line(&t);
	print_simulated(&t);
	print_kernels(&t);
	print_open(&t);
	print_details(&t);
	print_losses(&t);
	print_run(&t);
	print_findings(&t);
	print_repair(&t);
	sc_buf_fini(&t.phrase);
}

void sc_report_finish_text(struct sc_buf *out, const struct sc_joint *j)
{
	sc_buf_add(out, j->summary ? j->summary : "");
	sc_joint_copy(out, j);
}
