/* Words: a sentence of analyzer/finding/verdict.def with what its braces stand for. */
#include "reports/words/words_fill.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "reports/words/words_failed.h"

static const struct sc_record *record_of(const struct sc_words *w, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;
}

/* ---- order ---- */

static void add_wait(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_words_call_at(out, w, f->reach_op - 1);
}

static void add_event_name(struct sc_buf *out, const struct sc_words *w, uint32_t event)
{
	sc_buf_printf(out, "event %" PRIu32, event);
	sc_words_name(out, sc_reader_name(w->report->reader, SC_NAMES_EVENT, event));
}

static void add_context(struct sc_buf *out, const struct sc_words *w, const struct sc_op *wait)
{
	const struct sc_named *c = sc_names_context(w->report->names, wait->context);

	sc_buf_printf(out, "device %d", wait->device);
	if (c && sc_names_has_sibling(w->report->names, c))
		sc_buf_printf(out, " in context %" PRIu32, wait->context);
}

/* What the call answered that failed. */
static void add_answer(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *call = record_of(w, f->reach_op);

	sc_words_failed_error(out, w,
			      &(struct sc_failed_call){.sequence = f->reach_op - 1,
						       .result = call ? call->op.result : 0});
}

/* What the wait waits for. */
static void add_target(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *wait = record_of(w, f->reach_op);

	if (wait && wait->op.kind == SC_OP_CONTEXT_SYNC)
		add_context(out, w, &wait->op);
	else if (wait && wait->op.object)
		add_event_name(out, w, wait->op.object);
	else if (wait && wait->op.stream)
		sc_words_stream_name(out, w, wait->op.stream);
	else
		sc_buf_add(out, "something else");
}

static void add_record_place(struct sc_buf *out, const struct sc_words *w,
			     const struct sc_finding *f)
{
	if (!f->reach_record)
		return;
	sc_buf_add(out, ", the one at ");
	sc_words_place(out, w, f->reach_record - 1);
}

static void add_node(struct sc_buf *out, const struct sc_words *w, uint64_t node_plus)
{
	const struct sc_record *record = record_of(w, node_plus);

	if (record)
		sc_words_node_name(out, w, record, "");
	else
		sc_buf_add(out, "the node");
	sc_buf_add(out, " (");
	sc_words_place(out, w, node_plus - 1);
	sc_buf_add_char(out, ')');
}

static void add_reach_node(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	add_node(out, w, f->reach_op);
}

static void add_place_from(struct sc_buf *out, const struct sc_words *w, uint64_t op_plus)
{
	const struct sc_record *record = record_of(w, op_plus);

	if (record)
		sc_words_place_from(out, w, record);
	else
		sc_buf_add(out, "an operation that is not known");
}

static void add_reach_place(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	add_place_from(out, w, f->reach_op);
}

static void add_record_only(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	add_place_from(out, w, f->reach_record);
}

static void add_record_node(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	add_node(out, w, f->reach_record);
}

/* By its name if it has one that the source does not show. */
static void add_first(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->side[0].op + 1);

	if (!record || record->op.kind != SC_OP_KERNEL) {
		sc_buf_add(out, "the first operation");
		return;
	}
	sc_buf_add(out, "kernel ");
	sc_words_kernel(out, w, record->op.object);
}

static void add_first_stream(struct sc_buf *out, const struct sc_words *w,
			     const struct sc_finding *f)
{
	sc_words_stream_name(out, w, f->side[0].stream);
}

static void add_second_stream(struct sc_buf *out, const struct sc_words *w,
			      const struct sc_finding *f)
{
	sc_words_stream_name(out, w, f->side[1].stream);
}

static void add_first_thread(struct sc_buf *out, const struct sc_words *w,
			     const struct sc_finding *f)
{
	(void)w;
	sc_buf_printf(out, "%" PRIu32, f->side[0].thread);
}

/* ---- doubt ---- */

static bool has_callback(const struct sc_words *w, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		const struct sc_record *record = record_of(w, f->side[i].op + 1);

		if (record && (record->op.callback || record->op.kind == SC_OP_HOST_FUNC))
			return 1;
	}
	return 0;
}

/* Who may notify whom. With both sides in one thread, only a host function can have a part in it.
 */
static void add_notifier(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (has_callback(w, f))
		sc_buf_add(out, "a callback that had ended before may have notified this thread");
	else if (f->sides < 2 || f->side[0].thread == f->side[1].thread)
		sc_buf_add(out, "a host function may notify the program, or wait for it,");
	else
		sc_buf_add(out, "the threads may synchronize");
}

static void add_help(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)w;
	sc_buf_add(out, f->sides > 1 ? "order the two" : "correct this");
}

/* ---- repair ---- */

/* The place of the operation that the repair concerns. */
static void add_at(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!f->fix_before && f->sides != 1)
		return;
	sc_words_spot(out, w, f->fix_before ? f->fix_before - 1 : f->side[0].op);
	sc_buf_add(out, ": ");
}

/* The rule's own sentence. */
static void add_rule(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	add_at(out, w, f);
	if (f->rule == SC_RULE_301 && *w->dialect->pinned)
		sc_buf_add(out, w->dialect->pinned);
	else
		sc_buf_add(out, rule ? rule->fix : "see the rule");
}

static void add_before(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (f->fix_before)
		sc_words_spot(out, w, f->fix_before - 1);
	else
		sc_buf_add(out, "the second operation");
}

/* The same at the start of a sentence. */
static void add_before_clause(struct sc_buf *out, const struct sc_words *w,
			      const struct sc_finding *f)
{
	if (!f->fix_before)
		return;
	sc_buf_add(out, "before ");
	add_before(out, w, f);
	sc_buf_add(out, ", ");
}

