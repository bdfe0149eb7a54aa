/* What the page shows of findings beside the JSON report: their drawings, where their memory ended,
 * how their fixes are written. */
#include "reports/html/html.h"

#include <stdbool.h>
#include "base/search.h"
#include "reports/html/html_graph.h"

static const struct sc_record *record_of(const struct sc_html *h, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(h->report.analysis, op_plus - 1) : NULL;
}

/* The stream in which an op runs; 0: it is the host's. */
static uint32_t lane_of(const struct sc_op *op)
{
	return sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE ? op->stream : 0;
}

/* The op that ended memory which began with `begin`, or NULL. */
static const struct sc_html_op *end_of(const struct sc_html *h, const struct sc_record *begin)
{
	const struct sc_html_walk *w = &h->walk;

	size_t i;

	SC_SEARCH(i, w->ends.count, w->ops.items[w->ends.items[i]].sequence <= begin->sequence);
	for (; i < w->ends.count; i++) {
		const struct sc_html_op *op = &w->ops.items[w->ends.items[i]];

		if (op->op.dst == begin->op.dst)
			return op;
	}
	return NULL;
}

/* Where the memory ended. */
static void put_end(struct sc_html *h, const struct sc_finding *f)
{
	const struct sc_record *begin = record_of(h, f->allocation);
	const struct sc_html_op *end = begin ? end_of(h, begin) : NULL;

	if (!end)
		return;
	sc_json_open(&h->w, "freed", '{');
	sc_json_text(&h->w, "op", sc_op_kind_text(end->op.kind) ?: "unknown");
	sc_json_number(&h->w, "sequence", end->sequence);
	sc_json_frames(&h->w, &h->report, &end->op, &h->scope, SC_JSON_ORIGIN);
	sc_json_close(&h->w, '}');
}

/* Lines of code with "$" for a stream, for the fix as a difference. */
static void put_dialect(struct sc_html *h, const struct sc_dialect *d)
{
	sc_json_open(&h->w, "code", '{');
	sc_json_text(&h->w, "defaultStream", d->default_stream);
	sc_json_bool(&h->w, "isDriver", sc_dialect_is_driver(d));
	sc_json_text(&h->w, "streamSync", d->stream_sync.code);
	sc_json_text(&h->w, "deviceSync", d->device_sync.code);
	sc_json_text(&h->w, "record", d->record.code);
	sc_json_text(&h->w, "wait", d->wait.code);
	sc_json_text(&h->w, "event", d->event);
	sc_json_bool(&h->w, "choosesDevice", h->names.devices > 1 && sc_dialect_is_runtime(d));
	sc_json_close(&h->w, '}');
}

/* A node: sequence number, thread, stream, marks, phrase, place. */
static void put_node(struct sc_html *h, const struct sc_html_node *node)
{
	const struct sc_html_op *op = node->op;
	struct sc_record plain = {.op = op->op, .sequence = op->sequence};
	const struct sc_record *record = record_of(h, op->sequence + 1);

	sc_json_open(&h->w, NULL, '[');
	sc_json_number(&h->w, NULL, op->sequence);
	sc_json_number(&h->w, NULL, op->op.thread);
	sc_json_number(&h->w, NULL, lane_of(&op->op));
	sc_json_number(&h->w, NULL, node->marks);
	sc_words_op(&h->phrase, &h->words, record ? record : &plain);
	sc_json_phrase(&h->w, NULL, &h->phrase);
	sc_html_add_place(h, &op->op);
	sc_json_phrase(&h->w, NULL, &h->phrase);
	sc_json_close(&h->w, ']');
}

static void put_graph(struct sc_html *h, const struct sc_finding *f, bool is_drawn)
{
	struct sc_html_graph g = {0};

	if (is_drawn)
		sc_html_graph_init(&g, &h->walk, f);
	sc_json_open(&h->w, "nodes", '[');
	for (unsigned i = 0; i < g.node_count; i++)
		put_node(h, &g.nodes[i]);
	sc_json_close(&h->w, ']');
	sc_json_open(&h->w, "edges", '[');
	for (unsigned i = 0; i < g.edge_count; i++) {
		sc_json_open(&h->w, NULL, '[');
		sc_json_number(&h->w, NULL, g.edges[i].from);
		sc_json_number(&h->w, NULL, g.edges[i].to);
		sc_json_number(&h->w, NULL, g.edges[i].kind);
		sc_json_close(&h->w, ']');
	}
	sc_json_close(&h->w, ']');
	if (g.left_out)
		sc_json_number(&h->w, "leftOut", g.left_out);
	if (g.is_cut)
		sc_json_bool(&h->w, "graphCut", 1);
}

static void put_drawing(struct sc_html *h, const struct sc_finding *f, bool is_drawn)
{
	sc_words_set_finding(&h->words, f);
	sc_joint_use_rules(h->joint, f);
	sc_json_open(&h->w, NULL, '{');
	put_end(h, f);
	put_dialect(h, h->words.dialect);
	put_graph(h, f, is_drawn);
	sc_json_close(&h->w, '}');
}

void sc_html_put_drawings(struct sc_html *h)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(h->report.analysis, &count);

	sc_json_open(&h->w, "drawings", '[');
	for (size_t i = 0; i < count && i < h->scope.findings_most; i++)
		put_drawing(h, &f[i], i < h->drawings_most);
	sc_json_close(&h->w, ']');
}
