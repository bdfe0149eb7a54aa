/* The HTML report: one file that holds everything it needs; docs/html-report.md. */
#include "reports/html.h"

#include "reports/html_asset.h"

/* Names every stack that the overview shows, so that all are looked up at once. */
#define STACKS_MAX 4000

static void want_stacks(struct sc_html *h)
{
	struct sc_u64_map seen = {0};

	for (size_t i = 0; i < h->walk.ops.count && seen.count < STACKS_MAX; i++) {
		uint32_t stack = h->walk.ops.items[i].op.stack;

		if (!stack || sc_u64_map_find(&seen, stack))
			continue;
		*sc_u64_map_get(&seen, stack) = 1;
		sc_symbols_want(h->report.symbols, stack);
	}
	sc_u64_map_fini(&seen);
}

static void put_rules(struct sc_html *h)
{
	unsigned count;
	const struct sc_rule_row *rule = sc_rule_table(&count);

	sc_json_open(&h->w, "rules", '[');
	for (; count; count--, rule++) {
		sc_json_open(&h->w, NULL, '{');
		sc_json_number(&h->w, "id", rule->rule);
		sc_json_text(&h->w, "slug", rule->slug);
		sc_json_text(&h->w, "summary", rule->summary);
		sc_json_text(&h->w, "why", rule->why);
		sc_json_text(&h->w, "fix", rule->fix);
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
}

static void put_sources(struct sc_html *h)
{
	struct sc_buf excerpts = {0};
	struct sc_html_pool pool = {0};

	sc_html_source_print(&excerpts, &h->source);
	sc_html_pool_add(&pool, &excerpts);
	sc_html_put_pool(h, "sources", &pool);
	sc_json_bool(&h->w, "sourcesCut", h->source.is_cut);
	sc_html_pool_fini(&pool);
	sc_buf_fini(&excerpts);
}

/* Pools come last: everything before fills them. */
static void put_data(struct sc_html *h)
{
	sc_json_open(&h->w, NULL, '{');
	sc_json_text(&h->w, "version", SC_VERSION);
	sc_json_text(&h->w, "command", h->names.command);
	sc_json_number(&h->w, "process", h->names.process);
	sc_json_text(&h->w, "directory", h->style->directory ? h->style->directory : "");
	put_rules(h);
	sc_html_put_run(h);
	sc_html_put_findings(h);
	sc_html_put_ops(h);
	put_sources(h);
	sc_html_put_pool(h, "shapes", &h->shapes);
	sc_html_put_pool(h, "stacks", &h->stacks);
	sc_html_put_pool(h, "frames", &h->frames);
	sc_html_put_pool(h, "texts", &h->texts);
	sc_json_close(&h->w, '}');
}

static void init(struct sc_html *h, const struct sc_report *r, const struct sc_report_style *style)
{
	*h = (struct sc_html){.style = style, .report = *r};
	sc_names_init(&h->names, r->reader, 0);
	h->report.names = &h->names;
	sc_html_walk_init(&h->walk, &h->report);
	sc_words_init(&h->words, &h->report, style->directory);
	h->w.out = &h->json;
	want_stacks(h);
}

static void fini(struct sc_html *h)
{
	sc_names_fini(&h->names);
	sc_html_walk_fini(&h->walk);
	sc_html_pool_fini(&h->texts);
	sc_html_pool_fini(&h->frames);
	sc_html_pool_fini(&h->stacks);
	sc_html_pool_fini(&h->shapes);
	sc_html_source_fini(&h->source);
	sc_buf_fini(&h->json);
	sc_buf_fini(&h->phrase);
}

void sc_report_html(struct sc_buf *out, const struct sc_report *r,
		    const struct sc_report_style *style)
{
	struct sc_html h;

	init(&h, r, style);
	put_data(&h);
	sc_buf_add_bytes(out, sc_html_head, sc_html_head_bytes);
	sc_html_add_safe(out, &h.json);
	sc_buf_add_bytes(out, sc_html_tail, sc_html_tail_bytes);
	fini(&h);
}
