/* Rules 104, 113 to 116, 120, 201, 204: memory that begins and ends. */
#include "analyzer/rules/lifetime.h"

#include <stdbool.h>
#include <string.h>
#include "analyzer/access/access.h"
#include "analyzer/access/launch.h"
#include "analyzer/order/signal_word.h"
#include "analyzer/rules/family.h"

/* A touch of all bytes of the memory. */
static struct sc_touch whole(const struct sc_allocation *memory, struct sc_note *note)
{
	uint64_t start = memory->home.range.start;
	struct sc_access all =
		sc_shape_linear(start, memory->home.range.end - start, SC_WRITE, SC_KNOWN_EXACT);

	return sc_touch_of(note, 0, &all);
}

/* Adds the memory's beginning to its history, so that races with the beginning are found. */
void sc_lifetime_begin(struct sc_analysis *a, struct sc_note *note, struct sc_allocation *memory)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_touch begin = whole(memory, note);
	struct sc_access shape =
		sc_shape_linear(begin.first, begin.end - begin.first, SC_WRITE, SC_KNOWN_EXACT);

	sc_history_add(&memory->history, &past, &begin, &shape);
}

/* P-1: memory of a pool begins in its stream. */
static void begin_in_stream(struct sc_analysis *a, const struct sc_step *step,
			    struct sc_allocation *memory)
{
	struct sc_note *note = sc_race_note(a, step, 0);

	sc_lifetime_begin(a, note, memory);
	sc_note_put(&a->memory.notes, note);
}

/* H-3: one text says that allocating device or page-locked memory waits, others do not. */
static bool may_have_waited(struct sc_analysis *a, const struct sc_op *op)
{
	const char *call = sc_reader_string(a->reader, op->call);

	return op->kind == SC_OP_ALLOC &&
	       (op->dst_mem == SC_MEM_DEVICE || op->dst_mem == SC_MEM_PINNED) &&
	       (!strncmp(call, "cuMemAlloc", 10) || !strncmp(call, "cuMemHostAlloc", 14));
}

static void begin_memory(struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct sc_allocation *memory = NULL;

	if (sc_op_took_effect(&r->op) && may_have_waited(a, &r->op))
		sc_order_drain(&a->order, step);
	if (sc_op_took_effect(&r->op) && !sc_variable_is_known(&a->memory, &r->op))
		memory = sc_memory_add(&a->memory, &r->op, r->sequence);
	if (memory)
		sc_signal_word_forget(&a->order, memory->home.range.start, memory->home.range.end);
	if (memory && step->is_enqueued)
		begin_in_stream(a, step, memory);
}

static bool is_in_stream(enum sc_race_end kind)
{
	return kind == SC_END_IN_STREAM || kind == SC_END_ATTACHED || kind == SC_END_GRAPHICS;
}

/* A free on the host's time line says nothing of a beginning that was never used. */
static bool is_idle_beginning(const struct sc_touch *earlier, enum sc_race_end kind)
{
	return !is_in_stream(kind) && earlier->note->op.kind == SC_OP_ALLOC_ASYNC;
}

static bool is_by(struct sc_analysis *a, const struct sc_note *n, int device)
{
	return device < 0 || (!sc_note_is_host(n) &&
			      sc_context_of(&a->order.streams, n->context)->device == device);
}

/* Copies between devices need no right of peer access (D-4). */
static bool needs_end(const struct sc_touch *t, enum sc_race_end kind)
{
	return kind != SC_END_PEER || sc_touch_op(t)->kind == SC_OP_KERNEL;
}

void sc_lifetime_check_end(struct sc_analysis *a, const struct sc_step *step,
			   struct sc_allocation *memory, enum sc_race_end kind, int device)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_touch end = whole(memory, sc_race_note_of(a, step, !is_in_stream(kind), memory));

	sc_history_check_end(&memory->history, &past, &end, &a->conflicts);
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_conflict *c = &a->conflicts.items[i];

		if (!is_idle_beginning(&c->earlier, kind) && is_by(a, c->earlier.note, device) &&
		    needs_end(&c->earlier, kind))
			sc_race_file(a, c, &end, memory, kind);
	}
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
	sc_note_put(&a->memory.notes, end.note);
}

/* Races of everything that used the memory with its end. */
static void check_end(struct sc_analysis *a, const struct sc_step *step,
		      struct sc_allocation *memory, enum sc_race_end kind)
{
	sc_lifetime_check_end(a, step, memory, kind, -1);
}

