/* The findings of the text report: all of them, or a page. */
#include "reports/text/text_page.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/map.h"
#include "base/vector.h"
#include "reports/fingerprint.h"
#include "reports/followers.h"
#include "reports/group.h"
#include "reports/sources/library.h"
#include "reports/text/text_layout.h"

#define ALIKE_LEAST  3	/* pieces of advice of one rule that become a list */
#define ALIKE_LINES  10 /* of such a list */
#define PAGE_ALIKE   4	/* of any list where all does not fit */
#define RULES_SHOWN  10 /* a line each, of those whose findings do not fit */
#define END_LINES    5	/* after the findings */
#define RULE_NUMBERS 1000

struct page {
	struct sc_text *text;
	const struct sc_finding *findings;
	size_t count;
	struct sc_followers followers;
	struct sc_groups code, places; /* what lacks a kernel's code, and the rest */
	bool is_page;		       /* not all fits */
	size_t most;		       /* lines */
	size_t shown;		       /* findings in full */
	SC_VECTOR(size_t) libraries;   /* findings that are their own business */
	SC_VECTOR(size_t) deferred;    /* first findings of what did not fit */
	size_t rules_left;	       /* that were not come to yet */
	struct {
		size_t findings;
		size_t places; /* groups */
		bool is_met;
	} rules[RULE_NUMBERS]; /* of findings that lack no code and follow from no other */
};

static unsigned rule_of(const struct sc_finding *f)
{
	return f->rule % RULE_NUMBERS;
}

static void print_group(struct sc_text *t, const struct sc_finding *f, const struct sc_group *g,
			const char *label)
{
	sc_words_set_finding(&t->words, f);
	sc_group_describe(&t->phrase, &t->words, f);
	sc_text_add_count(t, g->findings, g->count);
	sc_text_fact(t, label);
}

/* Findings that lack a kernel's code. */

/* What else than a run that records the bytes would decide, for each framework once. */
static void print_deciding(struct page *p)
{
	struct sc_text *t = p->text;
	SC_VECTOR(const char *) met = {0};
	size_t at;

	sc_buf_add(&t->phrase, "which bytes these kernels touch is recorded by ");
	if (t->open == p->code.findings) /* which the first line says */
		t->open = 0;
	sc_text_add_command(t);
	t->open = 0;
	for (size_t i = 0; i < p->code.list.count; i++) {
		sc_words_set_finding(&t->words, &p->findings[p->code.list.items[i].first]);
		for (at = 0; at < met.count; at++)
			if (!strcmp(met.items[at], t->words.dialect->knowing))
				break;
		if (at < met.count)
			continue;
		sc_vector_push(&met, t->words.dialect->knowing);
		sc_buf_printf(&t->phrase, "; %s", t->words.dialect->knowing);
	}
	sc_vector_fini(&met);
	sc_text_fact(t, "decide");
}

static uint32_t last_of_code(const struct page *p)
{
	size_t i = p->count;

	while (i > 0 && !p->code.of[i - 1])
		i--;
	return i ? p->findings[i - 1].number : 0;
}

/* Which finding says all about one of them. */
static void print_example(struct page *p)
{
	struct sc_text *t = p->text;
	const struct sc_report *r = t->report;

	sc_buf_printf(&t->phrase, "streamcheck explain %s%" PRIu32 " ",
		      r->trace && r->trace_options ? r->trace_options : "",
		      p->findings[p->code.list.items[0].first].number);
	sc_words_trace(&t->phrase, &t->words);
	sc_layout_keep(&t->phrase, 0);
	if (p->code.findings > 1)
		sc_buf_printf(&t->phrase, ", up to %" PRIu32 ", says all about one of them",
			      last_of_code(p));
	sc_text_fact(t, "explain");
}

