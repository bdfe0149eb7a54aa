/* Verified: the table for people, and the rows for programs. */
#include "reports/verified.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reports/fingerprint.h"
#include "reports/utf8.h"
#include "reports/words/words.h"

#define LINES_SHOWN 15 /* of each verdict */

static const struct {
	const char *id, *words;
} ways[SC_VERIFIED_WAYS] = {
	[SC_VERIFIED_PROVEN] = {"proven", "proven"},
	[SC_VERIFIED_OPEN] = {"not-decided", "not decided"},
	[SC_VERIFIED_APART] = {"not-seen", "not seen"},
};

void sc_verified_fini(struct sc_verified *v)
{
	for (size_t i = 0; i < v->rows.count; i++) {
		free(v->rows.items[i].what);
		free(v->rows.items[i].reason);
	}
	sc_vector_fini(&v->rows);
}

static int compare(const void *left, const void *right)
{
	const struct sc_verified_row *a = left, *b = right;
	int order;

	if (a->verdict != b->verdict)
		return a->verdict < b->verdict ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	if (a->found_rule != b->found_rule)
		return a->found_rule < b->found_rule ? -1 : 1;
	order = strcmp(a->what, b->what);
	if (!order)
		order = strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "");
	if (order)
		return order;
	return a->fingerprint < b->fingerprint ? -1 : a->fingerprint > b->fingerprint;
}

void sc_verified_sort(struct sc_verified *v)
{
	if (v->rows.count)
		qsort(v->rows.items, v->rows.count, sizeof(*v->rows.items), compare);
}

uint64_t sc_verified_count(const struct sc_verified *v, enum sc_verified_as as)
{
	uint64_t count = 0;

	for (size_t i = 0; i < v->rows.count; i++)
		count += v->rows.items[i].verdict == as;
	return count;
}

/* How many rows from this one on say the same. */
static size_t equal_rows(const struct sc_verified *v, size_t from)
{
	const struct sc_verified_row *a = &v->rows.items[from];
	size_t end = from + 1;

	for (; end < v->rows.count; end++) {
		const struct sc_verified_row *b = &v->rows.items[end];

		if (a->verdict != b->verdict || a->rule != b->rule ||
		    a->found_rule != b->found_rule || strcmp(a->what, b->what) ||
		    strcmp(a->reason ? a->reason : "", b->reason ? b->reason : ""))
			break;
	}
	return end - from;
}

static void add_row(struct sc_buf *out, const struct sc_verified_row *row, size_t times)
{
	sc_buf_printf(out, "SC-%u", row->rule);
	if (row->found_rule && row->found_rule != row->rule)
		sc_buf_printf(out, ", now SC-%u", row->found_rule);
	sc_buf_printf(out, ": %s", row->what);
	if (times > 1)
		sc_buf_printf(out, " (%zu findings)", times);
	if (row->reason)
		sc_buf_printf(out, ": %s", row->reason);
	else if (row->verdict == SC_VERIFIED_APART)
		sc_buf_add(out, ": the bytes were apart in this run");
}

static void print_rows(struct sc_buf *out, const struct sc_verified *v, enum sc_verified_as as,
		       const struct sc_report_style *style)
{
	size_t lines = 0, left = 0;
	struct sc_buf line = {0};

	for (size_t i = 0, times; i < v->rows.count; i += times) {
		times = equal_rows(v, i);
		if (v->rows.items[i].verdict != as)
			continue;
		if (++lines > LINES_SHOWN) {
			left += times;
			continue;
		}
		add_row(&line, &v->rows.items[i], times);
		sc_layout_fact(out, style, ways[as].words, sc_buf_text(&line));
		sc_buf_clear(&line);
	}
	if (left) {
		sc_words_count(&line, left, "more finding");
		sc_buf_add(&line, "; a report in JSON has all");
		sc_layout_fact(out, style, ways[as].words, sc_buf_text(&line));
	}
	sc_buf_fini(&line);
}

void sc_verified_print(struct sc_buf *out, const struct sc_verified *v,
		       const struct sc_report_style *style)
{
	struct sc_buf head = {0};

	sc_buf_add(&head, "streamcheck: ");
	sc_words_count(&head, v->rows.count, "finding");
	sc_buf_add(&head, " of ");
	sc_utf8_add_clean(&head, v->trace);
	sc_buf_add(&head, " tried again:");
	for (unsigned as = 0; as < SC_VERIFIED_WAYS; as++)
		sc_buf_printf(&head, "%s %" PRIu64 " %s", as ? "," : "", sc_verified_count(v, as),
			      ways[as].words);
	if (v->others) {
		sc_buf_add(&head, "; ");
		sc_words_count(&head, v->others, "other finding");
		sc_buf_add(&head, " of this run, which the first did not leave open, ");
		sc_buf_add(&head, v->others == 1 ? "is" : "are");
		sc_buf_add(&head, " in the report");
	}
	sc_layout_wrap(out, style, 0, 2, sc_buf_text(&head));
	sc_buf_add_char(out, '\n');
	sc_buf_fini(&head);
	for (unsigned as = 0; as < SC_VERIFIED_WAYS; as++)
		print_rows(out, v, as, style);
	sc_buf_add_char(out, '\n');
}

static void put_fingerprint(struct sc_json *w, const char *key, uint64_t fingerprint)
{
	char text[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(text, fingerprint);
	sc_json_text(w, key, text);
}

static void put_rule(struct sc_json *w, const char *key, unsigned rule)
{
	char text[16];

	snprintf(text, sizeof(text), "SC-%u", rule);
	sc_json_text(w, key, text);
}

static void put_row(struct sc_json *w, const struct sc_verified_row *row)
{
	sc_json_open(w, NULL, '{');
	put_rule(w, "rule", row->rule);
	sc_json_text(w, "verdict", ways[row->verdict].id);
	sc_json_text(w, "confidence", sc_words_confidence(row->confidence));
	sc_json_text(w, "what", row->what);
	put_fingerprint(w, "fingerprint", row->fingerprint);
	if (row->found_rule) {
		put_rule(w, "found_rule", row->found_rule);
		put_fingerprint(w, "found", row->found);
	}
	if (row->reason)
		sc_json_text(w, "reason", row->reason);
	sc_json_close(w, '}');
}

void sc_verified_put(struct sc_json *w, const struct sc_verified *v)
{
	sc_json_open(w, "verified", '{');
	sc_json_text(w, "trace", v->trace);
	sc_json_number(w, "proven", sc_verified_count(v, SC_VERIFIED_PROVEN));
	sc_json_number(w, "not_decided", sc_verified_count(v, SC_VERIFIED_OPEN));
	sc_json_number(w, "not_seen", sc_verified_count(v, SC_VERIFIED_APART));
	sc_json_open(w, "findings", '[');
	for (size_t i = 0; i < v->rows.count; i++)
		put_row(w, &v->rows.items[i]);
	sc_json_close(w, ']');
	sc_json_close(w, '}');
}
