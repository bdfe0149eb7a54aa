/* Overlap of the two ops of a finding, from device times. */
#include "analyzer/timing.h"

struct span {
	uint64_t start_ns, end_ns;
};

/* What a host thread does itself happens when the op says; what it enqueues, when the device does
 * it. */
static _Bool is_moment(const struct sc_op *op)
{
	return op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE ||
	       op->kind == SC_OP_HOST_FREE || op->kind == SC_OP_FREE;
}

static _Bool span_of(const struct sc_device_times *t, const struct sc_record *r, struct span *out)
{
	struct sc_device_span span;

	if (!r)
		return 0;
	if (is_moment(&r->op)) {
		*out = (struct span){r->op.time_ns, r->op.time_ns};
		return r->op.time_ns != 0;
	}
	if (!sc_device_time_of(t, r->sequence, &span))
		return 0;
	*out = (struct span){span.start_ns, span.end_ns};
	return 1;
}

/* A moment overlaps with a span by what was still to come of it. */
static uint64_t common(const struct span *a, const struct span *b)
{
	uint64_t start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
	uint64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	if (a->start_ns == a->end_ns && start == a->start_ns)
		end = b->end_ns;
	else if (b->start_ns == b->end_ns && start == b->start_ns)
		end = a->end_ns;
	return end > start ? end - start : 0;
}

static uint64_t apart(const struct span *a, const struct span *b)
{
	return a->end_ns <= b->start_ns ? b->start_ns - a->end_ns : a->start_ns - b->end_ns;
}

void sc_timing_judge(const struct sc_device_times *t, struct sc_finding *f,
		     const struct sc_record *first, const struct sc_record *second)
{
	struct span a, b;
	uint64_t shared;

	if (f->sides < 2 || !span_of(t, first, &a) || !span_of(t, second, &b))
		return;
	shared = common(&a, &b);
	f->timing_ns = shared ? shared : apart(&a, &b);
	if (f->timing_ns > t->error_ns)
		f->timing = shared ? SC_TIMING_TOGETHER : SC_TIMING_APART;
}
