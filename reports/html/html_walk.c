/* The walk over a trace for the HTML report. */
#include "reports/html/html_walk.h"

#include <stdbool.h>
#include "base/search.h"

#define ORDERS_MAX 400000 /* ops kept for drawings only */

/* Copies that hold the host are left out: what they wait for depends on their memory (4.2). */
bool sc_html_is_order(const struct sc_op *op)
{
	return op->kind == SC_OP_EVENT_RECORD || op->kind == SC_OP_EVENT_WAIT ||
	       sc_op_kind_class(op->kind) == SC_CLASS_WAIT;
}

/* The memory and the stretch of the trace that the findings are about. */
static void take_findings(struct sc_html_walk *w, const struct sc_report *r)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	w->first = UINT64_MAX;
	for (; count; count--, f++) {
		const struct sc_record *memory =
			f->allocation ? sc_analysis_record(r->analysis, f->allocation - 1) : NULL;

		if (memory)
			*sc_u64_map_get(&w->addresses, memory->op.dst) = 1;
		if (f->sides < 2)
			continue;
		if (sc_finding_shown(f, 0) < w->first)
			w->first = sc_finding_shown(f, 0);
		if (sc_finding_shown(f, 1) > w->end)
			w->end = sc_finding_shown(f, 1);
	}
}

#define LANE(lanes, map, number)                                                          \
	do {                                                                              \
		uint64_t *lane_ = sc_u64_map_get((map), (number));                        \
		if (!*lane_) {                                                            \
			sc_vector_push((lanes), ((struct sc_html_lane){.id = (number)})); \
			*lane_ = (lanes)->count;                                          \
		}                                                                         \
		(lanes)->items[*lane_ - 1].ops++;                                         \
	} while (0)

bool sc_html_ends_memory(const struct sc_op *op)
{
	return op->kind == SC_OP_FREE || op->kind == SC_OP_FREE_ASYNC ||
	       op->kind == SC_OP_HOST_FREE || op->kind == SC_OP_UNPIN;
}

/* True if the drawing of a finding may need the op. */
static bool is_needed(struct sc_html_walk *w, const struct sc_record *record)
{
	if (sc_html_ends_memory(&record->op) && sc_u64_map_find(&w->addresses, record->op.dst))
		return 1;
	if (!sc_html_is_order(&record->op) || record->sequence <= w->first ||
	    record->sequence >= w->end)
		return 0;
	if (w->orders == ORDERS_MAX) {
		w->is_cut = 1;
		return 0;
	}
	w->orders++;
	return 1;
}

/* Bytes that a copy of rows writes: the phrases about an op are made without its attachments. */
static uint64_t written_bytes(const struct sc_record *record)
{
	uint32_t bytes = 0;
	const struct sc_access *a = sc_record_attachment(record, SC_ATTACH_ACCESSES, &bytes);
	uint64_t written = 0;

	for (uint32_t i = 0; a && i < bytes / sizeof(*a); i++)
		if (a[i].mode & SC_WRITE)
			written += a[i].width * a[i].rows * a[i].slices;
	return a && record->op.kind != SC_OP_KERNEL ? written : record->op.bytes;
}

static void keep(struct sc_html_walk *w, const struct sc_record *record, bool is_shown)
{
	struct sc_html_op *op = sc_vector_add(&w->ops);

	*op = (struct sc_html_op){record->op, record->sequence, is_shown};
	op->op.bytes = written_bytes(record);
	if (sc_html_ends_memory(&op->op) && sc_u64_map_find(&w->addresses, op->op.dst))
		sc_vector_push(&w->ends, w->ops.count - 1);
}

/* One op of `stride`, spread so that no loop of the program is always sampled at the same call. */
static bool is_picked(const struct sc_html_walk *w)
{
	return (w->total * UINT64_C(0x9E3779B97F4A7C15) >> 32) % w->stride == 0;
}

/* Picked ops, those that findings name, and the end of each wait whose beginning is shown. */
static bool is_shown(const struct sc_html_walk *w, const struct sc_report *r,
		     const struct sc_record *record)
{
	if (sc_analysis_record(r->analysis, record->sequence))
		return 1;
	if (record->op.phase == SC_PHASE_END)
		return sc_u64_map_find(&w->begun, record->op.link) != NULL;
	return is_picked(w);
}

static void take(struct sc_html_walk *w, const struct sc_report *r, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;
	bool shown = is_shown(w, r, record);

	w->total++;
	if (shown && op->phase == SC_PHASE_BEGIN)
		*sc_u64_map_get(&w->begun, record->sequence + 1) = 1;
	if (!w->start_ns)
		w->start_ns = op->time_ns;
	if (op->thread)
		LANE(&w->threads, &w->thread_lane, op->thread);
	if (op->stream)
		LANE(&w->streams, &w->stream_lane, op->stream);
	if (is_needed(w, record) || shown)
		keep(w, record, shown);
}

void sc_html_walk_init(struct sc_html_walk *w, const struct sc_report *r, uint64_t most)
{
	const struct sc_coverage *c = sc_analysis_coverage(r->analysis);
	struct sc_record record;

	*w = (struct sc_html_walk){.stride = 1 + (c->ops + c->waits) / most};
	take_findings(w, r);
	sc_reader_rewind(r->reader);
	while (sc_reader_next(r->reader, &record) > 0)
		if (sc_op_kind_class(record.op.kind) != SC_CLASS_DEFINE)
			take(w, r, &record);
		else if (record.op.kind == SC_OP_RANGE_PUSH || record.op.kind == SC_OP_RANGE_START)
			w->has_ranges = 1;
}

void sc_html_walk_fini(struct sc_html_walk *w)
{
	sc_vector_fini(&w->ops);
	sc_vector_fini(&w->ends);
	sc_vector_fini(&w->threads);
	sc_vector_fini(&w->streams);
	sc_u64_map_fini(&w->thread_lane);
	sc_u64_map_fini(&w->stream_lane);
	sc_u64_map_fini(&w->addresses);
	sc_u64_map_fini(&w->begun);
}

size_t sc_html_walk_find(const struct sc_html_walk *w, uint64_t sequence)
{
	size_t i;

	SC_SEARCH(i, w->ops.count, w->ops.items[i].sequence < sequence);
	return i;
}
