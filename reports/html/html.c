/* The HTML report: one file that holds everything it needs; docs/user/reports.md. */
#include "reports/html/html.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "reports/html/html_asset.h"
#include "reports/html/html_links.h"
#include "reports/facts.h"
#include "reports/html/html_pack.h"
#include "reports/rule_text.h"
#include "reports/words/words_coverage.h"
#include "reports/many/summary_json.h"
#include "reports/many/together.h"

#define AROUND 4 /* source lines shown on each side of an access */

void sc_html_put_pool(struct sc_html *h, const char *key, const struct sc_json_pool *pool)
{
	sc_json_open(&h->w, key, '[');
	sc_buf_add_bytes(&h->json, sc_buf_text(&pool->text), pool->text.bytes);
	sc_json_close(&h->w, ']');
}

/* Names every stack that the overview shows, so that all are looked up at once: each that is not
 * named costs a process. */
static void want_stacks(struct sc_html *h)
{
	struct sc_u64_map seen = {0};

	for (size_t i = 0; i < h->walk.ops.count; i++) {
		uint32_t stack = h->walk.ops.items[i].op.stack;

		if (!stack || sc_u64_map_find(&seen, stack))
			continue;
		*sc_u64_map_get(&seen, stack) = 1;
		sc_symbols_want(h->report.symbols, stack);
	}
	sc_u64_map_fini(&seen);
}

/* The page of a rule goes with those that are used. */
static void put_rules(struct sc_json *w, const struct sc_joint *joint)
{
	unsigned count;
	const struct sc_rule_row *rule = sc_rule_table(&count);
	char id[16];

	sc_json_open(w, "rules", '[');
	for (; count; count--, rule++) {
		sc_json_open(w, NULL, '{');
		snprintf(id, sizeof(id), "SC-%d", (int)rule->rule);
		sc_json_text(w, "id", id);
		sc_json_text(w, "slug", rule->slug);
		sc_json_text(w, "summary", rule->summary);
		sc_json_text(w, "why", rule->why);
		sc_json_text(w, "fix", rule->fix);
		if (sc_together_has_rule(joint, (unsigned)rule->rule))
			sc_json_text(w, "page", sc_rule_page(rule->rule));
		sc_json_close(w, '}');
	}
	sc_json_close(w, ']');
}

/* What a device works with; the numbers of the overview's spans are indices here. */
static void put_engines(struct sc_json *w)
{
	sc_json_open(w, "engines", '[');
	for (unsigned i = 0; i < SC_ENGINES; i++)
		sc_json_text(w, NULL, sc_engine_text(i));
	sc_json_close(w, ']');
}

/* How the counters of coverage are called: the name in the JSON report, one, many, what is counted,
 * whether the head of the page has it. */
static void put_seen_row(void *to, const struct sc_words_seen *row)
{
	struct sc_json *w = to;

	sc_json_open(w, NULL, '[');
	sc_json_text(w, NULL, row->id);
	sc_json_text(w, NULL, row->one);
	sc_json_text(w, NULL, row->many);
	sc_json_text(w, NULL, row->about);
	sc_json_bool(w, NULL, row->is_head);
	sc_json_close(w, ']');
}

static void put_seen(struct sc_json *w)
{
	sc_json_open(w, "seen", '[');
	sc_words_each_seen(&(struct sc_coverage){0}, put_seen_row, w);
	sc_json_close(w, ']');
}

/* Advice, warnings, errors, and the proven ones of these. */
#define COUNTS 4

static void count(uint64_t counts[COUNTS], unsigned severity, unsigned confidence)
{
	counts[severity % 3]++;
	counts[3] += sc_facts_loudness_of(severity, confidence) == SC_LOUD_ERROR;
}

static void put_counts(struct sc_json *w, const uint64_t counts[COUNTS])
{
	sc_json_open(w, "counts", '[');
	for (unsigned i = 0; i < COUNTS; i++)
		sc_json_number(w, NULL, counts[i]);
	sc_json_close(w, ']');
}

/* The findings of the process, shown or not. */
static void put_own_counts(struct sc_html *h)
{
	uint64_t counts[COUNTS] = {0};
	size_t findings;
	const struct sc_finding *f = sc_analysis_findings(h->report.analysis, &findings);

	for (; findings; findings--, f++)
		count(counts, f->severity, f->confidence);
	put_counts(&h->w, counts);
}

/* What the page shows beside the report. */
static void put_page(struct sc_html *h)
{
	sc_json_open(&h->w, "page", '{');
	sc_json_text(&h->w, "directory", h->style->directory ? h->style->directory : "");
	sc_json_text(&h->w, "links", sc_html_links_template(h->style->links));
	sc_json_number(&h->w, "drawn", h->drawings_most);
	sc_html_put_run(h);
	put_own_counts(h);
	sc_html_put_drawings(h);
	sc_html_put_ops(h);
	sc_html_put_ranges(h);
	sc_html_source_put(&h->w, "sources", &h->source);
	sc_json_bool(&h->w, "sourcesCut", h->source.is_cut);
	sc_json_close(&h->w, '}');
}

static void put_process(struct sc_html *h)
{
	sc_json_open(&h->w, NULL, '{');
	sc_json_report(&h->w, "report", &h->report, &h->scope);
	put_page(h);
	sc_html_put_pool(h, "shared", &h->stacks);
	sc_json_close(&h->w, '}');
}

/* The share of a process in what the report shows at most. */
static size_t share(size_t all, const struct sc_html *h, size_t least)
{
	size_t shown = sc_joint_leaves_out(h->joint, &h->names) ? SC_JOINT_PROCESSES_MOST
								: h->joint->expected;
	size_t one = all / (shown ? shown : 1);

	return one > least ? one : least;
}

