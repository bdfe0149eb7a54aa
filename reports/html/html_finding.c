/* Findings as data of the HTML report. */
#include "reports/html/html.h"

#include <stdbool.h>
#include <stdio.h>
#include "base/search.h"
#include "reports/fingerprint.h"
#include "reports/group.h"
#include "reports/html/html_graph.h"
#include "reports/sources/library.h"
#include "reports/sources/origin.h"
#include "reports/sources/variable.h"

#define AROUND	   4   /* source lines shown on each side of a call */
#define STALLS_MAX 100 /* streams listed that a line held up */

static const struct sc_record *record_of(const struct sc_html *h, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(h->report.analysis, op_plus - 1) : NULL;
}

/* When the device ran the op, where that was measured. */
static void put_device_time(struct sc_html *h, uint64_t op)
{
	struct sc_device_span span;

	if (sc_device_time_of(sc_analysis_times(h->report.analysis), op, &span)) {
		sc_buf_add(&h->phrase, "on the device ");
		if (span.start_ns >= span.queued_ns) {
			sc_words_time(&h->phrase, span.start_ns - span.queued_ns);
			sc_buf_add(&h->phrase, " after the call, ");
		}
		sc_buf_add(&h->phrase, "for ");
		sc_words_time(&h->phrase, span.end_ns - span.start_ns);
	}
	sc_html_put_phrase(h, "device");
}

/* From when to when it happened, counted from the run's first call; a moment is as long as nothing.
 */
static void put_span(struct sc_html *h, const struct sc_record *record)
{
	struct sc_time_span span;

	if (!sc_device_time_when(sc_analysis_times(h->report.analysis), record, &span) ||
	    span.start_ns < h->walk.start_ns) {
		sc_json_null(&h->w, "span");
		return;
	}
	sc_json_open(&h->w, "span", '[');
	sc_json_number(&h->w, NULL, span.start_ns - h->walk.start_ns);
	sc_json_number(&h->w, NULL, span.end_ns - h->walk.start_ns);
	sc_json_close(&h->w, ']');
}

/* The stream in which an op runs; 0: it is the host's. */
static uint32_t lane_of(const struct sc_op *op)
{
	return sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE ? op->stream : 0;
}

/* The kernel of the op, if it launches one. */
static void put_kernel(struct sc_html *h, const struct sc_record *record)
{
	if (!record || record->op.kind != SC_OP_KERNEL)
		return;
	sc_words_kernel(&h->phrase, &h->words, record->op.object);
	sc_html_put_phrase(h, "kernel");
}

static void put_side(struct sc_html *h, const struct sc_side *side)
{
	const struct sc_record *record = record_of(h, side->op + 1);

	sc_json_open(&h->w, NULL, '{');
	if (record)
		sc_words_op(&h->phrase, &h->words, record);
	else
		sc_buf_add(&h->phrase, "operation");
	sc_html_put_phrase(h, "op");
	sc_html_put_text(h, "mode", sc_words_mode(side->mode));
	sc_json_number(&h->w, "seq", side->op);
	sc_json_number(&h->w, "thread", side->thread);
	sc_json_number(&h->w, "stream", side->stream);
	sc_json_number(&h->w, "lane", record ? lane_of(&record->op) : side->stream);
	sc_json_bool(&h->w, "exact", side->known == SC_KNOWN_EXACT);
	put_kernel(h, record);
	put_device_time(h, side->op);
	put_span(h, record);
	if (record)
		sc_html_put_stack(h, "stack", &record->op, AROUND);
	else
		sc_json_null(&h->w, "stack");
	sc_json_close(&h->w, '}');
}

static void put_causes(struct sc_html *h, const struct sc_finding *f)
{
	sc_json_open(&h->w, "causes", '[');
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			sc_json_number(&h->w, NULL, f->causes[i]);
	sc_json_close(&h->w, ']');
}

