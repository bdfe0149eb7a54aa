/* A finding in the text report: its facts in an order that does not change, fewer where the place
 * is scarce. */
#include "reports/text/text_finding.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "reports/group.h"
#include "reports/sources/site.h"
#include "reports/text/text_layout.h"
#include "reports/text/text_stack.h"

void sc_text_fact(struct sc_text *t, const char *label)
{
	sc_layout_fact(t->out, t->style, label, sc_buf_text(&t->phrase));
	sc_buf_clear(&t->phrase);
}

/* Severity, id, slug, what happened, how sure: one line. */
static void print_headline(struct sc_text *t, const struct sc_finding *f)
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

static void print_side(struct sc_text *t, const struct sc_finding *f, unsigned i, unsigned frames)
{
	static const char *const labels[] = {"first", "then"};
	const struct sc_side *side = &f->side[i];
	const struct sc_record *record = sc_analysis_record(t->report->analysis, side->op);
	struct sc_buf known = {0};

	if (!record) {
		sc_buf_printf(&t->phrase, "operation %" PRIu64, side->op);
		sc_text_fact(t, f->sides > 1 ? labels[i] : "where");
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
	sc_text_fact(t, f->sides > 1 ? labels[i] : "where");
	sc_text_print_stack(t->out, t->report, t->style, &record->op, frames);
	if (i + 1 == f->sides || side->launch != f->side[1].launch)
		if (sc_words_launch(&t->phrase, &t->words, side))
			sc_text_fact(t, "launch");
}

/* Where streams, events and graphs were made, so that numbers become variables. */
static void print_objects(struct sc_text *t, const struct sc_finding *f)
{
	const char *label;

	for (size_t k = 0; sc_words_objects(&t->phrase, &t->words, f, k, &label); k++)
		if (t->phrase.bytes)
			sc_text_fact(t, label);
}

static void print_causes(struct sc_text *t, const struct sc_finding *f)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++) {
		const struct sc_rule_row *rule = sc_rule_find(f->causes[i]);

		if (!f->causes[i] || !rule)
			continue;
		sc_buf_printf(&t->phrase, "SC-%u %s: %s", f->causes[i], rule->slug, rule->summary);
		sc_text_fact(t, "cause");
	}
}

static void print_count(struct sc_text *t, const struct sc_finding *f)
{
	if (f->count < 2)
		return;
	sc_words_times(&t->phrase, f);
	sc_text_fact(t, "seen");
}

/* The command that decides a finding, and where its trace comes from. */
void sc_text_add_command(struct sc_text *t)
{
	size_t from = t->phrase.bytes;

	sc_words_verify_command(&t->phrase, &t->words);
	sc_layout_keep(&t->phrase, from);
	if (!t->report->trace)
		sc_buf_add(&t->phrase, " (FILE: of a run with --trace=FILE)");
	if (t->open > 1)
		sc_buf_printf(&t->phrase, " (decides all %zu such findings)", t->open);
}

void sc_text_add_count(struct sc_text *t, size_t findings, uint64_t count)
{
	const char *before = " (";

	if (findings > 1) {
		sc_buf_add(&t->phrase, before);
		sc_words_count(&t->phrase, findings, "finding");
		before = ", ";
	}
	if (count > findings) {
		sc_buf_printf(&t->phrase, "%sseen ", before);
		sc_words_count(&t->phrase, count, "time");
		before = ", ";
	}
	sc_buf_add(&t->phrase, *before == ',' ? ")" : "");
}

static void print_follower(struct sc_text *t, const struct sc_finding *f)
{
	char label[16];

	sc_buf_printf(&t->phrase, "finding %" PRIu32 ", ", f->number);
	sc_words_set_finding(&t->words, f);
	sc_group_describe(&t->phrase, &t->words, f);
	sc_text_add_count(t, 1, f->count);
	if (f->confidence != SC_PROVEN)
		sc_buf_printf(&t->phrase, " [%s]", sc_words_confidence(f->confidence));
	snprintf(label, sizeof(label), "SC-%u", f->rule);
	sc_text_fact(t, label);
}

/* What the same missing order leads to as well. */
static void print_followers(struct sc_text *t, const struct sc_finding *const *list, size_t count,
			    size_t most)
{
	size_t shown = count <= most ? count : most - 1;

	if (!count)
		return;
	sc_words_count(&t->phrase, count, "more finding");
	sc_buf_printf(&t->phrase, " for the same reason, which the same fix ends%s",
		      shown ? ":" : "");
	sc_text_fact(t, "also");
	for (size_t i = 0; i < shown; i++)
		print_follower(t, list[i]);
	if (shown && shown < count) {
		sc_buf_printf(&t->phrase, "and %zu more", count - shown);
		sc_text_fact(t, "also");
	}
}

