/* The report as graphs for Graphviz: one digraph a finding, lanes, what orders them, what does not.
 *
 * A graph has a lane for each host thread and stream that the finding is about, in them the two
 * operations, the allocation, the wait that came closest, and the records and waits between the two
 * of these lanes (NEAR at most; a note counts the others). Solid edges are the order within a lane,
 * dotted ones lead from a record to the wait that takes it, the dashed red one is the edge that is
 * missing.
 */
#include "reports/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/search.h"
#include "base/vector.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/sources/site.h"
#include "reports/utf8.h"
#include "reports/words/words.h"

#define NEAR	24     /* records and waits shown in one graph */
#define SCANNED 10000  /* records and waits looked at for one graph */
#define ORDERS	200000 /* records and waits kept of a trace */

/* A record or wait of the trace. */
struct order {
	uint64_t sequence;
	uint32_t thread;
	uint32_t stream;
	uint32_t event;
	uint16_t kind;
};

struct dot {
	struct sc_buf *out;
	const struct sc_report *report;
	struct sc_words words;
	SC_VECTOR(struct order) orders; /* in trace order */
	SC_VECTOR(struct order) nodes;	/* of the graph under construction, in trace order */
	struct sc_buf phrase;
	uint64_t left_out; /* records and waits between the sides that the graph does not show */
	bool is_cut;	   /* the trace has more than ORDERS */
};

static bool is_order(const struct sc_op *op)
{
	return op->kind == SC_OP_EVENT_RECORD || op->kind == SC_OP_EVENT_WAIT ||
	       (sc_op_kind_class(op->kind) == SC_CLASS_WAIT && op->phase != SC_PHASE_END);
}

static struct order order_of(const struct sc_record *record)
{
	const struct sc_op *op = &record->op;

	return (struct order){
		.sequence = record->sequence,
		.thread = op->thread,
		.stream = sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE ? op->stream : 0,
		.event = op->object,
		.kind = op->kind,
	};
}

static void collect(struct dot *d)
{
	struct sc_record record;
	size_t count;

	sc_analysis_findings(d->report->analysis, &count);
	if (!count)
		return;
	sc_reader_rewind(d->report->reader);
	while (!d->is_cut && sc_reader_next(d->report->reader, &record) > 0) {
		if (!is_order(&record.op))
			continue;
		d->is_cut = d->orders.count == ORDERS;
		sc_vector_push(&d->orders, order_of(&record));
	}
}

static bool has_node(const struct dot *d, uint64_t sequence)
{
	for (size_t i = 0; i < d->nodes.count; i++)
		if (d->nodes.items[i].sequence == sequence)
			return 1;
	return 0;
}

/* Adds an op of the finding, named by its number + 1. */
static void add_node(struct dot *d, uint64_t op_plus)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(d->report->analysis, op_plus - 1) : NULL;

	if (record && !has_node(d, record->sequence))
		sc_vector_push(&d->nodes, order_of(record));
}

/* Whether the finding is about the lane of an order: work of its streams, waits of its threads. */
static bool is_near(const struct sc_finding *f, const struct order *o)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		if (o->stream ? o->stream == f->side[i].stream : o->thread == f->side[i].thread)
			return 1;
	return 0;
}

static size_t first_after(const struct dot *d, uint64_t sequence)
{
	size_t i;

	SC_SEARCH(i, d->orders.count, d->orders.items[i].sequence <= sequence);
	return i;
}

/* The records and waits between the two sides, from the second one backwards: the last are the
 * ones that could have helped. */
static void add_orders(struct dot *d, const struct sc_finding *f)
{
	size_t first, last, shown = 0, named = 0;

	if (f->sides < 2 || sc_side_position(&f->side[0]) >= sc_side_position(&f->side[1]))
		return;
	first = first_after(d, sc_side_position(&f->side[0]));
	last = first_after(d, sc_side_position(&f->side[1]));
	for (size_t i = last; i > first && last - i < SCANNED && shown < NEAR; i--) {
		const struct order *o = &d->orders.items[i - 1];

		if (has_node(d, o->sequence)) {
			named++;
		} else if (is_near(f, o)) {
			sc_vector_push(&d->nodes, *o);
			shown++;
		}
	}
	d->left_out = last - first - shown - named;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = ((const struct order *)a)->sequence;
	uint64_t right = ((const struct order *)b)->sequence;

	return (left > right) - (left < right);
}

