/* Coverage: what was seen, and the first sign that something was not. */
#include "analyzer/coverage.h"

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

static void count_kind(struct sc_coverage *c, const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_CONTEXT_CREATE: c->contexts++; break;
	case SC_OP_STREAM_CREATE: c->streams++; break;
	case SC_OP_COPY: c->copies++; break;
	case SC_OP_KERNEL: c->kernels++; break;
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE: c->host_accesses++; break;
	case SC_OP_EXIT: c->signal = op->object; break;
	case SC_OP_LOST: *(op->call ? &c->unknown_calls : &c->lost) += op->value; break;
	case SC_OP_DRIVER:
	case SC_OP_DEVICE: c->driver_seen = 1; break;
	default: break;
	}
}

/* From here on an op may be missing between two others. */
static void note_gap(struct sc_analysis *a, const struct sc_record *r)
{
	bool is_lost = r->op.kind == SC_OP_LOST && r->op.value;

	if (!a->gap && (is_lost || a->stats->damaged || a->stats->uncommitted))
		a->gap = r->sequence + 1;
}

/* Before the first call, the recorder writes whether it records host synchronization (T-3). */
static void note_watch(struct sc_analysis *a, const struct sc_record *r)
{
	static const char source[] = "host synchronization";
	uint32_t bytes = 0;
	const char *text;

	if (r->op.kind != SC_OP_SOURCE || !r->op.value || a->coverage.ops)
		return;
	text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);
	a->is_watched |= text && bytes == sizeof(source) - 1 && !memcmp(text, source, bytes);
}

/* In strict mode every thread looks unordered if nothing of it was recorded. */
static uint64_t count_unwatched(const struct sc_analysis *a)
{
	uint64_t threads = 0;

	if (!a->settings.strict_hosts || a->is_watched)
		return 0;
	for (const struct sc_host_thread *t = a->order.host.threads; t; t = t->next)
		threads += t->id > 0;
	return threads > 1 ? threads : 0;
}

void sc_coverage_count(struct sc_analysis *a, const struct sc_record *r)
{
	note_gap(a, r);
	note_watch(a, r);
	count_kind(&a->coverage, &r->op);
	if (r->op.phase != SC_PHASE_END)
		count_call(&a->coverage, &r->op);
}

void sc_coverage_finish(struct sc_analysis *a)
{
	const struct sc_reader_stats *s = a->stats;
	struct sc_coverage *c = &a->coverage;

	for (unsigned i = 0; i < SC_GAPS; i++)
		c->gaps[i] += s->gaps[i];
	c->lost += s->lost;
	c->damaged += s->damaged;
	c->closed = s->closed;
	c->touches += a->memory.notes.forgotten;
	c->possible_touches += a->memory.notes.forgotten_possible;
	c->undeclared += a->kernels.unread;
	c->unwatched += count_unwatched(a);
	c->uncompared_views += a->memory.notes.views.pairs;
	c->view_kernels[0] = a->memory.notes.views.kernels[0];
	c->view_kernels[1] = a->memory.notes.views.kernels[1];
	c->leftover_structs += a->kernels.leftovers;
#define SC_LAUNCHES(id, how, known, about) c->id = sc_kernel_tallies_sum(&a->kernels.tallies, how);
#include "analyzer/coverage.def"
	c->driver_seen |= c->ops > 0;
	for (struct sc_context *x = a->order.streams.contexts; x; x = x->next)
		c->faulted += x->faulted > 0;
}
