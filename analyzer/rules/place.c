/* Rules 127, 129, 144: memory, streams and code that are not where the device can use them. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/order/host_wait.h"
#include "analyzer/access/launch.h"
#include "analyzer/rules/pending.h"
#include "base/heap.h"

#define RANGES		64 /* of pageable memory, the last seen */
#define INVALID_CONTEXT 201
#define INVALID_HANDLE	400

struct sc_place_rules {
	struct {
		uint64_t start, end, sequence;
	} pageable[RANGES];
	unsigned next;
	struct sc_u64_map modules;  /* of a kernel: id of its module */
	struct sc_u64_map launches; /* by module and stream: position of the last launch */
	bool is_over;		    /* the program left */
};

static struct sc_place_rules *place_of(struct sc_analysis *a)
{
	if (!a->place)
		a->place = sc_heap_xcalloc(1, sizeof(*a->place));
	return a->place;
}

/* ---- SC-127 ---- */

static void note_pageable(struct sc_analysis *a, uint64_t start, uint64_t bytes, uint64_t sequence)
{
	struct sc_place_rules *p = place_of(a);
	uint64_t end;

	if (!start || !bytes || __builtin_add_overflow(start, bytes, &end))
		return;
	for (unsigned i = 0; i < RANGES; i++) {
		if (p->pageable[i].start == start && p->pageable[i].end == end)
			return;
	}
	p->pageable[p->next].start = start;
	p->pageable[p->next].end = end;
	p->pageable[p->next].sequence = sequence;
	p->next = (p->next + 1) % RANGES;
}

/* libc took the memory back, and may give it to another owner. */
static void forget_pageable(struct sc_analysis *a, uint64_t start, uint64_t bytes)
{
	struct sc_place_rules *p = place_of(a);

	for (unsigned i = 0; i < RANGES; i++) {
		if (p->pageable[i].start < start + bytes && start < p->pageable[i].end)
			p->pageable[i].end = p->pageable[i].start = 0;
	}
}

/* A copy was given the same pointer, and the driver said that it is pageable. */
static bool find_pageable(const struct sc_place_rules *p, uint64_t address, uint64_t *sequence)
{
	for (unsigned i = 0; i < RANGES; i++) {
		if (p->pageable[i].start > address || address >= p->pageable[i].end)
			continue;
		*sequence = p->pageable[i].sequence;
		return 1;
	}
	return 0;
}

static void file_pageable(struct sc_analysis *a, const struct sc_record *r, uint64_t address,
			  uint64_t copied, int known)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_127, NULL, 0, &r->op, r->sequence);

	f.side[0].address = address;
	f.side[0].known = (uint8_t)known;
	sc_finding_add_earlier(&f, copied, SC_SIDE_CALL);
	if (known != SC_KNOWN_EXACT) {
		f.confidence = SC_POSSIBLE;
		f.doubt = known == SC_KNOWN_OVER ? SC_DOUBT_OVER : SC_DOUBT_FOOTPRINT;
		f.severity = SC_WARNING;
	}
	sc_finding_file(a, &f, NULL, &r->op);
}

/* Kernels cannot follow pageable pointers unless the device says that it can (M-9). Of a struct
 * whose use is not known, the word may be left over from what its bytes held before. */
static void check_parameters(struct sc_analysis *a, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const uint8_t *data;

	if (!a->place || a->reads_pageable || !a->kernels.code.has_device)
		return;
	data = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);
	for (uint32_t at = sizeof(struct sc_launch); data && at + 8 <= bytes; at += 8) {
		uint32_t offset = at - (uint32_t)sizeof(struct sc_launch);
		uint64_t value, canonical, copied;
		int known;

		memcpy(&value, data + at, sizeof(value));
		if (!find_pageable(a->place, value, &copied) ||
		    sc_memory_find(&a->memory, value, &canonical))
			continue;
		known = sc_launch_parameter(&a->kernels, r, offset);
		if (known < 0 ||
		    (known == SC_KNOWN_PARAMETER && sc_launch_is_member(&a->kernels, r, offset)))
			continue;
		file_pageable(a, r, value, copied, known);
		return;
	}
}

/* ---- SC-129 ---- */