static void find_nodes(struct dot *d, const struct sc_finding *f)
{
	sc_vector_clear(&d->nodes);
	d->left_out = 0;
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		add_node(d, f->side[i].op + 1);
	add_node(d, f->allocation);
	add_node(d, f->reach_op);
	add_node(d, f->reach_record);
	add_orders(d, f);
	if (d->nodes.count)
		qsort(d->nodes.items, d->nodes.count, sizeof(*d->nodes.items), compare);
}

/* Appends a quoted text; Graphviz takes \n as a line end. */
static void add_quoted(struct sc_buf *out, const char *text)
{
	struct sc_buf clean = {0};

	sc_utf8_add_clean(&clean, text);
	sc_buf_add_char(out, '"');
	for (const char *c = sc_buf_text(&clean); *c; c++) {
		if (*c == '"' || *c == '\\')
			sc_buf_add_char(out, '\\');
		sc_buf_add_char(out, *c);
	}
	sc_buf_add_char(out, '"');
	sc_buf_fini(&clean);
}

/* What an order of the trace is called that no finding names, so that its op is not kept. */
static void add_plain_label(struct dot *d, const struct order *o)
{
	const char *kind = sc_op_kind_text(o->kind);

	sc_buf_add(&d->phrase, kind ? kind : "operation");
	if (o->kind == SC_OP_EVENT_RECORD || o->kind == SC_OP_EVENT_WAIT ||
	    o->kind == SC_OP_EVENT_SYNC || o->kind == SC_OP_EVENT_QUERY)
		sc_buf_printf(&d->phrase, " of event %" PRIu32, o->event);
	sc_buf_printf(&d->phrase, " (operation %" PRIu64 ")", o->sequence);
}

static void add_label(struct dot *d, const struct order *o)
{
	const struct sc_record *record = sc_analysis_record(d->report->analysis, o->sequence);

	if (!record) {
		add_plain_label(d, o);
		return;
	}
	sc_words_op(&d->phrase, &d->words, record);
	if (record->op.kind == SC_OP_EXIT)
		return;
	sc_buf_add(&d->phrase, " at ");
	sc_facts_place(&d->phrase, &d->words, o->sequence);
}

static bool is_side(const struct sc_finding *f, uint64_t sequence)
{
	return f->side[0].op == sequence || (f->sides > 1 && f->side[1].op == sequence);
}

static void print_node(struct dot *d, const struct sc_finding *f, const struct order *o)
{
	add_label(d, o);
	sc_buf_printf(d->out, "    n%" PRIu64 " [label=", o->sequence);
	add_quoted(d->out, sc_buf_text(&d->phrase));
	sc_buf_clear(&d->phrase);
	sc_buf_add(d->out,
		   is_side(f, o->sequence) ? ", style=filled, fillcolor=\"#ffd6d6\"];\n" : "];\n");
}

static bool is_same_lane(const struct order *a, const struct order *b)
{
	return a->stream == b->stream && (a->stream || a->thread == b->thread);
}

static void print_lane_name(struct dot *d, const struct order *o)
{
	if (o->stream)
		sc_words_stream(&d->phrase, &d->words, o->stream);
	else
		sc_buf_printf(&d->phrase, "host thread %" PRIu32, o->thread);
	sc_buf_add(d->out, "    label=");
	add_quoted(d->out, sc_buf_text(&d->phrase));
	sc_buf_add(d->out, ";\n");
	sc_buf_clear(&d->phrase);
}

/* A programmatic launch, or a source that is read out of order, is not ordered after the
 * earlier work of its stream. */
static bool is_after(const struct sc_finding *f, const struct order *last, const struct order *o)
{
	return !sc_finding_lacks_order(f) || last->sequence != f->side[0].op ||
	       o->sequence != f->side[1].op;
}

/* A lane: its nodes, and the edges of its own order. */
static void print_lane(struct dot *d, const struct sc_finding *f, size_t first)
{
	const struct order *lane = &d->nodes.items[first], *last = NULL;

	sc_buf_printf(d->out, "  subgraph cluster_%zu {\n", first);
	print_lane_name(d, lane);
	for (size_t i = first; i < d->nodes.count; i++) {
		const struct order *o = &d->nodes.items[i];

		if (!is_same_lane(lane, o))
			continue;
		print_node(d, f, o);
		if (last && is_after(f, last, o))
			sc_buf_printf(d->out, "    n%" PRIu64 " -> n%" PRIu64 ";\n", last->sequence,
				      o->sequence);
		last = o;
	}
	sc_buf_add(d->out, "  }\n");
}