static void put_step(struct sc_html *h, const char *what, uint64_t sequence, const struct sc_op *op)
{
	sc_json_open(&h->w, NULL, '{');
	sc_html_put_text(h, "what", what);
	sc_json_number(&h->w, "seq", sequence);
	sc_json_number(&h->w, "thread", op->thread);
	sc_html_put_stack(h, "stack", op, 1);
	sc_json_close(&h->w, '}');
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

/* Where the memory began and ended. */
static void put_history(struct sc_html *h, const struct sc_finding *f)
{
	const struct sc_record *begin = record_of(h, f->allocation);
	const struct sc_html_op *end;

	sc_json_open(&h->w, "history", '[');
	if (begin) {
		put_step(h, begin->op.kind == SC_OP_PIN ? "registered" : "allocated",
			 begin->sequence, &begin->op);
		end = end_of(h, begin);
		if (end)
			put_step(h, end->op.kind == SC_OP_UNPIN ? "unregistered" : "freed",
				 end->sequence, &end->op);
	}
	sc_json_close(&h->w, ']');
}

/* Where streams, events and graphs were made, so that numbers become variables. */
static void put_objects(struct sc_html *h, const struct sc_finding *f)
{
	struct sc_origin_object objects[SC_ORIGIN_OBJECTS];
	size_t count = sc_origin_objects(objects, &h->report, f);
	struct sc_report_site site;
	struct sc_buf from = {0};

	sc_json_open(&h->w, "objects", '[');
	for (size_t i = 0; i < count; i++) {
		const struct sc_origin_object *o = &objects[i];

		sc_json_open(&h->w, NULL, '{');
		sc_html_put_text(h, "noun", sc_origin_noun(o->kind));
		sc_html_put_text(h, "verb", sc_origin_verb(o->kind));
		sc_json_number(&h->w, "id", o->id);
		sc_html_put_text(h, "variable",
				 sc_variable_of(&h->report, o->kind, o->stack) ?: "");
		sc_html_put_stack_id(h, "stack", o->stack, 1);
		sc_site_of_stack(&site, &h->report, o->stack);
		sc_origin_say(&from, &h->report, &site, o->kind, o->stack, false,
			      h->words.directory);
		sc_html_put_text(h, "from", sc_buf_text(&from));
		sc_buf_clear(&from);
		sc_json_close(&h->w, '}');
	}
	sc_json_close(&h->w, ']');
	sc_buf_fini(&from);
}

/* The line at which a fix belongs: where both stacks part, else the op's own. */
static void put_fix_place(struct sc_html *h, const char *key, uint64_t op_plus)
{
	const struct sc_record *record = record_of(h, op_plus);
	const struct sc_frame *frame = NULL;
	struct sc_report_site site;

	for (unsigned i = 0; i < SC_WORDS_PARTS && !frame; i++)
		if (op_plus && h->words.part_ops[i] == op_plus - 1)
			frame = h->words.parts[i];
	if (!frame && record) {
		sc_site_of(&site, &h->report, &record->op);
		frame = sc_site_frame(&site);
	}
	if (!frame || !frame->line || !*frame->file) {
		sc_json_null(&h->w, key);
		return;
	}
	sc_html_source_want(&h->source, &h->texts, frame, AROUND);
	sc_json_open(&h->w, key, '[');
	sc_json_number(&h->w, NULL, sc_html_pool_text(&h->texts, frame->file));
	sc_json_number(&h->w, NULL, frame->line);
	sc_json_close(&h->w, ']');
}

/* Lines of code with "$" for a stream, for the fix as a difference. */
static void put_dialect(struct sc_html *h, const struct sc_dialect *d)
{
	sc_json_open(&h->w, "code", '{');
	sc_html_put_text(h, "defaultStream", d->default_stream);
	sc_json_bool(&h->w, "isDriver", sc_dialect_is_driver(d));
	sc_html_put_text(h, "streamSync", d->stream_sync.code);
	sc_html_put_text(h, "deviceSync", d->device_sync.code);
	sc_html_put_text(h, "record", d->record.code);
	sc_html_put_text(h, "wait", d->wait.code);
	sc_html_put_text(h, "event", d->event);
	sc_json_close(&h->w, '}');
}

static void put_fix(struct sc_html *h, const struct sc_finding *f)
{
	sc_json_open(&h->w, "fix", '{');
	sc_words_fix(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "text");
	sc_html_put_text(h, "kind", sc_fix_rows[sc_words_fix_of(&h->words, f)].id);
	put_dialect(h, h->words.dialect);
	sc_json_number(&h->w, "stream", f->fix_stream);
	sc_json_number(&h->w, "device", f->fix_device);
	sc_json_bool(&h->w, "choosesDevice",
		     h->names.devices > 1 && sc_dialect_is_runtime(h->words.dialect));
	put_fix_place(h, "after", f->fix_after);
	put_fix_place(h, "before", f->fix_before);
	sc_json_close(&h->w, '}');
}

/* A node: sequence number, thread, stream, marks, kind, phrase, stack. */
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
	sc_json_number(&h->w, NULL, sc_html_take_phrase(h));
	sc_html_put_stack(h, NULL, &op->op, 0);
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
	sc_json_number(&h->w, "leftOut", g.left_out);
	sc_json_bool(&h->w, "graphCut", g.is_cut);
}

