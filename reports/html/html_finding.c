/* What the page shows of findings beside the JSON report: their drawings, where their memory ended,
 * how their fixes are written, and the source lines of all that. */
#include "reports/html/html.h"

#include <stdbool.h>
#include "base/search.h"
#include "reports/html/html_graph.h"
#include "reports/json_report.h"
#include "reports/sources/origin.h"

#define AROUND 4 /* source lines shown on each side of a call */

static const struct sc_record *record_of(const struct sc_html *h, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(h->report.analysis, op_plus - 1) : NULL;
}

/* The stream in which an op runs; 0: it is the host's. */
static uint32_t lane_of(const struct sc_op *op)
{
	return sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE ? op->stream : 0;
}

static void want_lines(struct sc_html *h, const struct sc_op *op, unsigned around)
{
	const struct sc_frame *frame;
	struct sc_report_site site;

	sc_site_of(&site, &h->report, op);
	frame = sc_site_frame(&site);
	if (frame)
		sc_html_source_want(&h->source, frame, around);
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

	if (begin)
		want_lines(h, &begin->op, 1);
	if (!end)
		return;
	want_lines(h, &end->op, 1);
	sc_json_open(&h->w, "freed", '{');
	sc_json_text(&h->w, "op", sc_op_kind_text(end->op.kind) ?: "unknown");
	sc_json_number(&h->w, "sequence", end->sequence);
	sc_json_frames(&h->w, &h->report, &end->op);
	sc_json_close(&h->w, '}');
}

/* The lines where streams, events and graphs were made. */
static void want_objects(struct sc_html *h, const struct sc_finding *f)
{
	struct sc_origin_object objects[SC_ORIGIN_OBJECTS];
	size_t count = sc_origin_objects(objects, &h->report, f);
	const struct sc_frame *frame;
	struct sc_report_site site;

	for (size_t i = 0; i < count; i++) {
		sc_site_of_stack(&site, &h->report, objects[i].stack);
		frame = sc_site_frame(&site);
		if (frame)
			sc_html_source_want(&h->source, frame, 1);
	}
}

/* The lines at which a fix belongs. */
static void want_fix(struct sc_html *h, const struct sc_finding *f)
{
	const struct sc_frame *after = sc_words_spot_frame(&h->words, f->fix_after);
	const struct sc_frame *before = sc_words_spot_frame(&h->words, f->fix_before);

	if (after)
		sc_html_source_want(&h->source, after, AROUND);
	if (before)
		sc_html_source_want(&h->source, before, AROUND);
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

static void add_place(struct sc_html *h, const struct sc_op *op)
{
	const struct sc_frame *frame;
	struct sc_report_site site;

	sc_site_of(&site, &h->report, op);
	frame = sc_site_frame(&site);
	if (frame)
		sc_site_add_place(&h->phrase, frame, h->style->directory);
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
	sc_html_put_phrase(h, NULL);
	add_place(h, &op->op);
	sc_html_put_phrase(h, NULL);
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

/* The pages of the rule and of its causes go with the report. */
static void use_rules(struct sc_html *h, const struct sc_finding *f)
{
	*sc_u64_map_get(&h->joint->rules, f->rule) = 1;
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			*sc_u64_map_get(&h->joint->rules, f->causes[i]) = 1;
}

static void put_finding(struct sc_html *h, const struct sc_finding *f, bool is_drawn)
{
	sc_words_set_finding(&h->words, f);
	use_rules(h, f);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		if (record_of(h, f->side[i].op + 1))
			want_lines(h, &record_of(h, f->side[i].op + 1)->op, AROUND);
	sc_json_open(&h->w, NULL, '{');
	put_end(h, f);
	want_objects(h, f);
	want_fix(h, f);
	put_dialect(h, h->words.dialect);
	put_graph(h, f, is_drawn);
	sc_json_close(&h->w, '}');
}

enum { MET = 1, MET_PROVEN = 2 };

static bool is_proven_error(const struct sc_finding *f)
{
	return f->severity == SC_ERROR && f->confidence == SC_PROVEN;
}

/* A finding that several processes have is one of the run. Returns whether it is new. */
static bool count_one(struct sc_joint *j, const struct sc_finding *f, uint64_t fingerprint)
{
	uint64_t *met = sc_u64_map_get(&j->ids, fingerprint);
	bool is_new = !(*met & MET);

	j->counts[f->severity % 3] += is_new;
	j->counts[3] += is_proven_error(f) && !(*met & MET_PROVEN);
	*met |= MET | (is_proven_error(f) ? MET_PROVEN : 0);
	return is_new;
}

bool sc_html_count_in_run(struct sc_joint *j, const struct sc_report *r,
			  const struct sc_fingerprints *prints)
{
	bool has_new = 0;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	for (size_t i = 0; i < count; i++)
		has_new |= count_one(j, &f[i], prints->items[i]);
	return has_new;
}

void sc_html_put_counts(struct sc_json *w, const uint64_t counts[SC_JOINT_COUNTS])
{
	sc_json_open(w, "counts", '[');
	for (unsigned i = 0; i < SC_JOINT_COUNTS; i++)
		sc_json_number(w, NULL, counts[i]);
	sc_json_close(w, ']');
}

/* Of the process, shown in full or not. */
static void count_findings(struct sc_html *h)
{
	uint64_t counts[SC_JOINT_COUNTS] = {0};
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(h->report.analysis, &count);

	for (size_t i = 0; i < count; i++) {
		counts[f[i].severity % 3]++;
		counts[3] += is_proven_error(&f[i]);
	}
	sc_html_put_counts(&h->w, counts);
}

void sc_html_put_findings(struct sc_html *h)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(h->report.analysis, &count);

	sc_json_open(&h->w, "drawings", '[');
	for (size_t i = 0; i < count && i < h->findings_most; i++)
		put_finding(h, &f[i], i < h->drawings_most);
	sc_json_close(&h->w, ']');
	count_findings(h);
}