/* H-3, P-4, M-5: these frees may wait for the device; the others do not (P-3, P-5). */
static bool may_wait(const struct sc_allocation *memory)
{
	return !memory->is_pool && !memory->is_imported && memory->kind != SC_MEM_ARRAY &&
	       memory->kind != SC_MEM_UNKNOWN;
}

/* SC-120: there is nothing at this address that this function could free. */
static void file_wrong_free(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_120, NULL, 0, op, sequence);
	const struct sc_dead *dead = sc_memory_find_dead(&a->memory, op->dst);
	uint64_t unused;
	struct sc_allocation *live = sc_memory_find(&a->memory, op->dst, &unused);

	f.side[0].address = op->dst;
	f.side[0].mode = SC_SIDE_FREE;
	f.side[0].bytes = 1;
	if (live) {
		f.allocation = live->sequence;
	} else if (dead) {
		if (dead->home.start == op->dst && dead->home.end)
			f.side[0].bytes = dead->home.end - dead->home.start;
		f.allocation = dead->sequence;
		sc_finding_add_earlier(&f, dead->freed - 1, SC_SIDE_FREE);
	}
	sc_finding_file(a, &f, NULL, op);
}

static void end_memory(struct sc_analysis *a, const struct sc_step *step, uint64_t sequence)
{
	const struct sc_op *op = step->op;
	uint64_t unused;
	struct sc_allocation *memory = sc_memory_find(&a->memory, op->dst, &unused);
	struct sc_step now = *step;

	if (op->result == SC_RESULT_INVALID_VALUE ||
	    (op->kind == SC_OP_UNPIN && op->result == SC_RESULT_HOST_MEMORY_NOT_REGISTERED))
		file_wrong_free(a, op, sequence);
	if (!memory || !sc_op_took_effect(op))
		return;
	if (may_wait(memory)) {
		sc_order_drain(&a->order, step);
		if (!now.inside)
			now.host.start = sc_host_clock(&a->order.host, step);
		check_end(a, &now, memory, SC_END_MAY_WAIT);
	} else {
		check_end(a, step, memory, SC_END_NEVER_WAITS);
	}
	sc_memory_end(&a->memory, memory, sequence);
}

void sc_lifetime_end_in_stream(struct sc_analysis *a, const struct sc_step *step,
			       struct sc_allocation *memory)
{
	check_end(a, step, memory, SC_END_IN_STREAM);
}

/* P-2, SC-114: all uses come before the free in stream order; after the call nothing may be given
 * this address. */
static void end_async(struct sc_analysis *a, const struct sc_step *step, uint64_t sequence)
{
	const struct sc_op *op = step->op;
	uint64_t unused;
	struct sc_allocation *memory = sc_memory_find(&a->memory, op->dst, &unused);

	if (op->result == SC_RESULT_INVALID_VALUE)
		file_wrong_free(a, op, sequence);
	if (!memory || !sc_op_took_effect(op))
		return;
	if (step->is_enqueued)
		check_end(a, step, memory, SC_END_IN_STREAM);
	sc_memory_end(&a->memory, memory, sequence);
}

/* The C library frees what only CUDA may free. */
static bool is_wrong_partner(struct sc_analysis *a, const struct sc_op *op,
			     const struct sc_allocation *memory)
{
	const char *call = sc_reader_string(a->reader, op->call);

	return memory && memory->kind != SC_MEM_REGISTERED && memory->home.range.start == op->dst &&
	       !strstr(call, "munmap");
}

/* A part of it that lies in one allocation; NULL: in none. */
static void end_part(struct sc_analysis *a, const struct sc_step *step,
		     struct sc_allocation *memory, uint64_t start, uint64_t bytes)
{
	struct sc_access shape = sc_shape_linear(start, bytes, SC_WRITE, SC_KNOWN_EXACT);
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_touch end;

	memory = memory ? memory : &a->memory.implicit;
	if (!sc_shape_simplify(&shape))
		return;
	end = sc_touch_of(sc_race_note_of(a, step, 1, memory), 0, &shape);
	sc_history_check(&memory->history, &past, &end, &shape, &a->conflicts);
	sc_race_check_loads(a, memory, &end);
	for (size_t i = 0; i < a->conflicts.count; i++)
		sc_race_file(a, &a->conflicts.items[i], &end, memory, SC_END_LIBC);
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
	sc_note_put(&a->memory.notes, end.note);
	sc_history_erase(&memory->history, &past, shape.base, sc_shape_end(&shape));
}

