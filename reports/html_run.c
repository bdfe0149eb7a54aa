/* The run as data of the HTML report: coverage, lanes, kernels, and the ops of the overview. */
#include "reports/html.h"
#include "reports/json_coverage.h"

#include <inttypes.h>
#include <string.h>

/* Event sources and losses, as the recorder noted them. */
static void put_notes(struct sc_html *h)
{
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(h->report.analysis, &count);

	sc_json_open(&h->w, "notes", '[');
	for (size_t i = 0; i < count; i++) {
		uint32_t bytes = 0;
		const char *text = sc_record_attachment(&notes[i], SC_ATTACH_TEXT, &bytes);

		sc_json_open(&h->w, NULL, '{');
		sc_json_bool(&h->w, "lost", notes[i].op.kind == SC_OP_LOST);
		sc_json_number(&h->w, "value", notes[i].op.value);
		sc_buf_add_bytes(&h->phrase, text ? text : "", text ? bytes : 0);
		sc_html_put_phrase(h, "text");
		sc_json_close(&h->w, '}');
	}
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
	sc_json_open(&h->w, "kernelList", '[');
	for (size_t i = 0; i < h->walk.kernels.count; i++) {
		const struct sc_html_kernel *k = &h->walk.kernels.items[i];

		sc_json_open(&h->w, NULL, '{');
		sc_words_kernel(&h->phrase, &h->words, k->id);
		sc_html_put_phrase(h, "name");
		sc_json_number(&h->w, "launches", k->launches);
		sc_json_number(&h->w, "declared", k->declared);
		sc_json_number(&h->w, "parameter", k->parameter);
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
}

void sc_html_put_run(struct sc_html *h)
{
	sc_json_bool(&h->w, "complete", sc_analysis_complete(h->report.analysis));
	sc_json_coverage(&h->w, sc_analysis_coverage(h->report.analysis));
	put_notes(h);
	put_lanes(h);
	put_kernels(h);
}

static void add_base64(struct sc_buf *out, const struct sc_buf *data)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < data->bytes; i += 3) {
		size_t left = data->bytes - i;
		uint32_t bits = (uint32_t)(unsigned char)data->text[i] << 16;

		if (left > 1)
			bits |= (uint32_t)(unsigned char)data->text[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)data->text[i + 2];
		sc_buf_add_char(out, digits[bits >> 18]);
		sc_buf_add_char(out, digits[bits >> 12 & 63]);
		sc_buf_add_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		sc_buf_add_char(out, left > 2 ? digits[bits & 63] : '=');
	}
}

/* Seven bits a byte, the lowest first. */
static void add_number(struct sc_buf *out, uint64_t number)
{
	for (; number > 0x7F; number >>= 7)
		sc_buf_add_char(out, (char)(0x80 | (number & 0x7F)));
	sc_buf_add_char(out, (char)number);
}

/* The line from which an op came, as a text; the empty one if it is not known. */
static uint32_t place_of(struct sc_html *h, const struct sc_op *op)
{
	const struct sc_frame *frame;
	struct sc_site site;

	sc_site_of(&site, &h->report, op);
	frame = sc_site_frame(&site);
	if (frame)
		sc_site_add_place(&h->phrase, frame, h->style->directory);
	return sc_html_take_phrase(h);
}

/* What an op looks like, all but its place in the trace: [kind, class, phase, thread, stream,
 * object, failed, label, place]. */
static uint32_t shape_of(struct sc_html *h, const struct sc_html_op *html_op)
{
	const struct sc_op *op = &html_op->op;
	struct sc_record plain = {.op = *op, .sequence = html_op->sequence};
	const char *kind = sc_op_kind_text(op->kind);
	uint32_t kind_text = sc_html_pool_text(&h->texts, kind ? kind : "unknown");
	uint32_t place = place_of(h, op), label, index;
	struct sc_buf fragment = {0};

	sc_words_op(&h->phrase, &h->words, &plain);
	label = sc_html_take_phrase(h);
	sc_buf_printf(&fragment,
		      "[%" PRIu32 ",%d,%d,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%d,%" PRIu32
		      ",%" PRIu32 "]",
		      kind_text, (int)sc_op_kind_class(op->kind), op->phase, op->thread, op->stream,
		      op->object, op->result != 0, label, place);
	index = sc_html_pool_add(&h->shapes, &fragment);
	sc_buf_fini(&fragment);
	return index;
}

/* The ops as pairs of numbers: how far behind the one before, and the index of the shape. */
static void add_ops(struct sc_html *h, struct sc_buf *data)
{
	uint64_t last = 0;

	for (size_t i = 0; i < h->walk.ops.count; i++) {
		const struct sc_html_op *op = &h->walk.ops.items[i];

		if (!op->is_shown)
			continue;
		add_number(data, op->sequence - last);
		add_number(data, shape_of(h, op));
		last = op->sequence;
	}
}

/* When the device worked on shown ops, where that is known: triples of numbers, how many shown ops
 * behind the one before, nanoseconds from the call to the start, and until the end. */
static void add_spans(struct sc_html *h, struct sc_buf *data)
{
	const struct sc_device_times *times = sc_analysis_times(h->report.analysis);
	uint64_t behind = 0;

	for (size_t i = 0; times->list.count && i < h->walk.ops.count; i++) {
		const struct sc_html_op *op = &h->walk.ops.items[i];
		struct sc_device_span span;

		if (!op->is_shown)
			continue;
		if (sc_device_time_of(times, op->sequence, &span)) {
			uint64_t waited = span.start_ns - span.queued_ns;

			add_number(data, behind);
			add_number(data, span.start_ns > span.queued_ns ? waited : 0);
			add_number(data, span.end_ns - span.start_ns);
			behind = 0;
		}
		behind++;
	}
}

void sc_html_put_ops(struct sc_html *h)
{
	struct sc_buf data = {0}, text = {0};

	add_ops(h, &data);
	add_base64(&text, &data);
	sc_json_number(&h->w, "total", h->walk.total);
	sc_json_number(&h->w, "stride", h->walk.stride);
	sc_json_text(&h->w, "ops", sc_buf_text(&text));
	sc_buf_clear(&data);
	sc_buf_clear(&text);
	add_spans(h, &data);
	add_base64(&text, &data);
	sc_json_text(&h->w, "spans", sc_buf_text(&text));
	sc_buf_fini(&data);
	sc_buf_fini(&text);
}
