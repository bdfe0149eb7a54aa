/* Words for findings: which bytes, how far ordering reached, what mends it, what is in doubt. */
#include "reports/words.h"

#include <inttypes.h>
#include <string.h>
#include "reports/site.h"

static const struct sc_record *record_of(const struct sc_words *w, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;
}

/* A fix belongs into the function that both ops came from, not into a helper below it. */
static void set_parts(struct sc_words *w, const struct sc_finding *f, const struct sc_site sites[2])
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
	struct sc_site sites[2] = {0};

	w->prefix = "cuda";
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		const struct sc_record *record =
			sc_analysis_record(w->report->analysis, f->side[i].op);

		if (record)
			sc_site_of(&sites[i], w->report, &record->op);
		if (sites[i].api && strncmp(sites[i].api, "cuda", 4) != 0)
			w->prefix = "cu";
	}
	set_parts(w, f, sites);
}

/* Size of the allocation behind a finding, 0 if it is not known. */
static uint64_t allocated_bytes(const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->allocation);

	return record ? record->op.bytes : 0;
}

/* Where memory was allocated, and from where: the call itself is often in a helper. */
static void add_allocation_place(struct sc_buf *out, const struct sc_words *w,
				 const struct sc_record *record)
{
	struct sc_site site;

	sc_words_place(out, w, record->sequence);
	sc_site_of(&site, w->report, &record->op);
	for (size_t i = site.user + 1; i < site.count; i++)
		if (!site.frames[i].is_internal && site.frames[i].line) {
			sc_buf_add(out, ", from ");
			sc_site_add_place(out, &site.frames[i], w->directory);
			return;
		}
}

_Bool sc_words_allocation(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->allocation);
	const char *memory;

	if (!record)
		return 0;
	memory = sc_memory_text(record->op.dst_mem);
	sc_words_count(out, record->op.bytes, "byte");
	sc_buf_add(out, " of ");
	if (memory && record->op.dst_mem != SC_MEM_NONE && record->op.kind != SC_OP_PIN)
		sc_buf_printf(out, "%s ", memory);
	sc_buf_printf(out, "memory %s at ",
		      record->op.kind == SC_OP_PIN ? "registered" : "allocated");
	add_allocation_place(out, w, record);
	return 1;
}

_Bool sc_words_bytes(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_side *side = &f->side[f->sides ? f->sides - 1 : 0];
	const struct sc_record *record = record_of(w, f->allocation);
	uint64_t start = record ? side->address - record->op.dst : 0;

	if (!side->address || !side->bytes)
		return 0;
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

static void add_two_names(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_words_stream_name(out, w, f->side[0].stream);
	sc_buf_add(out, " and ");
	sc_words_stream_name(out, w, f->side[1].stream);
}

/* A wait for something else: what it waits for, and what not. */
static void add_other(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *wait = record_of(w, f->reach_op);

	sc_buf_add(out, " waits for ");
	if (wait && wait->op.kind == SC_OP_CONTEXT_SYNC)
		sc_buf_printf(out, "device %d", wait->op.device);
	else if (wait && wait->op.object)
		sc_buf_printf(out, "event %" PRIu32, wait->op.object);
	else if (wait && wait->op.stream)
		sc_words_stream_name(out, w, wait->op.stream);
	else
		sc_buf_add(out, "something else");
	sc_buf_add(out, ", which does not cover the first");
}

/* What the wait that came closest did cover. */
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
	case SC_REACH_NOT_READY:
		sc_buf_add(out, " answered \"not ready\", which orders nothing");
		break;
	}
}

_Bool sc_words_reach(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	if (f->sides < 2 || !rule || rule->kind != SC_RULE_BASE)
		return 0;
	if (f->reach != SC_REACH_NONE && f->reach_op) {
		sc_words_call_at(out, w, f->reach_op - 1);
		add_reach(out, w, f);
		return 1;
	}
	if (f->side[0].stream && f->side[1].stream && f->side[0].stream != f->side[1].stream) {
		sc_buf_add(out, "nothing between the two orders ");
		add_two_names(out, w, f);
		return 1;
	}
	sc_buf_add(out, "nothing between the two waits for the first");
	return 1;
}