/* Programs register some pages in the middle of a block. */
static void end_host_memory(struct sc_analysis *a, const struct sc_step *step, uint64_t sequence)
{
	const struct sc_op *op = step->op;
	uint64_t end = op->dst + (op->bytes ? op->bytes : 1), next;

	for (uint64_t at = op->dst; at < end; at = next) {
		uint64_t canonical = at;
		struct sc_allocation *memory = sc_memory_find(&a->memory, at, &canonical);

		if (is_wrong_partner(a, op, memory))
			file_wrong_free(a, op, sequence);
		next = memory ? at + (memory->home.range.end - canonical)
			      : sc_memory_from(&a->memory, at);
		next = next > at && next < end ? next : end;
		end_part(a, step, memory, canonical, next - at);
		if (!memory)
			sc_memory_end_pageable(&a->memory, at, next, sequence,
					       op->flags & SC_FLAG_FRAME);
	}
}

/* For an address that is known as freed, the recorder's answer decides: if the driver knows the
 * address as memory, that memory began unseen. A host address may have a new owner; so may that of
 * device memory, which the kernel gives to malloc, too: a call that takes it for pageable memory
 * and works has found memory of the host there. */
static bool is_stale(struct sc_analysis *a, uint64_t address, uint8_t memory, int32_t result,
		     const struct sc_dead **dead)
{
	bool is_known = memory != SC_MEM_UNKNOWN && memory != SC_MEM_NONE;
	uint64_t unused;

	if (!address || (result != SC_RESULT_INVALID_VALUE && (result || is_known)))
		return 0;
	*dead = sc_memory_find_dead(&a->memory, address);
	if (!*dead || (*dead)->kind == SC_MEM_REGISTERED ||
	    sc_memory_find(&a->memory, address, &unused))
		return 0;
	return result == SC_RESULT_INVALID_VALUE || (*dead)->kind == SC_MEM_DEVICE;
}

/* SC-116, SC-141, SC-132: by the kind of the freed memory. */
static unsigned rule_of_dead(const struct sc_dead *dead)
{
	if (dead->is_imported)
		return SC_RULE_141;
	return dead->is_graphics ? SC_RULE_132 : SC_RULE_116;
}

static bool check_pointer(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence,
			  uint64_t address, uint64_t bytes, uint8_t memory, uint8_t mode)
{
	const struct sc_dead *dead;
	struct sc_finding f;

	if (!is_stale(a, address, memory, op->result, &dead))
		return 0;
	f = sc_finding_begin(rule_of_dead(dead), NULL, 0, op, sequence);
	f.side[0].address = address;
	f.side[0].bytes = bytes;
	f.side[0].mode = mode;
	f.allocation = dead->sequence;
	sc_finding_add_earlier(&f, dead->freed - 1, SC_SIDE_FREE);
	if (op->result == 0) {
		f.confidence = SC_POSSIBLE;
		f.doubt = SC_DOUBT_REUSED;
	}
	sc_finding_file(a, &f, NULL, op);
	return 1;
}

/* The copies of a batch have their operands in a list. */
static void check_pointers(struct sc_analysis *a, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;

	check_pointer(a, op, r->sequence, op->src, op->bytes, op->src_mem, SC_SIDE_READ);
	check_pointer(a, op, r->sequence, op->dst, op->bytes, op->dst_mem, SC_SIDE_WRITE);
	for (uint32_t i = 0; sc_op_is_batch(op) && i < r->access_count; i++) {
		const struct sc_access *use = &r->accesses[i];

		if (check_pointer(a, op, r->sequence, use->base, sc_shape_end(use) - use->base,
				  use->memory,
				  sc_mode_writes(use->mode) ? SC_SIDE_WRITE : SC_SIDE_READ))
			return;
	}
}

bool sc_lifetime_may_be_unseen(struct sc_analysis *a, uint64_t address)
{
	uint64_t unused;
	bool may_be_host =
		a->machine.reads_pageable && !sc_memory_find(&a->memory, address, &unused);

	return a->gap || may_be_host || a->order.has_hidden_records;
}

/* Nothing but the kernel could make it no use of freed memory. */
static bool is_certainly_dead(struct sc_analysis *a, const struct sc_record *r,
			      const struct sc_finding *f)
{
	return f->rule == SC_RULE_116 && r->op.result == 0 &&
	       !sc_lifetime_may_be_unseen(a, f->side[0].address);
}

