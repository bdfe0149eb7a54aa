/* Applied state: what edits ask about streams. */
#include "extensions/repair/planner/applied_state.h"

#include <stdbool.h>

void sc_applied_flaw(struct sc_applied_edit *e, enum sc_edit_flaw flaw)
{
	if (!e->edit->flaw)
		e->edit->flaw = (uint8_t)flaw;
}

static uint64_t state_of(const struct sc_applied *a, uint32_t stream)
{
	const uint64_t *flags = sc_u64_map_find(&a->streams, stream);

	return flags ? *flags : 0;
}

uint64_t sc_applied_flags(const struct sc_applied *a, uint32_t stream)
{
	uint64_t state = state_of(a, stream);

	return state && state != SC_APPLIED_DEAD ? state - 1 : 0;
}

/* S-5: the handle of a per-thread default stream means that of the caller. */
bool sc_applied_can_name(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at,
			 const struct sc_applied_stream *s)
{
	uint64_t state = state_of(a, s->stream);

	if (state == SC_APPLIED_DEAD)
		sc_applied_flaw(e, SC_FLAW_DEAD_STREAM);
	else if (sc_applied_flags(a, s->stream) & SC_FLAG_PER_THREAD && s->thread != at->thread)
		sc_applied_flaw(e, SC_FLAW_REACH);
	else
		return 1;
	return 0;
}

struct sc_op sc_applied_call(const struct sc_op *at, uint16_t kind)
{
	return (struct sc_op){.kind = kind,
			      .thread = at->thread,
			      .context = at->context,
			      .device = at->device,
			      .stack = at->stack,
			      .time_ns = at->time_ns};
}

bool sc_applied_thread_waits(const struct sc_applied *a, struct sc_applied_edit *e, uint32_t thread)
{
	bool is_other = e->edit->calls++ && e->edit->thread != thread;

	e->edit->thread = is_other ? UINT32_MAX : thread;
	return !a->only_thread || a->only_thread == thread;
}

void sc_applied_wait_host(struct sc_applied *a, struct sc_applied_edit *e, struct sc_op op)
{
	if (!sc_applied_thread_waits(a, e, op.thread))
		return;
	op.phase = SC_PHASE_BEGIN;
	sc_splice_before(&a->splice, &op);
	op.phase = SC_PHASE_END;
	sc_splice_before(&a->splice, &op);
}

void sc_applied_follow(struct sc_applied *a, const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_STREAM_CREATE: *sc_u64_map_get(&a->streams, op->stream) = op->flags + 1; break;
	case SC_OP_STREAM_DESTROY:
		*sc_u64_map_get(&a->streams, op->stream) = SC_APPLIED_DEAD;
		break;
	case SC_OP_EVENT_DESTROY: *sc_u64_map_get(&a->events, op->object) = 1; break;
	case SC_OP_INSTANTIATE:
		if (!op->result)
			sc_edges_renew(&a->edges, op->object, a->at);
		break;
	case SC_OP_CAPTURE_BEGIN: a->captures += !op->result; break;
	case SC_OP_CAPTURE_END: a->captures -= a->captures != 0; break;
	default: break;
	}
}
