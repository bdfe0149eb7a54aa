/* Coverage: counts by kind of op, and by class. */
#include "analyzer/model/coverage.h"

#include <stdbool.h>
#include <string.h>

static void count_call(struct sc_coverage *c, const struct sc_op *op)
{
	switch (sc_op_kind_class(op->kind)) {
	case SC_CLASS_DEFINE: return;
	case SC_CLASS_WAIT: c->waits++; break;
	case SC_CLASS_HOST:
	case SC_CLASS_ENQUEUE: break;
	}
	c->ops++;
	if (op->result == SC_RESULT_PENDING)
		c->calls_in_flight++;
}

/* Launches that the simulated device did not execute, or the GPU did not record, have a reason. */
static void count_launches(struct sc_coverage *c, const struct sc_record *r)
{
	uint32_t bytes = 0;
	bool is_left_out = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes) && bytes;

	switch ((enum sc_launches)r->op.object) {
	case SC_LAUNCHES_SIMULATED:
		*(is_left_out ? &c->skipped : &c->executed) += r->op.value;
		break;
	case SC_LAUNCHES_RECORDED:
		c->has_recorder = 1;
		*(is_left_out ? &c->unrecorded : &c->recorded) += r->op.value;
		break;
	case SC_LAUNCHES_GIVEN_UP: c->given_up += r->op.value; break;
	}
}

static void count_kind(struct sc_coverage *c, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;

	switch (op->kind) {
	case SC_OP_CONTEXT_CREATE: c->contexts++; break;
	case SC_OP_STREAM_CREATE: c->streams++; break;
	case SC_OP_COPY: c->copies++; break;
	case SC_OP_KERNEL: c->kernels++; break;
	case SC_OP_HOST_READ:
		c->late_reads += (op->flags & SC_FLAG_UNDECIDED) != 0;
		c->host_accesses++;
		break;
	case SC_OP_HOST_WRITE: c->host_accesses++; break;
	case SC_OP_EXIT:
		c->signal = op->object;
		c->ended_by_parent = op->object && op->peer;
		break;
	case SC_OP_LOST: *(op->call ? &c->unknown_calls : &c->lost) += op->value; break;
	case SC_OP_LAUNCHES: count_launches(c, r); break;
	case SC_OP_LAUNCH_BYTES: c->unsaid_graphs += op->link ? 0 : op->value; break;
	case SC_OP_DRIVER:
	case SC_OP_DEVICE: c->driver_seen = 1; break;
	default: break;
	}
}

/* Before the first call, the recorder writes whether it records host synchronization (T-3). */
static void note_watch(struct sc_coverage *c, const struct sc_record *r)
{
	static const char source[] = "host synchronization";
	uint32_t bytes = 0;
	const char *text;

	if (r->op.kind != SC_OP_SOURCE || !r->op.value || c->ops)
		return;
	text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);
	c->hosts_watched |= text && bytes == sizeof(source) - 1 && !memcmp(text, source, bytes);
}

void sc_coverage_count(struct sc_coverage *c, const struct sc_record *r)
{
	note_watch(c, r);
	count_kind(c, r);
	if (r->op.phase == SC_PHASE_END)
		return;
	count_call(c, &r->op);
	c->work += sc_coverage_is_work(&r->op);
}

void sc_coverage_add_losses(struct sc_coverage *c, const struct sc_reader_stats *s)
{
	for (unsigned i = 0; i < SC_GAPS; i++)
		c->gaps[i] += s->gaps[i];
	c->lost += s->lost;
	c->damaged += s->damaged;
	c->ended_at_work |= c->ended_by_parent && c->calls_in_flight;
	c->closed = s->closed && !c->ended_at_work;
	c->running = s->running && !s->closed;
	c->driver_seen |= c->ops > 0;
}
