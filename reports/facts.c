/* Facts about findings, for formats that print lines. */
#include "reports/facts.h"

#include <inttypes.h>
#include <stdbool.h>
#include "reports/sources/site.h"
#include "reports/utf8.h"

enum sc_loudness sc_facts_loudness_of(unsigned severity, unsigned confidence)
{
	if (severity == SC_ADVICE)
		return SC_LOUD_NOTE;
	return severity == SC_ERROR && confidence == SC_PROVEN ? SC_LOUD_ERROR : SC_LOUD_WARNING;
}

enum sc_loudness sc_facts_loudness(const struct sc_finding *f)
{
	return sc_facts_loudness_of(f->severity, f->confidence);
}

void sc_facts_line_place(struct sc_buf *out, const char *file, unsigned line, unsigned column)
{
	if (!line || !*file) {
		sc_buf_add(out, "streamcheck: ");
		return;
	}
	sc_utf8_add_clean(out, file);
	sc_buf_printf(out, ":%u:", line);
	if (column)
		sc_buf_printf(out, "%u:", column);
	sc_buf_add_char(out, ' ');
}

void sc_facts_line_loudness(struct sc_buf *out, enum sc_loudness loudness)
{
	static const char *const words[] = {
		[SC_LOUD_NOTE] = "note",
		[SC_LOUD_WARNING] = "warning",
		[SC_LOUD_ERROR] = "error",
	};

	sc_buf_printf(out, "%s: ", words[loudness]);
}

const struct sc_frame *sc_facts_frame(const struct sc_report *r, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(r->analysis, op);
	const struct sc_frame *frames;
	struct sc_report_site site;

	if (!record)
		return NULL;
	sc_site_of(&site, r, &record->op);
	frames = site.frames; /* they live as long as the symbols */
	for (size_t i = site.user; i < site.count; i++)
		if (!frames[i].is_internal && frames[i].line)
			return &frames[i];
	return sc_site_frame(&site);
}

static bool has_line(const struct sc_report *r, uint64_t op)
{
	const struct sc_frame *frame = sc_facts_frame(r, op);

	return frame && frame->line && *frame->file;
}

unsigned sc_facts_side(const struct sc_report *r, const struct sc_finding *f)
{
	if (f->sides < 2)
		return 0;
	return !has_line(r, f->side[1].op) && has_line(r, f->side[0].op) ? 0 : 1;
}

static void add_op(struct sc_buf *out, const struct sc_words *w, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, op);

	if (record)
		sc_words_op(out, w, record);
	else
		sc_buf_printf(out, "operation %" PRIu64, op);
}

void sc_facts_place(struct sc_buf *out, const struct sc_words *w, uint64_t op)
{
	const struct sc_frame *frame = sc_facts_frame(w->report, op);

	if (frame)
		sc_site_add_place(out, frame, w->directory);
	else
		sc_words_place(out, w, op);
}

void sc_facts_message(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);
	unsigned side = sc_facts_side(w->report, f);

	sc_buf_printf(out, "%s: ", rule ? rule->summary : "unknown rule");
	add_op(out, w, f->side[side].op);
	if (f->sides < 2)
		return;
	sc_buf_add(out, rule && rule->kind == SC_RULE_BASE ? "; not ordered with " : "; see ");
	add_op(out, w, f->side[!side].op);
	sc_buf_add(out, " at ");
	sc_facts_place(out, w, f->side[!side].op);
}

/* Where the facts of one finding go. */
struct facts {
	const struct sc_words *words;
	const struct sc_finding *finding;
	sc_fact_fn *take;
	void *to;
	struct sc_buf text;
};

static void add_fact(struct facts *all, uint64_t op_plus, const char *label)
{
	all->take(all->to, op_plus, label, sc_buf_text(&all->text));
	sc_buf_clear(&all->text);
}

static void add_other_side(struct facts *all)
{
	const struct sc_finding *f = all->finding;
	unsigned other = !sc_facts_side(all->words->report, f);

	if (f->sides < 2)
		return;
	add_op(&all->text, all->words, f->side[other].op);
	add_fact(all, f->side[other].op + 1, other ? "then" : "first");
}

static void add_causes(struct facts *all)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++) {
		const struct sc_rule_row *rule = sc_rule_find(all->finding->causes[i]);

		if (!rule)
			continue;
		sc_buf_printf(&all->text, "SC-%d %s: %s", rule->rule, rule->slug, rule->summary);
		add_fact(all, 0, "cause");
	}
}

static void add_objects(struct facts *all)
{
	const char *label;

	for (size_t k = 0; sc_words_objects(&all->text, all->words, all->finding, k, &label); k++)
		if (all->text.bytes)
			add_fact(all, 0, label);
}

void sc_facts_each(const struct sc_words *w, const struct sc_finding *f, sc_fact_fn *take, void *to)
{
	struct facts all = {.words = w, .finding = f, .take = take, .to = to};

	add_other_side(&all);
	if (sc_words_bytes(&all.text, w, f))
		add_fact(&all, f->allocation, "bytes");
	if (sc_words_fault(&all.text, w, f))
		add_fact(&all, f->fault, "fault");
	if (sc_words_ranks(&all.text, w, f))
		add_fact(&all, 0, "ranks");
	add_objects(&all);
	if (sc_words_reach(&all.text, w, f))
		add_fact(&all, f->reach_op, "order");
	if (sc_words_timing(&all.text, w, f))
		add_fact(&all, 0, "timing");
	if (sc_words_trial(&all.text, w, f))
		add_fact(&all, 0, "reruns");
	add_causes(&all);
	if (sc_words_doubt(&all.text, w, f))
		add_fact(&all, 0, "doubt");
	if (f->count > 1) {
		sc_words_count(&all.text, f->count, "time");
		add_fact(&all, 0, "seen");
	}
	if (sc_words_cost(&all.text, w, f))
		add_fact(&all, 0, "cost");
	sc_words_fix(&all.text, w, f);
	add_fact(&all, f->fix_before, "fix");
	if (w->report->trace) {
		sc_words_explain(&all.text, w, f);
		add_fact(&all, 0, "explain");
	}
	sc_buf_fini(&all.text);
}
