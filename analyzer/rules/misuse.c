/* Rules 117, 122, 126, 140, 143: calls that are wrong whatever the order is. */
#include "analyzer/rules/misuse.h"

#include <stdbool.h>
#include "analyzer/rules/family.h"
#include "base/recall.h"

enum handle { NO_HANDLE, STREAM, EVENT };

static uint64_t key_of(enum handle kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

struct misuse {
	/* Destroyed handles, kind << 32 | id, and which call did it; ids are never used again
	 * (0.5). */
	struct sc_recall dead;
	uint32_t alive; /* the stream that was looked for last, and was not destroyed; 0: none */
};

/* Sequence of the call that destroyed the handle, or NULL. */
static const uint64_t *find_dead(const struct misuse *s, uint64_t key)
{
	return sc_recall_find(&s->dead, key);
}

bool sc_misuse_is_dead_event(const struct sc_analysis *a, uint32_t id)
{
	return find_dead(sc_family_state(a, SC_FAMILY_misuse), key_of(EVENT, id)) != NULL;
}

/* Remembers a destroyed handle. */
static void add_dead(struct misuse *s, struct sc_analysis *a, uint64_t key, uint64_t sequence)
{
	s->dead.most = sc_settings_remembered(&a->settings, 1);
	s->alive = 0;
	if (!find_dead(s, key))
		a->coverage.ended += sc_recall_note(&s->dead, key, sequence, NULL);
}

/* The kind of handle in `object`. */
static enum handle object_kind(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY:
	case SC_OP_EVENT_ELAPSED:
	case SC_OP_CONTEXT_RECORD:
	case SC_OP_CONTEXT_WAIT:
	case SC_OP_EVENT_DESTROY: return EVENT;
	default: return NO_HANDLE;
	}
}

/* Most operations are of the stream of the one before. */
static const uint64_t *find_dead_stream(struct misuse *s, uint32_t id)
{
	const uint64_t *d = s->alive == id ? NULL : find_dead(s, key_of(STREAM, id));

	if (!d)
		s->alive = id;
	return d;
}

static const uint64_t *dead_handle(struct misuse *s, const struct sc_op *op)
{
	const uint64_t *d = NULL;

	if (!s->dead.map.count)
		return NULL;
	if (object_kind(op) != NO_HANDLE)
		d = find_dead(s, key_of(object_kind(op), op->object));
	if (!d && op->stream && sc_op_kind_class(op->kind) != SC_CLASS_DEFINE)
		d = find_dead_stream(s, op->stream);
	return d;
}

/* Whether the record stands for a CUDA call of the program. */
static bool is_call(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_STREAM_CREATE: return !(op->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD));
	case SC_OP_EVENT_CREATE: return 1;
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE:
	case SC_OP_HOST_FREE:
	case SC_OP_CALLBACK_BEGIN:
	case SC_OP_CALLBACK_END:
	case SC_OP_THREAD_BEGIN:
	case SC_OP_THREAD_END:
	case SC_OP_THREAD_JOIN:
	case SC_OP_SYNC_RELEASE:
	case SC_OP_SYNC_ACQUIRE:
	case SC_OP_SYNC_HOLD:
	case SC_OP_AGENT:
	case SC_OP_AGENT_END:
	case SC_OP_EXIT: return 0;
	default: return sc_op_kind_class(op->kind) != SC_CLASS_DEFINE;
	}
}

/* SC-117. Host functions of a destroyed stream still run (S-8). */
static void check_handles(struct misuse *s, struct sc_analysis *a, const struct sc_op *op,
			  uint64_t sequence)
{
	const uint64_t *d = is_call(op) ? dead_handle(s, op) : NULL;
	struct sc_finding f;

	if (!d && !(op->flags & SC_FLAG_DEAD_HANDLE))
		return;
	f = sc_finding_begin(SC_RULE_117, NULL, 0, op, sequence);
	if (d)
		sc_finding_add_earlier(&f, *d, SC_SIDE_CALL);
	sc_finding_file(a, &f, NULL, op);
}

static void note_destroyed(struct misuse *s, struct sc_analysis *a, const struct sc_op *op,
			   uint64_t sequence)
{
	if (!sc_op_took_effect(op) || op->flags & SC_FLAG_DEAD_HANDLE)
		return;
	if (op->kind == SC_OP_STREAM_DESTROY)
		add_dead(s, a, key_of(STREAM, op->stream), sequence);
	else if (op->kind == SC_OP_EVENT_DESTROY)
		add_dead(s, a, key_of(EVENT, op->object), sequence);
}