/* Source lines go with all places of findings. */
static void see(void *to, const struct sc_frame *frame, enum sc_json_place place)
{
	if (place != SC_JSON_OTHER)
		sc_html_source_want(to, frame, place == SC_JSON_ORIGIN ? 1 : AROUND);
}

static void init(struct sc_html *h, struct sc_joint *joint, const struct sc_report *r,
		 const struct sc_report_style *style, const struct sc_fingerprints *prints)
{
	*h = (struct sc_html){.style = style, .report = *r, .joint = joint};
	h->scope = (struct sc_json_scope){.directory = style->directory,
					  .prints = prints,
					  .findings_most = share(SC_HTML_FINDINGS, h, 50),
					  .stacks = &h->stacks,
					  .see = see,
					  .to = &h->source};
	sc_names_init(&h->names, r->reader, 0);
	h->report.names = &h->names;
	h->source.sources = r->sources;
	h->source.most = share(SC_HTML_EXCERPTS, h, 4096);
	h->drawings_most = share(SC_HTML_DRAWINGS, h, 50);
	h->ranges_most = share(SC_HTML_RANGES, h, 200);
	sc_html_walk_init(&h->walk, &h->report, share(SC_HTML_OPS, h, 1000));
	sc_words_init(&h->words, &h->report, style->directory);
	h->w = (struct sc_json){.out = &h->json, .is_page = 1};
	want_stacks(h);
}

static void fini(struct sc_html *h)
{
	sc_names_fini(&h->names);
	sc_html_walk_fini(&h->walk);
	sc_json_pool_fini(&h->stacks);
	sc_json_pool_fini(&h->shapes);
	sc_json_pool_fini(&h->ranges);
	sc_html_source_fini(&h->source);
	sc_buf_fini(&h->json);
	sc_buf_fini(&h->phrase);
}

/* True if the data of the next process belong into the page. */
static bool is_shown(const struct sc_joint *joint, const struct sc_names *names, bool has_new)
{
	return !sc_joint_leaves_out(joint, names) || joint->shown < SC_HTML_PROCESSES_PLAIN ||
	       (has_new && joint->shown < SC_JOINT_PROCESSES_MOST);
}

/* True if no process before has one of these findings. */
static bool has_new(struct sc_joint *joint, const struct sc_fingerprints *prints)
{
	bool is_new = 0;

	for (size_t i = 0; i < prints->count; i++) {
		uint64_t *met = sc_u64_map_get(&joint->ids, prints->items[i]);

		is_new |= !*met;
		*met = 1;
	}
	return is_new;
}

void sc_report_html(struct sc_joint *joint, const struct sc_report *r,
		    const struct sc_report_style *style)
{
	struct sc_fingerprints prints;
	struct sc_html h;
	bool is_new;

	joint->refresh_s = style->refresh_s;
	sc_fingerprints_init(&prints, r);
	is_new = has_new(joint, &prints);
	if (is_shown(joint, r->names, is_new)) {
		init(&h, joint, r, style, &prints);
		put_process(&h);
		if (joint->shown++)
			sc_buf_add_char(&joint->parts, ',');
		sc_html_pack(&joint->parts, &h.json, h.stacks.count);
		fini(&h);
	}
	sc_fingerprints_fini(&prints);
}

/* The page's script loads it anew and keeps the address with all after its "#", which browsers lose
 * for <meta>: that is for those without scripts. */
static void add_head(struct sc_buf *out, unsigned refresh_s)
{
	static const char before[] = "<title>";
	const char *title = memmem(sc_html_head, sc_html_head_bytes, before, strlen(before));
	size_t bytes = refresh_s && title ? (size_t)(title - sc_html_head) : 0;

	sc_buf_add_bytes(out, sc_html_head, bytes);
	if (bytes)
		sc_buf_printf(out,
			      "<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>\n",
			      refresh_s);
	sc_buf_add_bytes(out, sc_html_head + bytes, sc_html_head_bytes - bytes);
}

/* The findings of the run, equal ones once. */
static void put_run_counts(struct sc_json *w, const struct sc_summary *all)
{
	uint64_t counts[COUNTS] = {0};

	for (size_t i = 0; i < all->rows.count; i++)
		count(counts, all->rows.items[i].severity, all->rows.items[i].confidence);
	put_counts(w, counts);
}

/* What the processes have together, if the script cannot tell by the processes, since not all of
 * them are there. */
static void put_together(struct sc_json *w, const struct sc_joint *joint)
{
	const struct sc_summary_scope scope = {joint->directory, SC_HTML_TOGETHER_FINDINGS,
					       SC_HTML_TOGETHER_ROWS};
	const struct sc_summary *s = sc_together(joint);

	if (!s)
		return;
	sc_json_number(w, "summarized", s->processes - s->added);
	sc_summary_put(w, s, &scope);
}

void sc_report_finish_html(struct sc_buf *out, const struct sc_joint *joint)
{
	struct sc_buf json = {0};
	struct sc_json w = {.out = &json, .is_page = 1};

	sc_json_open(&w, NULL, '{');
	sc_json_text(&w, "version", SC_VERSION);
	if (joint->refresh_s)
		sc_json_number(&w, "refresh", joint->refresh_s);
	put_rules(&w, joint);
	put_engines(&w);
	put_seen(&w);
	if (joint->all)
		put_run_counts(&w, joint->all);
	put_together(&w, joint);
	sc_json_open(&w, "processes", '[');
	add_head(out, joint->refresh_s);
	sc_buf_add_bytes(out, json.text, json.bytes);
	sc_joint_copy(out, joint);
	sc_buf_add(out, "]}");
	sc_buf_add_bytes(out, sc_html_tail, sc_html_tail_bytes);
	sc_buf_fini(&json);
}
