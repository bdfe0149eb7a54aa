/* Judge: hides suppressed, known and filtered findings, then applies the gate to the rest. */
#include "cmds/judge/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "analyzer/analysis.h"
#include "base/message.h"
#include "cmds/judge/generated.h"
#include "cmds/judge/suppress.h"
#include "reports/sources/library.h"

#define COMMENTS_ALL 2 /* of option `comments` */
#define INSIDE	     "one call of CUDA does all of it by itself"

static void read_suppressions(struct sc_judge *j)
{
	char message[512] = "";

	for (unsigned i = 0; i < j->options->suppressions.count; i++)
		if (sc_suppressions_read(&j->suppressions, j->options->suppressions.text[i],
					 message, sizeof(message)))
			sc_die("suppressions: %s", message);
}

void sc_judge_init(struct sc_judge *j, const struct sc_options *o)
{
	char message[512] = "";

	*j = (struct sc_judge){.options = o, .today = sc_suppression_today()};
	if (sc_gate_parse(&j->gate, o->fail_on, message, sizeof(message)) ||
	    sc_budget_parse(&j->budget, o->budget, message, sizeof(message)) ||
	    sc_filter_init(&j->filter, o, message, sizeof(message)))
		sc_die("%s", message);
	if (*o->baseline && sc_known_read(&j->known, o->baseline, message, sizeof(message)))
		sc_die("baseline: %s", message);
	read_suppressions(j);
	j->suppressions.reads_comments = o->comments != 0;
}

void sc_judge_fini(struct sc_judge *j)
{
	sc_suppressions_fini(&j->suppressions);
	sc_known_fini(&j->known);
	sc_filter_fini(&j->filter);
	sc_vector_fini(&j->hidden);
	sc_buf_fini(&j->generated);
}

/* One report being sorted out. */
struct sorting {
	struct sc_judge *judge;
	const struct sc_report *report;
	const struct sc_fingerprints *prints;
};

static void hide(struct sorting *s, size_t index, struct sc_hidden hidden)
{
	hidden.fingerprint = index < s->prints->count ? s->prints->items[index] : 0;
	sc_vector_push(&s->judge->hidden, hidden);
}

static void generate(struct sc_judge *j, const struct sc_report *r, const struct sc_finding *f)
{
	struct sc_buf entry = {0};

	sc_suppress_print(&entry, r, f, j->options);
	sc_generated_add(&j->generated, sc_buf_text(&entry));
	sc_buf_fini(&entry);
}

static bool is_wanted(void *context, size_t index, const struct sc_finding *f)
{
	struct sorting *s = context;
	struct sc_judge *j = s->judge;
	struct sc_suppression *by = sc_suppress_find(&j->suppressions, s->report, f, j->today);
	struct sc_hidden hidden = {.finding = *f};

	if (sc_library_is_inside(s->report, f)) {
		hidden.reason = INSIDE;
		hide(s, index, hidden);
		return 0;
	}
	if (f->suppression) {
		hidden.reason = sc_analysis_suppression_reason(s->report->analysis, f);
		hidden.is_in_source = 1;
		hide(s, index, hidden);
		return 0;
	}
	if (by) {
		by->used++;
		hidden.reason = by->reason;
		hidden.is_in_source = by->is_in_source;
		hide(s, index, hidden);
		return 0;
	}
	if (index < s->prints->count && sc_known_match(&j->known, s->prints->items[index])) {
		hide(s, index, hidden);
		return 0;
	}
	/* last, so that a suppression or a baseline is used as without filters */
	hidden.filter = sc_filter_hides(&j->filter, s->report, f);
	if (hidden.filter) {
		hide(s, index, hidden);
		return 0;
	}
	j->failures += sc_gate_fails(&j->gate, f);
	if (sc_generated_is_asked(j->options->gen_suppressions))
		generate(j, s->report, f);
	return 1;
}

void sc_judge_report(struct sc_judge *j, struct sc_report *r, struct sc_analysis *a,
		     struct sc_reader *reader, const struct sc_fingerprints *prints)
{
	struct sorting sorting = {j, r, prints};

	j->has_work |= sc_coverage_has_work(sc_analysis_coverage(a));
	if (j->budget.is_set)
		sc_budget_count(&j->budget, reader);
	if (j->options->comments)
		sc_suppress_read_calls(&j->suppressions, r, j->options->comments == COMMENTS_ALL);
	sc_vector_clear(&j->hidden);
	sc_analysis_take_out(a, is_wanted, &sorting);
	r->hidden = j->hidden.items;
	r->hidden_count = j->hidden.count;
}

bool sc_judge_hides(struct sc_judge *j, const struct sc_report *r, const struct sc_finding *f)
{
	return sc_library_is_inside(r, f) || f->suppression ||
	       sc_suppress_find(&j->suppressions, r, f, j->today) ||
	       sc_filter_hides(&j->filter, r, f);
}

void sc_judge_row(struct sc_judge *j, unsigned rule, unsigned severity, unsigned confidence)
{
	const struct sc_finding f = {.rule = (uint16_t)rule,
				     .severity = (uint8_t)severity,
				     .confidence = (uint8_t)confidence};

	j->failures += sc_gate_fails(&j->gate, &f);
}

/* Returns how many suppressions have expired. */
static unsigned warn_of_suppressions(const struct sc_judge *j)
{
	unsigned expired = 0;

	for (size_t i = 0; i < j->suppressions.list.count; i++) {
		const struct sc_suppression *s = &j->suppressions.list.items[i];

		if (sc_suppression_has_expired(s, j->today)) {
			sc_warn("%s:%u: the suppression [%s] expired on %04" PRIu32 "-%02" PRIu32
				"-%02" PRIu32 " and hides nothing any more",
				s->file, s->line, s->reason, s->expires / 10000,
				s->expires / 100 % 100, s->expires % 100);
			expired++;
		} else if (!s->used && s->is_in_source) {
			sc_warn("%s:%u: the comment that ignores %s hid nothing", s->file, s->line,
				s->match[SC_PATTERN_rule]);
		} else if (!s->used) {
			sc_warn("%s:%u: the suppression [%s] was not used", s->file, s->line,
				s->reason);
		}
	}
	return expired;
}

static unsigned warn_of_budget(const struct sc_judge *j)
{
	struct sc_buf lines = {0};
	unsigned passed = sc_budget_print_passed(&lines, &j->budget);

	for (const char *line = sc_buf_text(&lines); *line; line += strcspn(line, "\n") + 1)
		sc_warn("%.*s", (int)strcspn(line, "\n"), line);
	sc_buf_fini(&lines);
	return passed;
}

bool sc_judge_finish(struct sc_judge *j)
{
	unsigned expired = warn_of_suppressions(j), passed = warn_of_budget(j);
	int err;

	if (j->known.count > j->known.matched)
		sc_warn("%s: %zu of %zu findings of the baseline no longer occur; if they are "
			"fixed, write the file again with streamcheck baseline",
			j->options->baseline, j->known.count - j->known.matched, j->known.count);
	err = sc_generated_write(&j->generated, j->options->gen_suppressions);
	if (err && err != -EPIPE)
		sc_die("cannot write suppressions to %s: %s",
		       strcmp(j->options->gen_suppressions, "yes") != 0
			       ? j->options->gen_suppressions
			       : "standard output",
		       strerror(-err));
	return j->failures || passed || (expired && j->options->fail_on_expired);
}

bool sc_judge_saw_no_cuda(const struct sc_judge *j)
{
	return j->options->require_cuda && !j->has_work;
}