/* What else is shown of a finding, the tighter the fewer lines are left. */
struct room {
	unsigned frames;    /* of a stack */
	unsigned followers; /* that get a line each */
};

static void print_all(struct sc_text *t, const struct sc_finding *f,
		      const struct sc_finding *const *followers, size_t count, struct room room)
{
	sc_words_set_finding(&t->words, f);
	print_headline(t, f);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		print_side(t, f, i, room.frames);
	if (sc_words_bytes(&t->phrase, &t->words, f))
		sc_text_fact(t, "bytes");
	if (sc_words_fault(&t->phrase, &t->words, f))
		sc_text_fact(t, "fault");
	if (sc_words_ranks(&t->phrase, &t->words, f))
		sc_text_fact(t, "ranks");
	print_objects(t, f);
	if (sc_words_reach(&t->phrase, &t->words, f))
		sc_text_fact(t, "order");
	if (sc_words_timing(&t->phrase, &t->words, f))
		sc_text_fact(t, "timing");
	if (sc_words_trial(&t->phrase, &t->words, f))
		sc_text_fact(t, "reruns");
	print_causes(t, f);
	if (sc_words_doubt(&t->phrase, &t->words, f))
		sc_text_fact(t, "doubt");
	if (sc_words_can_verify(&t->words, f)) {
		sc_text_add_command(t);
		sc_text_fact(t, "decide");
	}
	print_count(t, f);
	if (sc_words_cost(&t->phrase, &t->words, f))
		sc_text_fact(t, "cost");
	sc_words_fix(&t->phrase, &t->words, f);
	sc_text_fact(t, "fix");
	print_followers(t, followers, count, room.followers);
	if (sc_words_leader(&t->phrase, f)) /* where all are shown, each by itself */
		sc_text_fact(t, "also");
	sc_words_explain(&t->phrase, &t->words, f);
	sc_layout_keep(&t->phrase, 0);
	sc_text_fact(t, "explain");
}

size_t sc_text_count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		lines++;
	return lines;
}

static const char *skip_lines(const char *text, size_t lines)
{
	for (; lines && *text; lines--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* Appends a finding that is too long however little is shown of it: on a narrow terminal. What
 * happened comes first, and what to do comes last. */
static void add_ends(struct sc_text *t, const char *text, size_t lines)
{
	size_t head = SC_TEXT_LINES / 2, tail = SC_TEXT_LINES - head - 1;
	const char *rest = skip_lines(text, head);

	sc_buf_add_bytes(t->out, text, (size_t)(rest - text));
	sc_buf_printf(&t->phrase, "  … %zu more lines", lines - head - tail);
	sc_layout_paint(t->out, t->style, SC_PAINT_FAINT, sc_buf_text(&t->phrase));
	sc_buf_add_char(t->out, '\n');
	sc_buf_clear(&t->phrase);
	sc_buf_add(t->out, skip_lines(rest, lines - head - tail));
}

/* Appends a finding to `out` as the first of the rooms has it that is small enough; its lines. */
static size_t print_fitting(struct sc_text *t, const struct sc_finding *f,
			    const struct sc_finding *const *followers, size_t count)
{
	static const struct room rooms[] = {{10, 6}, {6, 4}, {4, 3}, {2, 2}, {1, 1}};
	size_t lines = 0;

	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
		sc_buf_clear(t->out);
		print_all(t, f, followers, count, rooms[i]);
		lines = sc_text_count_lines(sc_buf_text(t->out));
		if (lines <= SC_TEXT_LINES)
			break;
	}
	return lines;
}

void sc_text_finding(struct sc_text *t, const struct sc_finding *f,
		     const struct sc_finding *const *followers, size_t count)
{
	struct sc_buf text = {0};
	struct sc_text one = {.out = &text,
			      .report = t->report,
			      .style = t->style,
			      .words = t->words,
			      .open = t->open};
	size_t lines;

	if (sc_words_can_verify(&t->words, f))
		t->open = 0;
	if (t->style->is_whole) {
		one.out = t->out;
		print_all(&one, f, followers, count, (struct room){UINT_MAX, UINT_MAX});
		sc_buf_fini(&one.phrase);
		return;
	}
	lines = print_fitting(&one, f, followers, count);
	if (lines <= SC_TEXT_LINES)
		sc_buf_add(t->out, sc_buf_text(&text));
	else
		add_ends(t, sc_buf_text(&text), lines);
	sc_buf_fini(&one.phrase);
	sc_buf_fini(&text);
}