/* Streams that the line held up: stream, nanoseconds, how often. */
static void put_holds(struct sc_html *h, const struct sc_finding *f)
{
	const struct sc_stall *stall = sc_analysis_stalls(h->report.analysis, f);

	sc_json_open(&h->w, "held", '[');
	for (uint32_t i = 0; i < f->stall_count && i < STALLS_MAX; i++) {
		sc_json_open(&h->w, NULL, '[');
		sc_json_number(&h->w, NULL, stall[i].stream);
		sc_json_number(&h->w, NULL, stall[i].ns);
		sc_json_number(&h->w, NULL, stall[i].count);
		sc_json_close(&h->w, ']');
	}
	sc_json_close(&h->w, ']');
}

static void put_suppression(struct sc_html *h, const struct sc_finding *f)
{
	if (!h->report.print_suppression)
		return;
	h->report.print_suppression(&h->phrase, &h->report, f, h->report.options);
	sc_html_put_phrase(h, "suppression");
}

/* The pages of the rule and of its causes go with the report. */
static void use_rules(struct sc_html *h, const struct sc_finding *f)
{
	*sc_u64_map_get(&h->joint->rules, f->rule) = 1;
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			*sc_u64_map_get(&h->joint->rules, f->causes[i]) = 1;
}

/* `group`: with which others it is one card; 0: with none. */
static void put_finding(struct sc_html *h, const struct sc_finding *f, uint64_t fingerprint,
			uint32_t group, bool is_drawn)
{
	char identity[16 + 1], print[SC_FINGERPRINT_SIZE];

	sc_words_set_finding(&h->words, f);
	use_rules(h, f);
	snprintf(identity, sizeof(identity), "%016llx", (unsigned long long)f->identity);
	sc_json_open(&h->w, NULL, '{');
	sc_json_text(&h->w, "id", identity);
	sc_fingerprint_text(print, fingerprint);
	sc_json_text(&h->w, "print", print);
	sc_json_number(&h->w, "number", f->number);
	if (f->leader)
		sc_json_number(&h->w, "cause", f->leader);
	sc_words_explain(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "explain");
	sc_json_number(&h->w, "rule", f->rule);
	sc_html_put_text(h, "severity", sc_severity_text(f->severity));
	sc_html_put_text(h, "confidence", sc_words_confidence(f->confidence));
	sc_json_number(&h->w, "count", f->count);
	put_causes(h, f);
	sc_json_open(&h->w, "sides", '[');
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		put_side(h, &f->side[i]);
	sc_json_close(&h->w, ']');
	sc_words_bytes(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "bytes");
	sc_words_fault(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "fault");
	sc_words_ranks(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "ranks");
	put_history(h, f);
	put_objects(h, f);
	sc_words_reach(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "order");
	sc_words_timing(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "timing");
	if (sc_words_trial(&h->phrase, &h->words, f))
		sc_html_put_phrase(h, "reruns");
	sc_words_cost(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "cost");
	put_holds(h, f);
	sc_words_doubt(&h->phrase, &h->words, f);
	sc_html_put_phrase(h, "doubt");
	if (sc_words_can_verify(&h->words, f)) {
		sc_words_verify_command(&h->phrase, &h->words);
		sc_html_put_phrase(h, "decide");
	}
	if (group)
		sc_json_number(&h->w, "group", group);
	if (sc_library_owns(&h->phrase, &h->report, f))
		sc_html_put_phrase(h, "library");
	put_suppression(h, f);
	put_fix(h, f);
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
	struct sc_hidden_counts hidden = sc_report_hidden(&h->report);

	for (size_t i = 0; i < count; i++) {
		counts[f[i].severity % 3]++;
		counts[3] += is_proven_error(&f[i]);
	}
	sc_html_put_counts(&h->w, counts);
	sc_json_number(&h->w, "suppressed", hidden.suppressed);
	sc_json_number(&h->w, "known", hidden.known);
	if (hidden.filtered)
		sc_json_number(&h->w, "filtered", hidden.filtered);
}

void sc_html_put_findings(struct sc_html *h)
{
	const struct sc_fingerprints *prints = h->prints;
	struct sc_groups groups;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(h->report.analysis, &count);

	sc_groups_init(&groups, &h->words);
	sc_json_open(&h->w, "findings", '[');
	for (size_t i = 0; i < count && i < h->findings_most; i++)
		put_finding(h, &f[i], prints->items[i], groups.of[i], i < h->drawings_most);
	sc_json_close(&h->w, ']');
	if (sc_words_repair(&h->phrase, &h->words)) {
		if (!h->report.trace)
			sc_buf_add(&h->phrase, " (FILE: of a run with --trace=FILE)");
		sc_html_put_phrase(h, "repair");
	}
	count_findings(h);
	sc_groups_fini(&groups);
}
