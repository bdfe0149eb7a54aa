/* The run as data of the HTML report: coverage, lanes, kernels. */
#include "reports/html/html.h"

#include "reports/verified.h"
#include "reports/words/words_coverage.h"
#include "reports/words/words_failed.h"
#include "reports/words/words_run.h"

/* Event sources and losses, as the recorder noted them. */
static void put_notes(struct sc_html *h)
{
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(h->report.analysis, &count);

	sc_json_open(&h->w, "notes", '[');
	for (size_t i = 0; i < count; i++) {
		uint32_t bytes = 0;
		const char *text = sc_record_attachment(&notes[i], SC_ATTACH_TEXT, &bytes);

		if (notes[i].op.kind == SC_OP_LAUNCHES)
			continue;
		sc_json_open(&h->w, NULL, '{');
		sc_json_bool(&h->w, "lost", notes[i].op.kind == SC_OP_LOST);
		sc_json_number(&h->w, "value", notes[i].op.value);
		sc_buf_add_bytes(&h->phrase, text ? text : "", text ? bytes : 0);
		sc_html_put_phrase(h, "text");
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
}

static void put_gap(void *to, const char *text)
{
	struct sc_html *h = to;

	sc_json_text(&h->w, NULL, text);
}

/* Calls that failed, each a sentence. */
static void put_failed(struct sc_html *h)
{
	size_t count;
	const struct sc_failed_call *f = sc_analysis_failed_calls(h->report.analysis, &count);

	for (size_t i = 0; i < count; i++) {
		sc_buf_add(&h->phrase, "failed: ");
		sc_words_failed_call(&h->phrase, &h->words, &f[i]);
		put_gap(h, h->phrase.text);
		sc_buf_clear(&h->phrase);
	}
}

/* A counter: its number, its name for one and for many, what it counts, whether the head has it. */
static void put_seen_row(void *to, const struct sc_words_seen *row)
{
	struct sc_html *h = to;

	sc_json_open(&h->w, NULL, '[');
	sc_json_number(&h->w, NULL, row->count);
	sc_json_number(&h->w, NULL, sc_html_pool_text(&h->texts, row->one));
	sc_json_number(&h->w, NULL, sc_html_pool_text(&h->texts, row->many));
	sc_json_number(&h->w, NULL, sc_html_pool_text(&h->texts, row->about));
	sc_json_bool(&h->w, NULL, row->is_head);
	sc_json_close(&h->w, ']');
}

/* What was seen and what may be missing, in words. */
static void put_coverage(struct sc_html *h)
{
	const struct sc_coverage *c = sc_analysis_coverage(h->report.analysis);

	sc_json_open(&h->w, "seen", '[');
	sc_words_each_seen(c, put_seen_row, h);
	sc_json_close(&h->w, ']');
	sc_words_launches(&h->phrase, c);
	sc_html_put_phrase(h, "launches");
	sc_words_simulated(&h->phrase, h->report.analysis);
	sc_html_put_phrase(h, "simulated");
	sc_json_open(&h->w, "gaps", '[');
	sc_words_each_gap(c, put_gap, h);
	put_failed(h);
	if (sc_words_windows(&h->phrase, c))
		put_gap(h, h->phrase.text);
	sc_buf_clear(&h->phrase);
	if (sc_words_cut(&h->phrase, c))
		put_gap(h, h->phrase.text);
	sc_buf_clear(&h->phrase);
	sc_json_close(&h->w, ']');
}

static void put_lanes(struct sc_html *h)
{
	sc_json_open(&h->w, "threads", '[');
	for (size_t i = 0; i < h->walk.threads.count; i++) {
		sc_json_open(&h->w, NULL, '{');
		sc_json_number(&h->w, "id", h->walk.threads.items[i].id);
		sc_json_number(&h->w, "ops", h->walk.threads.items[i].ops);
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
	sc_json_open(&h->w, "lanes", '[');
	for (size_t i = 0; i < h->walk.streams.count; i++) {
		uint32_t id = h->walk.streams.items[i].id;

		sc_json_open(&h->w, NULL, '{');
		sc_json_number(&h->w, "id", id);
		sc_json_number(&h->w, "ops", h->walk.streams.items[i].ops);
		sc_words_stream(&h->phrase, &h->words, id);
		sc_html_put_phrase(h, "name");
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
}

static void put_kernels(struct sc_html *h)
{
	size_t count;
	const struct sc_kernel_tally *k = sc_analysis_kernels(h->report.analysis, &count);

	sc_json_open(&h->w, "kernelList", '[');
	for (size_t i = 0; i < count; i++) {
		sc_json_open(&h->w, NULL, '{');
		sc_words_kernel(&h->phrase, &h->words, k[i].kernel);
		sc_html_put_phrase(h, "name");
		sc_json_number(&h->w, "launches",
			       k[i].launches[SC_KNOWN_EXACT] + k[i].launches[SC_KNOWN_OVER] +
				       k[i].launches[SC_KNOWN_PARAMETER] +
				       k[i].launches[SC_TALLY_OPEN]);
		sc_words_launches_of(&h->phrase, &k[i]);
		sc_html_put_phrase(h, "known");
		if (k[i].launches[SC_KNOWN_OVER] || k[i].launches[SC_TALLY_OPEN])
			sc_buf_add(&h->phrase, sc_analysis_reason_text(k[i].reason));
		sc_html_put_phrase(h, "why");
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
}

void sc_html_put_run(struct sc_html *h)
{
	sc_json_bool(&h->w, "complete", sc_analysis_complete(h->report.analysis));
	put_coverage(h);
	put_notes(h);
	if (sc_words_without_lines(&h->phrase, &h->words))
		sc_html_put_phrase(h, "lineless");
	put_lanes(h);
	put_kernels(h);
	if (h->report.verified)
		sc_verified_put(&h->w, h->report.verified);
}
