/* Words for findings: which bytes, how far ordering reached, what is in doubt. */
#include "reports/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "reports/site.h"
#include "reports/utf8.h"

static const struct sc_record *record_of(const struct sc_words *w, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;
}

/* A fix belongs into the function that both ops came from, not into a helper below it. */
static void set_parts(struct sc_words *w, const struct sc_finding *f,
		      const struct sc_report_site sites[2])
{
	w->parts[0] = w->parts[1] = NULL;
	if (f->sides < 2 || f->side[0].thread != f->side[1].thread ||
	    !sc_site_part(&sites[0], &sites[1], w->parts))
		w->parts[0] = w->parts[1] = NULL;
	w->part_ops[0] = f->side[0].op;
	w->part_ops[1] = f->side[1].op;
}

void sc_words_set_finding(struct sc_words *w, const struct sc_finding *f)
{
	struct sc_report_site sites[2] = {0};

	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		const struct sc_record *record =
			sc_analysis_record(w->report->analysis, f->side[i].op);

		if (record)
			sc_site_of(&sites[i], w->report, &record->op);
	}
	w->dialect = sc_dialect_of(sites);
	set_parts(w, f, sites);
}

/* Size of the allocation of a finding, 0 if the size is not known. */
static uint64_t allocated_bytes(const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->allocation);

	return record ? record->op.bytes : 0;
}

/* Where memory was allocated, and from where: the call itself is often in a helper. */
static void add_allocation_place(struct sc_buf *out, const struct sc_words *w,
				 const struct sc_record *record)
{
	struct sc_report_site site;

	sc_words_place(out, w, record->sequence);
	sc_site_of(&site, w->report, &record->op);
	for (size_t i = site.user + 1; i < site.count; i++)
		if (!site.frames[i].is_internal && site.frames[i].line) {
			sc_buf_add(out, ", from ");
			sc_site_add_place(out, &site.frames[i], w->directory);
			return;
		}
}

bool sc_words_allocation(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->allocation);
	const char *memory, *name;

	if (!record)
		return 0;
	memory = sc_memory_text(record->op.dst_mem);
	name = sc_names_memory(w->report->names, f->side[f->sides - 1].address, record->sequence);
	if (record->op.kind == SC_OP_MODULE_LOAD) {
		sc_buf_add(out, "a variable of the module loaded at ");
		add_allocation_place(out, w, record);
		return 1;
	}
	sc_words_count(out, record->op.bytes, "byte");
	sc_buf_add(out, " of ");
	if (memory && record->op.dst_mem != SC_MEM_NONE && record->op.kind != SC_OP_PIN)
		sc_buf_printf(out, "%s ", memory);
	if (name) {
		sc_buf_add(out, "memory \"");
		sc_utf8_add_clean(out, name);
		sc_buf_add(out, "\", ");
	} else {
		sc_buf_add(out, "memory ");
	}
	sc_buf_printf(out, "%s at ", record->op.kind == SC_OP_PIN ? "registered" : "allocated");
	add_allocation_place(out, w, record);
	return 1;
}

bool sc_words_bytes(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_side *side = &f->side[f->sides ? f->sides - 1 : 0];
	const struct sc_record *record = record_of(w, f->allocation);
	bool is_variable = record && record->op.kind == SC_OP_MODULE_LOAD;
	uint64_t start = record && !is_variable ? side->address - record->op.dst : 0;

	if (!side->address || !side->bytes)
		return 0;
	if (is_variable) {
		sc_words_count(out, side->bytes, "byte");
		sc_buf_add(out, " of ");
		return sc_words_allocation(out, w, f);
	}
	if (!record || start >= allocated_bytes(w, f)) {
		sc_words_count(out, side->bytes, "byte");
		sc_buf_printf(out, " at 0x%" PRIx64, side->address);
		return 1;
	}
	if (side->bytes == allocated_bytes(w, f))
		sc_buf_add(out, "all");
	else if (side->bytes == 1)
		sc_buf_printf(out, "byte %" PRIu64, start);
	else
		sc_buf_printf(out, "%" PRIu64 "–%" PRIu64, start, start + side->bytes - 1);
	sc_buf_add(out, " of ");
	return sc_words_allocation(out, w, f);
}