static void add_before(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!f->fix_before)
		return;
	sc_buf_add(out, "before ");
	sc_words_place(out, w, f->fix_before - 1);
	sc_buf_add(out, ", ");
}

static void add_event_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_buf_printf(out, "record an event behind ");
	if (f->fix_after)
		sc_words_place(out, w, f->fix_after - 1);
	else
		sc_buf_add(out, "the first operation");
	sc_buf_printf(out, " (%sEventRecord) and let ", w->prefix);
	sc_words_stream_name(out, w, f->fix_stream);
	sc_buf_add(out, " wait for it before ");
	if (f->fix_before)
		sc_words_place(out, w, f->fix_before - 1);
	else
		sc_buf_add(out, "the second");
	sc_buf_printf(out, " (%sStreamWaitEvent)", w->prefix);
}

/* The runtime's call waits for the current device, which has to be the right one. */
static void add_device_wait(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	if (!strcmp(w->prefix, "cu"))
		sc_buf_add(out, "cuCtxSynchronize");
	else if (w->report->names->devices > 1)
		sc_buf_printf(out, "cudaSetDevice(%d), then cudaDeviceSynchronize", f->fix_device);
	else
		sc_buf_add(out, "cudaDeviceSynchronize");
}

static void add_sync_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	add_before(out, w, f);
	sc_buf_add(out, "wait for ");
	if (f->fix == SC_FIX_SYNC_STREAM) {
		sc_words_stream_name(out, w, f->fix_stream);
		sc_buf_printf(out, ": %sStreamSynchronize", w->prefix);
	} else {
		sc_buf_printf(out, "device %d: ", f->fix_device);
		add_device_wait(out, w, f);
	}
}

static void add_move_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_buf_add(out, "move ");
	sc_words_place(out, w, f->fix_before ? f->fix_before - 1 : 0);
	sc_buf_add(out, " behind ");
	sc_words_place(out, w, f->fix_after ? f->fix_after - 1 : 0);
}

void sc_words_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	switch ((enum sc_fix)f->fix) {
	case SC_FIX_SYNC_STREAM:
	case SC_FIX_SYNC_CONTEXT: add_sync_fix(out, w, f); return;
	case SC_FIX_EVENT: add_event_fix(out, w, f); return;
	case SC_FIX_MOVE: add_move_fix(out, w, f); return;
	case SC_FIX_RULE: break;
	}
	if (f->fix_before || f->sides == 1) {
		sc_words_place(out, w, f->fix_before ? f->fix_before - 1 : f->side[0].op);
		sc_buf_add(out, ": ");
	}
	sc_buf_add(out, rule ? rule->fix : "see the rule");
}

static void add_footprint_doubt(struct sc_buf *out, const struct sc_words *w,
				const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides; i++) {
		const struct sc_record *record =
			sc_analysis_record(w->report->analysis, f->side[i].op);

		if (f->side[i].known == SC_KNOWN_EXACT || !record ||
		    record->op.kind != SC_OP_KERNEL)
			continue;
		sc_buf_add(out, "kernel ");
		sc_words_kernel(out, w, record->op.object);
		sc_buf_add(out, " is given this memory; which bytes it touches, and whether it "
				"writes, is not known");
		return;
	}
	sc_buf_add(out, "which bytes a kernel touches is known from its parameters only");
}

_Bool sc_words_doubt(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	switch ((enum sc_doubt)f->doubt) {
	case SC_DOUBT_NONE: return 0;
	case SC_DOUBT_FOOTPRINT: add_footprint_doubt(out, w, f); break;
	case SC_DOUBT_OVER:
		sc_buf_add(out, "one of the two may touch fewer bytes than are shown here");
		break;
	case SC_DOUBT_HANDED_OVER:
		sc_buf_add(out, "a callback that had ended before may have told this thread");
		break;
	case SC_DOUBT_FOREIGN:
		sc_buf_add(out, "another process may order them; streamcheck does not see it");
		break;
	case SC_DOUBT_LOST:
		sc_buf_add(out, "operations were not recorded; one of them may order the two");
		break;
	case SC_DOUBT_FAULTED: sc_buf_add(out, "the device had reported an error before"); break;
	}
	return 1;
}