/* SC-143: memory that was registered read-only (M-11). */
void sc_misuse_check_read_only(struct sc_analysis *a, const struct sc_step *step)
{
	if (!a->memory.has_read_only || !step->is_enqueued)
		return;
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		struct sc_finding f;

		if (!use->allocation->is_read_only || use->is_host ||
		    use->shape.known == SC_KNOWN_PARAMETER || !sc_mode_writes(use->shape.mode))
			continue;
		f = sc_finding_of_use(a, SC_RULE_143, step, use);
		sc_finding_file(a, &f, NULL, step->op);
	}
}

static bool is_recorded(struct sc_analysis *a, uint32_t id)
{
	const struct sc_event *e = sc_event_find(&a->order.events, id);

	return e && e->is_used;
}

/* What the two events lack, by what the driver answered. */
static enum sc_fix fix_of_elapsed(struct sc_analysis *a, const struct sc_op *op)
{
	if (op->result == SC_RESULT_NOT_READY)
		return SC_FIX_COMPLETE_EVENT;
	return is_recorded(a, op->object) && is_recorded(a, op->peer) ? SC_FIX_TIMED_EVENT
								      : SC_FIX_RECORDED_EVENT;
}

/* SC-140: the driver had no time to give (E-10); a destroyed event is SC-117. A context that has
 * reported an error takes no records any more. */
static void check_elapsed(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	struct sc_finding f;

	if (op->kind != SC_OP_EVENT_ELAPSED || op->flags & SC_FLAG_DEAD_HANDLE ||
	    (op->result != SC_RESULT_INVALID_HANDLE && op->result != SC_RESULT_NOT_READY))
		return;
	if (sc_misuse_is_dead_event(a, op->object) || sc_misuse_is_dead_event(a, op->peer) ||
	    sc_context_of(&a->order.streams, op->context)->faulted)
		return;
	f = sc_finding_begin(SC_RULE_140, NULL, 0, op, sequence);
	if (op->result == SC_RESULT_NOT_READY)
		f.severity = SC_WARNING; /* may be asked again */
	f.fix = (uint8_t)fix_of_elapsed(a, op);
	sc_finding_file(a, &f, NULL, op);
}

/* SC-122: whatever the driver answered. */
static void check_callback(struct sc_analysis *a, const struct sc_op *op,
			   const struct sc_step *step, uint64_t sequence)
{
	struct sc_finding f;

	if (!(op->flags & SC_FLAG_IN_CALLBACK) && !op->callback)
		return;
	if (!is_call(op))
		return;
	f = sc_finding_begin(SC_RULE_122, NULL, 0, op, sequence);
	if (step->inside)
		sc_finding_add_earlier(&f, step->inside->sequence, SC_SIDE_CALL);
	sc_finding_file(a, &f, NULL, op);
}

/* SC-126, except where the host can reach device memory (M-10). */
static void check_dereference(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	const struct sc_use *use = a->uses.items;
	bool is_read = op->kind == SC_OP_HOST_READ;
	uint8_t memory = is_read ? op->src_mem : op->dst_mem;
	struct sc_finding f;

	if ((!is_read && op->kind != SC_OP_HOST_WRITE) || !a->uses.count)
		return;
	if (memory != SC_MEM_DEVICE && use->allocation->kind != SC_MEM_DEVICE)
		return;
	if (a->machine.reads_pageable && !(op->flags & SC_FLAG_FATAL))
		return;
	f = sc_finding_begin(SC_RULE_126, NULL, 0, op, sequence);
	f.side[0].address = use->shape.base;
	f.side[0].bytes = use->shape.width;
	f.side[0].mode = is_read ? SC_SIDE_READ : SC_SIDE_WRITE;
	f.allocation = use->allocation->sequence;
	sc_finding_file(a, &f, NULL, op);
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct misuse *s = state;

	return s->dead.map.count || a->memory.has_read_only;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct misuse *s = state;
	const struct sc_op *op = &r->op;

	if (op->phase == SC_PHASE_END)
		return;
	check_handles(s, a, op, r->sequence);
	sc_misuse_check_read_only(a, step);
	check_elapsed(a, op, r->sequence);
	check_callback(a, op, step, r->sequence);
	check_dereference(a, op, r->sequence);
	note_destroyed(s, a, op, r->sequence);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct misuse *s = state;

	(void)a;
	sc_recall_fini(&s->dead);
}

const struct sc_rule_family sc_rules_misuse = {
	.state_bytes = sizeof(struct misuse),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