/* They come one after the other: a line for each group. */
static void print_code(struct page *p)
{
	struct sc_text *t = p->text;
	const struct sc_group *g = p->code.list.items;
	size_t most = p->is_page ? PAGE_ALIKE : SIZE_MAX;
	char label[16];

	sc_buf_add(t->out, "\n");
	sc_words_count(&t->phrase, p->code.findings, "possible finding");
	sc_buf_add(&t->phrase, " about kernels without PTX: each gets a pointer to the memory; "
			       "whether it uses it, and for which bytes, is not known");
	sc_layout_begin(t->out, t->style, SC_PAINT_STRONG);
	sc_layout_wrap(t->out, t->style, 0, 2, sc_buf_text(&t->phrase));
	sc_layout_end(t->out, t->style);
	sc_buf_clear(&t->phrase);
	sc_buf_add_char(t->out, '\n');
	for (size_t i = 0; i < p->code.list.count && i < most; i++) {
		snprintf(label, sizeof(label), "SC-%u", p->findings[g[i].first].rule);
		print_group(t, &p->findings[g[i].first], &g[i], label);
	}
	if (p->code.list.count > most) {
		sc_words_count(&t->phrase, p->code.list.count - most, "more pair");
		sc_buf_add(&t->phrase, " of places");
		sc_text_fact(t, "also");
	}
	print_deciding(p);
	print_example(p);
}

/* Findings of one rule. */

static bool is_listed(const struct page *p, const struct sc_finding *f)
{
	if (p->text->style->is_whole)
		return 0;
	return p->is_page ||
	       (f->severity == SC_ADVICE && p->rules[rule_of(f)].findings >= ALIKE_LEAST);
}

/* What else was found at the same places: the same with other callers, and the opposite order,
 * which another edit ends. */
static void print_same_places(struct page *p, const struct sc_group *g)
{
	struct sc_text *t = p->text;
	size_t callers = g->findings - 1 - g->turned;

	if (callers) {
		sc_words_count(&t->phrase, callers, "more finding");
		sc_buf_add(&t->phrase, " at the same places, called from others");
		sc_text_fact(t, "also");
	}
	if (!g->turned)
		return;
	sc_words_count(&t->phrase, g->turned, "more finding");
	sc_buf_printf(&t->phrase,
		      " at the same places in the opposite order (finding %" PRIu32 "), ",
		      p->findings[g->opposite].number);
	sc_buf_add(&t->phrase, g->turned == 1 ? "which needs" : "which need");
	sc_buf_add(&t->phrase, " another fix");
	sc_text_fact(t, "also");
}

/* What was found at the same places, and at other places of its rule. */
static void print_alike(struct page *p, size_t first)
{
	struct sc_text *t = p->text;
	size_t lines = 0, most = p->is_page ? PAGE_ALIKE : ALIKE_LINES;
	const struct sc_group *own = &p->places.list.items[p->places.of[first] - 1];
	size_t others = p->rules[rule_of(&p->findings[first])].places - 1;

	print_same_places(p, own);
	for (size_t i = p->places.of[first]; i < p->places.list.count && lines < others; i++) {
		const struct sc_group *g = &p->places.list.items[i];

		if (p->findings[g->first].rule != p->findings[first].rule)
			continue;
		if (lines == most)
			break;
		print_group(t, &p->findings[g->first], g, "also");
		lines++;
	}
	if (lines == others)
		return;
	sc_words_count(&t->phrase, others - lines, "more place");
	sc_buf_add(&t->phrase, ", listed in HTML and JSON reports");
	sc_text_fact(t, "also");
}

static void print_finding(struct page *p, size_t at)
{
	const struct sc_finding *const *list;
	size_t count = sc_followers_of(&p->followers, at, &list);

	sc_buf_add_char(p->text->out, '\n');
	sc_text_finding(p->text, &p->findings[at], list, p->text->style->is_whole ? 0 : count);
	if (is_listed(p, &p->findings[at]))
		print_alike(p, at);
	p->shown++;
}

/* What libraries do among themselves. */

/* True if another process of the run shows the finding; of those that lack a kernel's code, all. */
static bool is_above(const struct page *p, size_t at)
{
	const bool *is_met = p->text->is_met;

	if (!is_met || !p->code.of[at])
		return is_met && is_met[at];
	for (size_t i = 0; i < p->count; i++)
		if (p->code.of[i] && !is_met[i])
			return 0;
	return 1;
}