static void add_after(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (f->fix_after)
		sc_words_spot(out, w, f->fix_after - 1);
	else
		sc_buf_add(out, "the first operation");
}

static void add_call_before(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	sc_words_call_at(out, w, f->fix_before ? f->fix_before - 1 : 0);
}

static void add_call_after(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_words_call_at(out, w, f->fix_after ? f->fix_after - 1 : 0);
}

/* In which the capture was begun. */
static void add_mode(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	static const char *const modes[] = {"global", "thread-local", "relaxed"};
	const struct sc_record *begin = record_of(w, f->fix_after);

	sc_buf_add(out, begin && begin->op.value < 3 ? modes[begin->op.value] : "an unknown");
}

static void add_node_before(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	add_node(out, w, f->fix_before);
}

static void add_node_after(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	add_node(out, w, f->fix_after);
}

static void add_fix_stream(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_words_stream_name(out, w, f->fix_stream);
}

static bool has_other_streams(const struct sc_finding *f, unsigned side)
{
	return f->varies & 4U << side;
}

static void add_others(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)w;
	if (has_other_streams(f, 0))
		sc_buf_add(out, " and each other stream that the first operation runs in");
}

static void add_each(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)w;
	if (has_other_streams(f, 0))
		sc_buf_add(out, "; the first operation runs in several streams: with an event for "
				"each of them");
	if (has_other_streams(f, 1))
		sc_buf_printf(out,
			      "%s the second operation runs in several streams: each of them "
			      "has to wait",
			      has_other_streams(f, 0) ? ", and" : ";");
}

static void add_second_thread(struct sc_buf *out, const struct sc_words *w,
			      const struct sc_finding *f)
{
	(void)w;
	sc_buf_printf(out, "%" PRIu32, f->side[1].thread);
}

static void add_device(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)w;
	sc_buf_printf(out, "%d", f->fix_device);
}

static void add_stream_sync(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	(void)f;
	sc_buf_add(out, w->dialect->stream_sync.name);
}

/* The runtime's call waits for the current device, which has to be the right one. */
static void add_device_sync(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	if (sc_dialect_is_runtime(w->dialect) && w->report->names->devices > 1)
		sc_buf_printf(out, "cudaSetDevice(%d), then ", f->fix_device);
	sc_buf_add(out, w->dialect->device_sync.name);
}

static void add_record_call(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	(void)f;
	sc_buf_add(out, w->dialect->record.name);
}

static void add_wait_call(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)f;
	sc_buf_add(out, w->dialect->wait.name);
}

static void add_pool_call(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (f->rule == SC_RULE_114 && *w->dialect->pool_call)
		sc_buf_printf(out, "%s, or ", w->dialect->pool_call);
}

static void add_pool_hint(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)f;
	if (*w->dialect->pool_call)
		sc_buf_printf(out, " (%s)", w->dialect->pool_call);
}

/* The host may be late instead of early: another thread uses the memory again too soon. */
static void add_other_thread(struct sc_buf *out, const struct sc_words *w,
			     const struct sc_finding *f)
{
	if (f->reach != SC_REACH_BEFORE)
		return;
	sc_buf_printf(out,
		      "; or, if thread %" PRIu32
		      " was still using the memory, let it notify thread %" PRIu32
		      " when it has finished, before ",
		      f->side[1].thread, f->side[0].thread);
	sc_words_place(out, w, sc_side_position(&f->side[0]));
}

/* ---- run ---- */

static void add_time(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	(void)w;
	sc_words_time(out, f->timing_ns);
}

static const struct {
	const char *name;
	void (*add)(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
} parts[] = {
	{"wait", add_wait},
	{"target", add_target},
	{"answer", add_answer},
	{", the one at another place", add_record_place},
	{"place of wait", add_reach_place},
	{"place of record", add_record_only},
	{"node", add_reach_node},
	{"node of record", add_record_node},
	{"first operation", add_first},
	{"first stream", add_first_stream},
	{"second stream", add_second_stream},
	{"first thread", add_first_thread},
	{"who may notify whom", add_notifier},
	{"order the two, or correct this", add_help},
	{"rule", add_rule},
	{"at: ", add_at},
	{"before", add_before},
	{"before the second, ", add_before_clause},
	{"after", add_after},
	{"call before", add_call_before},
	{"call after", add_call_after},
	{"mode", add_mode},
	{"node before", add_node_before},
	{"node after", add_node_after},
	{"stream", add_fix_stream},
	{" and the others", add_others},
	{"; each stream", add_each},
	{"second thread", add_second_thread},
	{"device", add_device},
	{"call that waits for a stream", add_stream_sync},
	{"call that waits for the device", add_device_sync},
	{"call that records", add_record_call},
	{"call that waits for an event", add_wait_call},
	{"; or notify the other thread", add_other_thread},
	{"let the pool know, or ", add_pool_call},
	{" (its call)", add_pool_hint},
	{"time", add_time},
};

static void add_part(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		     const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strlen(parts[i].name) == bytes && !memcmp(parts[i].name, name, bytes)) {
			parts[i].add(out, w, f);
			return;
		}
	sc_buf_printf(out, "{%.*s}", (int)bytes, name); /* a test finds it */
}

void sc_words_fill(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		   const char *sentence)
{
	while (*sentence) {
		size_t plain = strcspn(sentence, "{"), name;

		sc_buf_add_bytes(out, sentence, plain);
		sentence += plain;
		if (!*sentence)
			return;
		name = strcspn(++sentence, "}");
		add_part(out, w, f, sentence, name);
		sentence += name + (sentence[name] == '}');
	}
}
