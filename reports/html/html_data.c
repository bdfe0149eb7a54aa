/* Small values of the HTML report's data: phrases, stacks, pools. */
#include "reports/html/html.h"

#include <inttypes.h>
#include <stdbool.h>
#include "reports/words/short_name.h"

uint32_t sc_html_take_phrase(struct sc_html *h)
{
	uint32_t index = sc_html_pool_text(&h->texts, sc_buf_text(&h->phrase));

	sc_buf_clear(&h->phrase);
	return index;
}

void sc_html_put_phrase(struct sc_html *h, const char *key)
{
	if (h->phrase.bytes)
		sc_json_number(&h->w, key, sc_html_take_phrase(h));
	else
		sc_json_null(&h->w, key);
}

void sc_html_put_text(struct sc_html *h, const char *key, const char *text)
{
	sc_json_number(&h->w, key, sc_html_pool_text(&h->texts, text));
}

/* A frame: [function, file, line, module, flags, function's whole name]; flags: 1 inlined, 2
 * internal. */
static uint32_t frame_index(struct sc_html *h, const struct sc_frame *f, bool is_internal)
{
	struct sc_buf fragment = {0}, short_name = {0};
	uint32_t index;

	sc_short_name_add(&short_name, f->function);
	sc_buf_printf(&fragment, "[%" PRIu32 ",%" PRIu32 ",%u,%" PRIu32 ",%d,%" PRIu32 "]",
		      sc_html_pool_text(&h->texts, sc_buf_text(&short_name)),
		      sc_html_pool_text(&h->texts, f->file), f->line,
		      sc_html_pool_text(&h->texts, f->module), f->is_inlined | is_internal << 1,
		      sc_html_pool_text(&h->texts, f->function));
	index = sc_html_pool_add(&h->frames, &fragment);
	sc_buf_fini(&short_name);
	sc_buf_fini(&fragment);
	return index;
}

/* A stack: [index of the user's frame, frame, frame, …], innermost first. */
static void put_site(struct sc_html *h, const char *key, const struct sc_report_site *site,
		     unsigned around)
{
	const struct sc_frame *user = sc_site_frame(site);
	struct sc_buf fragment = {0};

	if (!user) {
		sc_json_null(&h->w, key);
		return;
	}
	sc_buf_printf(&fragment, "[%zu", (size_t)(user - site->frames));
	for (size_t i = 0; i < site->count; i++) {
		bool is_below = i < site->user && site->user < site->count;

		sc_buf_printf(
			&fragment, ",%" PRIu32,
			frame_index(h, &site->frames[i], site->frames[i].is_internal || is_below));
	}
	sc_buf_add_char(&fragment, ']');
	sc_json_number(&h->w, key, sc_html_pool_add(&h->stacks, &fragment));
	sc_buf_fini(&fragment);
	if (around)
		sc_html_source_want(&h->source, &h->texts, user, around);
}

void sc_html_put_stack(struct sc_html *h, const char *key, const struct sc_op *op, unsigned around)
{
	struct sc_report_site site;

	sc_site_of(&site, &h->report, op);
	put_site(h, key, &site, around);
}

void sc_html_put_stack_id(struct sc_html *h, const char *key, uint32_t stack, unsigned around)
{
	struct sc_report_site site;

	sc_site_of_stack(&site, &h->report, stack);
	put_site(h, key, &site, around);
}

void sc_html_put_pool(struct sc_html *h, const char *key, const struct sc_html_pool *pool)
{
	sc_json_open(&h->w, key, '[');
	sc_buf_add_bytes(&h->json, pool->text.text, pool->text.bytes);
	sc_json_close(&h->w, ']');
}

/* Inside strings, control characters are escaped already, so a raw one stands between tokens. */
void sc_html_add_safe(struct sc_buf *out, const struct sc_buf *json)
{
	bool is_text = 0;

	for (size_t i = 0; i < json->bytes; i++) {
		char c = json->text[i];

		if (is_text && c == '\\') {
			sc_buf_add_char(out, c);
			c = json->text[++i];
		} else if (c == '"') {
			is_text = !is_text;
		} else if (!is_text && (c == ' ' || c == '\n')) {
			continue;
		}
		if (c == '<')
			sc_buf_add(out, "\\u003c");
		else
			sc_buf_add_char(out, c);
	}
}
