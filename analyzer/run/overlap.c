/* Overlap of the two ops of a finding, from device times. */
#include "analyzer/run/overlap.h"

/* A moment overlaps with a span by what was still to come of it. */
static uint64_t common(const struct sc_time_span *a, const struct sc_time_span *b)
{
	uint64_t start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
	uint64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	if (a->start_ns == a->end_ns && start == a->start_ns)
		end = b->end_ns;
	else if (b->start_ns == b->end_ns && start == b->start_ns)
		end = a->end_ns;
	return end > start ? end - start : 0;
}

static uint64_t apart(const struct sc_time_span *a, const struct sc_time_span *b)
{
	return a->end_ns <= b->start_ns ? b->start_ns - a->end_ns : a->start_ns - b->end_ns;
}

void sc_overlap_judge(const struct sc_device_times *t, struct sc_finding *f,
		      const struct sc_record *first, const struct sc_record *second)
{
	struct sc_time_span a, b;
	uint64_t shared;

	if (f->sides < 2 || !sc_device_time_when(t, first, &a) ||
	    !sc_device_time_when(t, second, &b))
		return;
	shared = common(&a, &b);
	f->timing_ns = shared ? shared : apart(&a, &b);
	if (f->timing_ns > t->error_ns)
		f->timing = shared ? SC_TIMING_TOGETHER : SC_TIMING_APART;
}
