/* Stalls: the first work of each stream after an op of the legacy stream. */
#include "analyzer/run/stall.h"
#include "base/search.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t key_of(uint64_t site, const struct sc_op *op)
{
	return sc_hash_add(site, op->kind);
}

void sc_stalls_want(struct sc_stalls *h, uint64_t site, const struct sc_op *op)
{
	uint64_t *place = sc_u64_map_get(&h->places, key_of(site, op));

	if (!*place)
		*place = ++h->place_count;
}

/* A stream belongs to the context of its first op: later calls may name the thread's. */
static struct sc_stalled_stream *stream_of(struct sc_stalls *h, const struct sc_op *op)
{
	uint64_t *index = sc_u64_map_get(&h->by_stream, op->stream);

	if (!*index) {
		sc_vector_push(&h->streams, ((struct sc_stalled_stream){.context = op->context}));
		*index = h->streams.count;
	}
	return &h->streams.items[*index - 1];
}

static struct sc_barrier_span *barrier_of(struct sc_stalls *h, uint32_t context)
{
	uint64_t *index = sc_u64_map_get(&h->by_context, context);

	if (!*index) {
		sc_vector_push(&h->barriers, (struct sc_barrier_span){0});
		*index = h->barriers.count;
	}
	return &h->barriers.items[*index - 1];
}

static void count(struct sc_stalls *h, uint32_t place, uint32_t stream, uint64_t ns)
{
	uint64_t *index = sc_u64_map_get(&h->by_both, (uint64_t)place << 32 | stream);
	struct sc_stall *stall;

	if (!*index) {
		sc_vector_push(&h->list, ((struct sc_stall){.place = place, .stream = stream}));
		*index = h->list.count;
	}
	stall = &h->list.items[*index - 1];
	stall->count++;
	stall->ns += ns;
}

/* Work that has a time of its own wherever times are known. */
static bool takes_time(const struct sc_op *op)
{
	return op->kind == SC_OP_COPY || op->kind == SC_OP_SET || op->kind == SC_OP_KERNEL ||
	       op->kind == SC_OP_GRAPH_LAUNCH || op->kind == SC_OP_HOST_FUNC;
}

/* An op of the legacy stream: later work of the context comes after it. */
static void bar(struct sc_stalls *h, uint32_t context, struct sc_callsites *sites,
		const struct sc_reader *reader, const struct sc_record *r, uint64_t end_ns)
{
	uint64_t site = sc_callsite_of(sites, reader, r->op.stack, r->sequence);
	const uint64_t *place = sc_u64_map_find(&h->places, key_of(site, &r->op));

	if (place)
		*barrier_of(h, context) =
			(struct sc_barrier_span){r->sequence + 1, end_ns, (uint32_t)*place};
}

/* Work of a blocking stream; held up if it is the first after a barrier. */
static void run(struct sc_stalls *h, struct sc_stalled_stream *s, const struct sc_op *op,
		const struct sc_device_span *span, uint64_t error_ns)
{
	struct sc_barrier_span *b = barrier_of(h, s->context);
	uint64_t from = op->time_ns > s->done_ns ? op->time_ns : s->done_ns;
	uint64_t to = span->start_ns < b->end_ns ? span->start_ns : b->end_ns;

	if (b->sequence_plus > s->after && to > from && to - from > error_ns)
		count(h, b->place, op->stream, to - from);
	s->after = b->sequence_plus;
}

static void enqueue(struct sc_stalls *h, const struct sc_device_times *t,
		    struct sc_callsites *sites, const struct sc_reader *reader,
		    const struct sc_record *r)
{
	struct sc_stalled_stream *s = stream_of(h, &r->op);
	struct sc_device_span span;

	if (!takes_time(&r->op))
		return;
	if (!sc_device_time_of(t, r->sequence, &span)) {
		s->done_ns = UINT64_MAX;
		return;
	}
	if (s->flags & SC_FLAG_LEGACY)
		bar(h, s->context, sites, reader, r, span.end_ns);
	else if (!(s->flags & SC_FLAG_NON_BLOCKING))
		run(h, s, &r->op, &span, t->error_ns);
	s->done_ns = span.end_ns;
}

void sc_stalls_visit(struct sc_stalls *h, const struct sc_device_times *t,
		     struct sc_callsites *sites, const struct sc_reader *reader,
		     const struct sc_record *r)
{
	const struct sc_op *op = &r->op;

	if (!h->place_count || !t->list.count || !op->stream)
		return;
	if (op->kind == SC_OP_STREAM_CREATE)
		stream_of(h, op)->flags = op->flags;
	else if (sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE && !op->result &&
		 op->phase != SC_PHASE_END && !(op->flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE)))
		enqueue(h, t, sites, reader, r);
}

static int compare(const void *left, const void *right)
{
	const struct sc_stall *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

void sc_stalls_finish(struct sc_stalls *h)
{
	if (h->list.count)
		qsort(h->list.items, h->list.count, sizeof(*h->list.items), compare);
}

size_t sc_stalls_of(const struct sc_stalls *h, uint64_t site, const struct sc_op *op,
		    const struct sc_stall **first)
{
	const uint64_t *place = sc_u64_map_find(&h->places, key_of(site, op));
	size_t begin, end;

	if (!place || !h->list.count)
		return 0;
	SC_SEARCH(begin, h->list.count, h->list.items[begin].place < *place);
	SC_SEARCH(end, h->list.count, h->list.items[end].place <= *place);
	*first = h->list.items + begin;
	return end - begin;
}

void sc_stalls_fini(struct sc_stalls *h)
{
	sc_u64_map_fini(&h->places);
	sc_u64_map_fini(&h->by_stream);
	sc_u64_map_fini(&h->by_context);
	sc_u64_map_fini(&h->by_both);
	sc_vector_fini(&h->streams);
	sc_vector_fini(&h->barriers);
	sc_vector_fini(&h->list);
}