static bool is_first_of_lane(const struct dot *d, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (is_same_lane(&d->nodes.items[i], &d->nodes.items[index]))
			return 0;
	return 1;
}

/* Records lead to the waits that take them: the last record of the event before the wait. */
static void print_events(struct dot *d)
{
	for (size_t i = 0; i < d->nodes.count; i++) {
		const struct order *wait = &d->nodes.items[i];

		if (wait->kind != SC_OP_EVENT_WAIT && wait->kind != SC_OP_EVENT_SYNC)
			continue;
		for (size_t k = i; k-- > 0;) {
			const struct order *record = &d->nodes.items[k];

			if (record->kind != SC_OP_EVENT_RECORD || record->event != wait->event)
				continue;
			sc_buf_printf(d->out,
				      "  n%" PRIu64 " -> n%" PRIu64
				      " [style=dotted, label=\"event %" PRIu32 "\"];\n",
				      record->sequence, wait->sequence, wait->event);
			break;
		}
	}
}

static void print_title(struct dot *d, const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	sc_buf_printf(&d->phrase, "SC-%u %s: %s [%s]", f->rule, rule ? rule->slug : "unknown-rule",
		      rule ? rule->summary : "", sc_words_confidence(f->confidence));
	sc_buf_printf(&d->phrase, ", finding %u", f->number);
	if (d->left_out)
		sc_buf_printf(&d->phrase, "; not shown of the records and waits between: %" PRIu64,
			      d->left_out);
	if (d->is_cut)
		sc_buf_printf(&d->phrase, "; only the first %d of the run are known here", ORDERS);
	sc_buf_add(d->out, "  labelloc=t;\n  label=");
	add_quoted(d->out, d->phrase.text);
	sc_buf_add(d->out, ";\n");
	sc_buf_clear(&d->phrase);
}

/* The edge that is missing. A finding that is no collision lacks no edge; its two ops only belong
 * together. */
static void print_missing(struct dot *d, const struct sc_finding *f)
{
	if (f->sides < 2 || !has_node(d, f->side[0].op) || !has_node(d, f->side[1].op))
		return;
	sc_words_fix(&d->phrase, &d->words, f);
	sc_buf_printf(d->out, "  n%" PRIu64 " -> n%" PRIu64 " [style=dashed, constraint=false, ",
		      f->side[0].op, f->side[1].op);
	if (sc_finding_lacks_order(f))
		sc_buf_add(d->out, "color=red, fontcolor=red, label=\"not ordered\", ");
	else
		sc_buf_add(d->out, "color=gray, ");
	sc_buf_add(d->out, "tooltip=");
	add_quoted(d->out, sc_buf_text(&d->phrase));
	sc_buf_add(d->out, "];\n");
	sc_buf_clear(&d->phrase);
}

static void print_graph(struct dot *d, const struct sc_finding *f, uint64_t fingerprint)
{
	char name[SC_FINGERPRINT_SIZE];

	sc_words_set_finding(&d->words, f);
	find_nodes(d, f);
	sc_fingerprint_text(name, fingerprint);
	sc_buf_printf(d->out, "digraph \"%s\" {\n", name);
	print_title(d, f);
	sc_buf_add(d->out, "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
			   "  edge [fontname=\"sans-serif\", fontsize=9];\n");
	for (size_t i = 0; i < d->nodes.count; i++)
		if (is_first_of_lane(d, i))
			print_lane(d, f, i);
	print_events(d);
	print_missing(d, f);
	sc_buf_add(d->out, "}\n");
}

/* A comment, so that a file of many graphs can be read. */
static void print_process(struct dot *d)
{
	sc_buf_add(d->out, "// ");
	sc_joint_add_name(d->out, d->report->names);
	sc_buf_add(d->out, ": ");
	sc_utf8_add_clean(d->out, d->report->names->command);
	sc_buf_add_char(d->out, '\n');
}

void sc_report_dot(struct sc_joint *joint, const struct sc_report *r,
		   const struct sc_report_style *style)
{
	struct dot d = {.out = &joint->parts, .report = r};
	struct sc_fingerprints fingerprints;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	sc_words_init(&d.words, r, style->directory);
	sc_fingerprints_init(&fingerprints, r);
	collect(&d);
	if (sc_joint_is_many(joint) && count)
		print_process(&d);
	for (size_t i = 0; i < count; i++)
		print_graph(&d, &f[i], fingerprints.items[i]);
	sc_fingerprints_fini(&fingerprints);
	sc_vector_fini(&d.orders);
	sc_vector_fini(&d.nodes);
	sc_buf_fini(&d.phrase);
}
