/* The run as data of the page: its lanes, and sentences that the JSON report has no member for. */
#include "reports/html/html.h"

#include "reports/words/words_coverage.h"
#include "reports/words/words_run.h"

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
		sc_json_phrase(&h->w, "name", &h->phrase);
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
}

void sc_html_put_run(struct sc_html *h)
{
	sc_words_launches(&h->phrase, sc_analysis_coverage(h->report.analysis));
	sc_json_phrase(&h->w, "launches", &h->phrase);
	sc_words_simulated(&h->phrase, h->report.analysis);
	sc_json_phrase(&h->w, "simulated", &h->phrase);
	if (sc_words_without_lines(&h->phrase, &h->words))
		sc_json_phrase(&h->w, "lineless", &h->phrase);
	put_lanes(h);
}
