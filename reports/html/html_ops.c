/* The ops of the overview as data of the HTML report: what they are, when they were called, when
 * the device worked on them. */
#include "reports/html/html.h"
#include "reports/html/html_number.h"

void sc_html_add_place(struct sc_html *h, const struct sc_op *op)
{
	const struct sc_frame *frame;
	struct sc_report_site site;

	sc_site_of(&site, &h->report, op);
	frame = sc_site_frame(&site);
	if (frame)
		sc_site_add_place(&h->phrase, frame, h->style->directory);
}

/* What an op looks like, all but its place in the trace: [kind, class, phase, thread, stream,
 * object, failed, label, place]. */
static uint32_t shape_of(struct sc_html *h, const struct sc_html_op *html_op)
{
	const struct sc_op *op = &html_op->op;
	struct sc_record plain = {.op = *op, .sequence = html_op->sequence};
	struct sc_buf fragment = {0};
	struct sc_json w = {.out = &fragment, .is_page = 1};
	uint32_t index;

	sc_json_open(&w, NULL, '[');
	sc_json_text(&w, NULL, sc_op_kind_text(op->kind) ?: "unknown");
	sc_json_number(&w, NULL, sc_op_kind_class(op->kind));
	sc_json_number(&w, NULL, op->phase);
	sc_json_number(&w, NULL, op->thread);
	sc_json_number(&w, NULL, op->stream);
	sc_json_number(&w, NULL, op->object);
	sc_json_number(&w, NULL, op->result != 0);
	sc_words_op(&h->phrase, &h->words, &plain);
	sc_json_text(&w, NULL, sc_buf_text(&h->phrase));
	sc_buf_clear(&h->phrase);
	sc_html_add_place(h, op);
	sc_json_text(&w, NULL, sc_buf_text(&h->phrase));
	sc_buf_clear(&h->phrase);
	sc_json_close(&w, ']');
	index = sc_json_pool_add(&h->shapes, &fragment);
	sc_buf_fini(&fragment);
	return index;
}

/* The ops as pairs of numbers: the distance from the op before, and the index of the shape. */
static void add_ops(struct sc_html *h, struct sc_buf *data)
{
	uint64_t last = 0;

	for (size_t i = 0; i < h->walk.ops.count; i++) {
		const struct sc_html_op *op = &h->walk.ops.items[i];

		if (!op->is_shown)
			continue;
		sc_html_add_number(data, op->sequence - last);
		sc_html_add_number(data, shape_of(h, op));
		last = op->sequence;
	}
}

/* Records of one op that the overview shows one by one; a graph with more is shown as a whole. */
#define PARTS_MAX 16

/* When the calls were made, each as its distance from the one before; nothing if no op has a time.
 * A call without a time is taken to have been made with the call before. */
static void add_times(const struct sc_html *h, struct sc_buf *data)
{
	uint64_t last = h->walk.start_ns;

	for (size_t i = 0; h->walk.start_ns && i < h->walk.ops.count; i++) {
		const struct sc_html_op *op = &h->walk.ops.items[i];

		uint64_t time = op->op.time_ns ? op->op.time_ns : last;

		if (!op->is_shown)
			continue;
		sc_html_add_signed(data, (int64_t)(time - last));
		last = time;
	}
}

static void add_part(struct sc_buf *data, uint64_t delta, uint64_t call_ns,
		     const struct sc_device_time *part)
{
	sc_html_add_number(data, delta);
	sc_html_add_signed(data, (int64_t)(part->start_ns - call_ns));
	sc_html_add_number(data, part->end_ns - part->start_ns);
	sc_html_add_number(data, part->engine);
	sc_html_add_number(data, part->device);
}

/* The parts of an op that the device ran; returns how many parts were written. */
static unsigned add_parts(struct sc_buf *data, const struct sc_device_times *times,
			  const struct sc_html_op *op, uint64_t delta)
{
	const struct sc_device_time *part;
	size_t count = sc_device_parts_of(times, op->sequence, &part);
	struct sc_device_span whole;
	unsigned written = 0;

	if (count > PARTS_MAX && sc_device_time_of(times, op->sequence, &whole)) {
		add_part(data, delta, op->op.time_ns,
			 &(struct sc_device_time){.start_ns = whole.start_ns,
						  .end_ns = whole.end_ns,
						  .engine = SC_ENGINE_GRAPH,
						  .device = part->device});
		return 1;
	}
	for (; count; count--, part++)
		if (sc_device_time_counts(part))
			add_part(data, written++ ? 0 : delta, op->op.time_ns, part);
	return written;
}

/* When the device worked on shown ops, where that is known, five numbers a record: how many shown
 * ops after the op of the record before, nanoseconds from the call to the start (signed) and from
 * there to the end, engine, device. */
static void add_spans(struct sc_html *h, struct sc_buf *data)
{
	const struct sc_device_times *times = sc_analysis_times(h->report.analysis);
	uint64_t delta = 0;

	for (size_t i = 0; times->list.count && i < h->walk.ops.count; i++) {
		const struct sc_html_op *op = &h->walk.ops.items[i];

		if (!op->is_shown)
			continue;
		if (add_parts(data, times, op, delta))
			delta = 0;
		delta++;
	}
}

/* The second since 1970 at which the clock of the calls stood at zero: the same for all processes
 * of a machine, give or take one. */
static void put_boot(struct sc_html *h)
{
	const struct sc_trace_header *header = sc_reader_header(h->report.reader);
	uint64_t up_s = header->start_ns / UINT64_C(1000000000);

	sc_json_number(&h->w, "boot",
		       header->start_unix_s > up_s ? header->start_unix_s - up_s : 0);
}

void sc_html_put_ops(struct sc_html *h)
{
	struct sc_buf data = {0};

	sc_json_number(&h->w, "total", h->walk.total);
	sc_json_number(&h->w, "stride", h->walk.stride);
	sc_json_number(&h->w, "start", h->walk.start_ns);
	put_boot(h);
	sc_json_number(&h->w, "error", sc_analysis_times(h->report.analysis)->error_ns);
	add_ops(h, &data);
	sc_html_put_numbers(&h->w, "ops", &data);
	sc_html_put_pool(h, "shapes", &h->shapes);
	add_times(h, &data);
	sc_html_put_numbers(&h->w, "times", &data);
	add_spans(h, &data);
	sc_html_put_numbers(&h->w, "spans", &data);
	sc_buf_fini(&data);
}
