/* Price: differences of two times. */
#include "extensions/repair/planner/price.h"

void sc_price_init(struct sc_price *p, const struct sc_device_times *times)
{
	*p = (struct sc_price){.times = times};
}

void sc_price_fini(struct sc_price *p)
{
	sc_u64_map_fini(&p->last);
}

static bool is_work(const struct sc_op *op)
{
	return op->stream && sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE &&
	       op->kind != SC_OP_EVENT_RECORD && op->kind != SC_OP_EVENT_WAIT;
}

void sc_price_note(struct sc_price *p, uint64_t place, const struct sc_op *op)
{
	struct sc_device_span span;

	if (!p->times->list.count || !is_work(op))
		return;
	*sc_u64_map_get(&p->last, op->stream) = place + 1;
	if (sc_device_time_of(p->times, place, &span) && span.end_ns > p->end_ns)
		p->end_ns = span.end_ns;
}

uint64_t sc_price_last(const struct sc_price *p, uint32_t stream)
{
	const uint64_t *last = p->last.count ? sc_u64_map_find(&p->last, stream) : NULL;

	return last ? *last : 0;
}

void sc_price_device(const struct sc_price *p, struct sc_edit *e, uint64_t first, uint64_t second)
{
	struct sc_device_span a, b;
	uint64_t end_ns;

	if (!p->times->list.count || !first || !sc_device_time_of(p->times, first - 1, &a) ||
	    !sc_device_time_of(p->times, second, &b))
		return;
	end_ns = a.end_ns < b.end_ns ? a.end_ns : b.end_ns;
	e->is_priced = 1;
	e->lost_ns += end_ns > b.start_ns ? end_ns - b.start_ns : 0;
}

/* Two clocks: what is not longer than their error is nothing. */
static void add_host(const struct sc_price *p, struct sc_edit *e, uint64_t end_ns,
		     const struct sc_op *at)
{
	if (!at->time_ns)
		return;
	e->is_priced = 1;
	if (end_ns > at->time_ns && end_ns - at->time_ns > p->times->error_ns)
		e->lost_ns += end_ns - at->time_ns;
}

void sc_price_host(const struct sc_price *p, struct sc_edit *e, uint64_t first,
		   const struct sc_op *at)
{
	struct sc_device_span a;

	if (p->times->list.count && first && sc_device_time_of(p->times, first - 1, &a))
		add_host(p, e, a.end_ns, at);
}

void sc_price_all(const struct sc_price *p, struct sc_edit *e, const struct sc_op *at)
{
	if (p->end_ns)
		add_host(p, e, p->end_ns, at);
}