bool sc_words_launch(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	if (!side->launch)
		return 0;
	sc_words_call_at(out, w, side->launch - 1);
	sc_buf_add(out, ", in ");
	sc_words_stream(out, w, side->stream);
	return 1;
}

static void add_two_names(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_words_stream_name(out, w, f->side[0].stream);
	sc_buf_add(out, " and ");
	sc_words_stream_name(out, w, f->side[1].stream);
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

/* A wait for something else: what it waits for, and what not. */
static void add_other(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *wait = record_of(w, f->reach_op);

	sc_buf_add(out, " waits for ");
	if (wait && wait->op.kind == SC_OP_CONTEXT_SYNC)
		add_context(out, w, &wait->op);
	else if (wait && wait->op.object)
		add_event_name(out, w, wait->op.object);
	else if (wait && wait->op.stream)
		sc_words_stream_name(out, w, wait->op.stream);
	else
		sc_buf_add(out, "something else");
	sc_buf_add(out, ", which does not cover the first");
}

/* The work that the closest wait did cover. */
static void add_reach(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	switch ((enum sc_reach)f->reach) {
	case SC_REACH_NONE: break;
	case SC_REACH_OTHER: add_other(out, w, f); break;
	case SC_REACH_EARLIER:
		sc_buf_add(out, " covers what was enqueued before the first, not the first itself");
		break;
	case SC_REACH_NEVER:
		sc_buf_add(out, " waits for nothing: the event had not been recorded yet");
		break;
	case SC_REACH_RECORD:
		sc_buf_add(out, " waits for another record of the event");
		if (f->reach_record) {
			sc_buf_add(out, ", the one at ");
			sc_words_place(out, w, f->reach_record - 1);
		}
		break;
	case SC_REACH_FOREIGN: sc_buf_add(out, " may wait for a record of another process"); break;
	case SC_REACH_LAUNCH:
		sc_buf_add(out, " waits for the beginning of the first, not for its end");
		break;
	case SC_REACH_NOT_READY:
		sc_buf_add(out, " answered \"not ready\", which orders nothing");
		break;
	case SC_REACH_PART:
		sc_buf_add(out, " waits for what ");
		sc_words_add_node(out, w, f->reach_record);
		sc_buf_add(out, " records, which does not depend on the first");
		break;
	case SC_REACH_BEFORE:
		sc_buf_printf(out,
			      " covers what was enqueued until then; thread %" PRIu32
			      " enqueued the first behind that",
			      f->side[0].thread);
		break;
	case SC_REACH_FORK:
	case SC_REACH_JOIN:
	case SC_REACH_EARLY:
	case SC_REACH_BESIDE: break; /* add_graph_reach */
	}
}

/* How far edges order two nodes; false if another call is what came closest. */
static bool add_graph_reach(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	static const char *const words[] = {
		[SC_REACH_FORK] = " is the last that both depend on; no dependencies lead from "
				  "the one to the other",
		[SC_REACH_JOIN] = " is the first that depends on both; no dependencies lead from "
				  "the one to the other",
		[SC_REACH_EARLY] = " need not wait: its dependency is programmatic, and its code "
				   "does not wait for it",
		[SC_REACH_BESIDE] = " waits for the first, but the second does not depend on it",
	};

	if (f->reach >= sizeof(words) / sizeof(*words) || !words[f->reach])
		return 0;
	sc_words_add_node(out, w, f->reach_op);
	sc_buf_add(out, words[f->reach]);
	return 1;
}

bool sc_words_reach(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!sc_finding_lacks_order(f))
		return 0;
	if (f->reach_op && add_graph_reach(out, w, f))
		return 1;
	if (f->reach != SC_REACH_NONE && f->reach_op) {
		sc_words_call_at(out, w, f->reach_op - 1);
		add_reach(out, w, f);
		return 1;
	}
	if (f->side[0].launch && f->side[0].launch == f->side[1].launch) {
		sc_buf_add(out, "no dependencies lead from one node to the other");
		return 1;
	}
	if (f->side[0].stream && f->side[1].stream && f->side[0].stream != f->side[1].stream) {
		sc_buf_add(out, "no event or wait between them orders ");
		add_two_names(out, w, f);
		return 1;
	}
	sc_buf_add(out, "no call between them waits for the first");
	return 1;
}