static bool is_library(const struct page *p, size_t at)
{
	for (size_t i = 0; i < p->libraries.count; i++)
		if (p->libraries.items[i] == at)
			return 1;
	return 0;
}

static void find_libraries(struct page *p)
{
	struct sc_buf name = {0};

	for (size_t i = 0; i < p->count; i++)
		if (!p->code.of[i] && sc_library_owns(&name, p->text->report, &p->findings[i]))
			sc_vector_push(&p->libraries, i);
	sc_buf_fini(&name);
}

static uint64_t library_of(const struct page *p, size_t at, struct sc_buf *name)
{
	sc_buf_clear(name);
	sc_library_owns(name, p->text->report, &p->findings[at]);
	return sc_fingerprint_hash(sc_buf_text(name), name->bytes);
}

/* A line for each library, with its first finding. */
static void print_libraries(struct page *p)
{
	struct sc_text *t = p->text;
	struct sc_u64_map counts = {0};
	struct sc_buf name = {0};
	uint64_t *count;

	for (size_t i = 0; i < p->libraries.count; i++)
		++*sc_u64_map_get(&counts, library_of(p, p->libraries.items[i], &name));
	for (size_t i = 0; i < p->libraries.count && !t->style->is_whole; i++) {
		const struct sc_finding *f = &p->findings[p->libraries.items[i]];

		count = sc_u64_map_get(&counts, library_of(p, p->libraries.items[i], &name));
		if (!*count || is_above(p, p->libraries.items[i]))
			continue;
		sc_words_count(&t->phrase, *count, "finding");
		sc_buf_printf(&t->phrase,
			      " of what %s does with itself, the first is finding %" PRIu32
			      ", %s SC-%u [%s]; --text=all shows %s",
			      name.text, f->number, sc_severity_text(f->severity), f->rule,
			      sc_words_confidence(f->confidence), *count == 1 ? "it" : "them");
		sc_text_fact(t, "library");
		*count = 0;
	}
	sc_buf_fini(&name);
	sc_u64_map_fini(&counts);
}

/* The page. */

static void count_rules(struct page *p)
{
	memset(p->rules, 0, sizeof(p->rules));
	p->rules_left = 0;
	for (size_t i = 0; i < p->count; i++)
		if (p->places.of[i])
			p->rules_left += !p->rules[rule_of(&p->findings[i])].findings++;
	for (size_t i = 0; i < p->places.list.count; i++)
		p->rules[rule_of(&p->findings[p->places.list.items[i].first])].places++;
}

static size_t lines_of(const struct sc_buf *text)
{
	return sc_text_count_lines(sc_buf_text(text));
}

/* True if what begins at `at` is shown with something before, or is no beginning. */
static bool is_passed_over(struct page *p, size_t at)
{
	const struct sc_finding *f = &p->findings[at];
	bool is_met;

	if (is_above(p, at))
		return 1;
	if (p->text->style->is_whole)
		return 0;
	if (is_library(p, at))
		return 1;
	if (p->code.of[at])
		return p->code.list.items[0].first != at;
	if (f->leader)
		return 1;
	is_met = p->rules[rule_of(f)].is_met;
	p->rules[rule_of(f)].is_met = 1;
	p->rules_left -= !is_met;
	return is_met && is_listed(p, f);
}

static void print_one(struct page *p, size_t at)
{
	if (p->code.of[at] && !p->text->style->is_whole)
		print_code(p);
	else
		print_finding(p, at);
}

/* All in full; stops where it is more than fits. False if it is. */
static bool print_all(struct page *p)
{
	bool is_whole = p->text->style->is_whole;
	size_t lines = 0;

	for (size_t i = 0; i < p->count; i++) {
		size_t before = p->text->out->bytes;

		if (is_passed_over(p, i))
			continue;
		print_one(p, i);
		lines += sc_text_count_lines(p->text->out->text + before);
		if (!is_whole && lines > p->most)
			return 0;
	}
	return 1;
}