/* How sure it is that the kernel uses what is gone; false if it does not. */
static bool judge_parameter(struct sc_analysis *a, const struct sc_record *r, uint32_t offset,
			    const struct sc_dead *dead, struct sc_finding *f)
{
	const struct sc_gone gone = {.was = dead->home};
	struct sc_touched touched = sc_access_touched(&a->kernels, r->sequence);
	struct sc_access use;
	enum sc_use_of_dead kind =
		sc_access_uses_dead(&a->kernels, r, &touched, offset, &gone, &use);

	if (kind == SC_USE_SURE && is_certainly_dead(a, r, f)) {
		f->side[0].address = use.base;
		f->side[0].bytes = use.width;
		f->side[0].mode = sc_mode_writes(use.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
		f->side[0].how = use.how;
		return 1;
	}
	f->side[0].known = SC_KNOWN_PARAMETER;
	f->side[0].how = SC_HOW_PARAMETER;
	f->confidence = SC_POSSIBLE;
	f->doubt = sc_launch_parameter(&a->kernels, r, offset) == SC_KNOWN_PARAMETER
			   ? SC_DOUBT_FOOTPRINT
			   : SC_DOUBT_OVER;
	if (f->doubt == SC_DOUBT_FOOTPRINT && is_certainly_dead(a, r, f))
		f->confidence = SC_LIKELY;
	f->severity = SC_WARNING;
	return kind != SC_USE_NONE;
}

/* A kernel is given an address inside memory that is gone. */
static void check_parameters(struct sc_analysis *a, const struct sc_record *r)
{
	uint32_t bytes = 0, offset;
	const uint8_t *data = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);
	const struct sc_dead *dead;
	struct sc_finding f;

	for (uint32_t at = sizeof(struct sc_launch); data && at + 8 <= bytes; at += 8) {
		uint64_t value;

		memcpy(&value, data + at, sizeof(value));
		if (!is_stale(a, value, SC_MEM_NONE, r->op.result, &dead))
			continue;
		offset = at - (uint32_t)sizeof(struct sc_launch);
		if (sc_launch_is_in_table(&a->kernels, r, offset)) {
			a->kernels.stale_rows++;
			continue;
		}
		f = sc_finding_begin(rule_of_dead(dead), NULL, 0, &r->op, r->sequence);
		f.side[0].address = value;
		f.allocation = dead->sequence;
		if (!judge_parameter(a, r, offset, dead, &f))
			continue;
		sc_finding_add_earlier(&f, dead->freed - 1, SC_SIDE_FREE);
		sc_finding_file(a, &f, NULL, &r->op);
		return;
	}
}

/* Uses of memory that ended. */
static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	(void)state;
	return a->memory.oldest_dead != NULL;
}

static const uint16_t kinds[] = {SC_OP_ALLOC,	  SC_OP_ALLOC_ASYNC,	 SC_OP_PIN,
				 SC_OP_FREE,	  SC_OP_UNPIN,		 SC_OP_FREE_ASYNC,
				 SC_OP_HOST_FREE, SC_OP_CONTEXT_DESTROY, SC_OP_COPY,
				 SC_OP_SET,	  SC_OP_KERNEL,		 SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	(void)state;
	if (op->phase == SC_PHASE_END || op->flags & SC_FLAG_CAPTURED)
		return;
	switch (op->kind) {
	case SC_OP_ALLOC:
	case SC_OP_ALLOC_ASYNC:
	case SC_OP_PIN: begin_memory(a, r, step); break;
	case SC_OP_FREE:
	case SC_OP_UNPIN: end_memory(a, step, r->sequence); break;
	case SC_OP_FREE_ASYNC: end_async(a, step, r->sequence); break;
	case SC_OP_HOST_FREE:
		if (sc_op_took_effect(op))
			end_host_memory(a, step, r->sequence);
		break;
	case SC_OP_CONTEXT_DESTROY:
		if (sc_op_took_effect(op))
			sc_memory_end_context(&a->memory, op->context, r->sequence);
		break;
	case SC_OP_COPY:
	case SC_OP_SET: check_pointers(a, r); break;
	case SC_OP_KERNEL: check_parameters(a, r); break;
	default: break;
	}
}

const struct sc_rule_family sc_rules_lifetime = {
	.kinds = kinds,
	.sees_routine = sees_routine,
	.step = check_record,
};