/* The driver refused it, and the stream is not of the device that was current. */
static void check_device(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	uint64_t *place = sc_u64_map_find(&a->order.streams.by_id, op->stream);
	const struct sc_stream *s = place ? (const struct sc_stream *)(uintptr_t)*place : NULL;
	struct sc_finding f;

	if (!s || op->flags & (SC_FLAG_DEAD_HANDLE | SC_FLAG_LIBRARY) ||
	    (s->context->device == op->device && !(op->flags & SC_FLAG_OTHER_CONTEXT)))
		return;
	f = sc_finding_begin(SC_RULE_129, NULL, 0, op, sequence);
	sc_finding_file(a, &f, NULL, op);
}

static bool is_refused(const struct sc_op *op)
{
	return (op->kind == SC_OP_KERNEL || op->kind == SC_OP_EVENT_RECORD) &&
	       (op->result == INVALID_HANDLE || op->result == INVALID_CONTEXT);
}

/* ---- SC-144 ---- */

static void note_launch(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_place_rules *p = a->place;
	uint64_t *module = p ? sc_u64_map_find(&p->modules, step->op->object) : NULL;

	if (module && step->stream)
		*sc_u64_map_get(&p->launches, *module << 32 | step->stream->id) =
			step->sequence + 1;
}

static void file_unload(struct sc_analysis *a, const struct sc_step *step,
			const struct sc_stream *s, uint64_t last)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_144, NULL, 0, step->op, step->sequence);

	sc_finding_add_earlier(&f, last - 1, SC_SIDE_CALL);
	f.side[0].stream = s->id;
	f.fix = SC_FIX_SYNC_STREAM;
	f.fix_stream = s->id;
	f.fix_before = step->sequence + 1;
	sc_pending_judge(a, s->tail.lane, last, step, &f);
	sc_finding_file(a, &f, NULL, step->op);
}

/* The module's kernels that the host did not wait for, by stream. */
static void check_unload(struct sc_analysis *a, const struct sc_step *step)
{
	for (struct sc_context *c = a->order.streams.contexts; c; c = c->next) {
		for (const struct sc_stream *s = sc_context_streams(c); s; s = s->next) {
			uint64_t *last = sc_u64_map_find(&a->place->launches,
							 (uint64_t)step->op->object << 32 | s->id);

			if (last && !c->faulted &&
			    sc_clock_at(a->order.host.clock, s->tail.lane) < *last)
				file_unload(a, step, s, *last);
		}
	}
}

/* SC-219: loading code by hand may wait for the device in one version and not in the next (H-3). */
static void note_load(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_context *c = sc_context_of(&a->order.streams, step->op->context);

	if (strncmp(sc_reader_string(a->reader, step->op->call), "cuModuleLoad", 12))
		return;
	c->last_load = step->sequence + 1;
	if (a->order.profile == SC_PERMISSIVE)
		sc_host_wait_learn_context(&a->order, step, c);
}

static void note(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	switch (op->kind) {
	case SC_OP_FUNCTION: *sc_u64_map_get(&place_of(a)->modules, op->object) = op->peer; break;
	case SC_OP_COPY:
		if (op->src_mem == SC_MEM_PAGEABLE)
			note_pageable(a, op->src, op->bytes, r->sequence);
		if (op->dst_mem == SC_MEM_PAGEABLE)
			note_pageable(a, op->dst, op->bytes, r->sequence);
		break;
	case SC_OP_HOST_FREE:
		if (sc_op_took_effect(op))
			forget_pageable(a, op->dst, op->bytes ? op->bytes : 1);
		break;
	case SC_OP_KERNEL:
		if (op->flags & SC_FLAG_LIBRARY)
			break;
		check_parameters(a, r);
		if (step->is_enqueued)
			note_launch(a, step);
		break;
	case SC_OP_SETTING: a->is_serialized = 1; break; /* SC-220 */
	case SC_OP_MODULE_LOAD: note_load(a, step); break;
	case SC_OP_MODULE_UNLOAD:
		if (sc_op_took_effect(op) && a->place && !a->place->is_over)
			check_unload(a, step);
		break;
	case SC_OP_EXIT: place_of(a)->is_over = 1; break;
	default: break;
	}
}

void sc_rules_place_step(struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	if (r->op.phase == SC_PHASE_END)
		return;
	if (is_refused(&r->op))
		check_device(a, &r->op, r->sequence);
	note(a, r, step);
}

void sc_rules_place_finish(struct sc_analysis *a)
{
	if (!a->place)
		return;
	sc_u64_map_fini(&a->place->modules);
	sc_u64_map_fini(&a->place->launches);
	free(a->place);
	a->place = NULL;
}