/* Lines that rules need at least which are not shown, and may not be. */
static size_t lines_left(const struct page *p)
{
	size_t rules = p->deferred.count + p->rules_left;

	return rules < RULES_SHOWN ? rules : RULES_SHOWN + 1;
}

/* The first of each rule, as far as they fit. */
static void print_firsts(struct page *p)
{
	struct sc_buf *out = p->text->out, one = {0};

	for (size_t i = 0; i < p->count; i++) {
		size_t open = p->text->open;

		if (is_passed_over(p, i))
			continue;
		sc_buf_clear(&one);
		p->text->out = &one;
		print_one(p, i);
		p->text->out = out;
		if (lines_of(out) + lines_of(&one) + lines_left(p) <= p->most) {
			sc_buf_add(out, sc_buf_text(&one));
			continue;
		}
		p->shown -= !p->code.of[i];
		p->text->open = open;
		sc_vector_push(&p->deferred, i);
	}
	sc_buf_fini(&one);
}

/* A line for a rule whose findings did not fit. */
static void print_deferred(struct page *p, size_t first)
{
	struct sc_text *t = p->text;
	const struct sc_finding *f = &p->findings[first];
	const struct sc_rule_row *rule = sc_rule_find(f->rule);
	bool is_code = p->code.of[first] != 0;
	char label[16];

	sc_words_count(&t->phrase, is_code ? p->code.findings : p->rules[rule_of(f)].findings,
		       "finding");
	sc_buf_printf(&t->phrase, " [%s], the first is finding %" PRIu32 ": ",
		      sc_words_confidence(f->confidence), f->number);
	sc_words_set_finding(&t->words, f);
	sc_group_describe(&t->phrase, &t->words, f);
	sc_buf_printf(&t->phrase, " (%s)", rule ? rule->slug : "unknown-rule");
	snprintf(label, sizeof(label), "SC-%u", f->rule);
	sc_text_fact(t, label);
}

static void print_rest(struct page *p)
{
	struct sc_text *t = p->text;

	if (p->deferred.count)
		sc_buf_add_char(t->out, '\n');
	for (size_t i = 0; i < p->deferred.count && i < RULES_SHOWN; i++)
		print_deferred(p, p->deferred.items[i]);
	if (p->deferred.count > RULES_SHOWN) {
		sc_words_count(&t->phrase, p->deferred.count - RULES_SHOWN, "more rule");
		sc_text_fact(t, "also");
	}
	sc_buf_add_char(t->out, '\n');
	sc_buf_printf(&t->phrase,
		      "%zu of %zu findings in full; --text=all shows all of them, and so do "
		      "reports in HTML "
		      "and JSON",
		      p->shown, p->count);
	sc_text_fact(t, "shown");
}

static size_t count_open(const struct page *p)
{
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count += sc_words_can_verify(&p->text->words, &p->findings[i]);
	return count;
}

static void print(struct page *p)
{
	struct sc_buf *out = p->text->out, text = {0};
	size_t open = count_open(p);

	p->text->out = &text;
	p->text->open = open;
	if (!print_all(p)) {
		sc_buf_clear(&text);
		p->text->open = open;
		p->is_page = 1;
		p->shown = 0;
		count_rules(p);
		print_firsts(p);
		print_rest(p);
	}
	print_libraries(p);
	p->text->out = out;
	sc_buf_add(out, sc_buf_text(&text));
	sc_buf_fini(&text);
}

void sc_text_findings(struct sc_text *t, size_t most)
{
	struct page p = {.text = t, .most = most > END_LINES ? most - END_LINES : 0};

	p.findings = sc_analysis_findings(t->report->analysis, &p.count);
	sc_followers_init(&p.followers, t->report->analysis);
	sc_groups_init(&p.code, &t->words);
	sc_groups_init_rest(&p.places, &t->words);
	count_rules(&p);
	find_libraries(&p);
	print(&p);
	sc_vector_fini(&p.deferred);
	sc_vector_fini(&p.libraries);
	sc_groups_fini(&p.code);
	sc_groups_fini(&p.places);
	sc_followers_fini(&p.followers);
}
