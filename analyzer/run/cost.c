/* Cost: blocked host, idle device, by call site. */
#include "analyzer/run/cost.h"
#include "base/search.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t key_of(uint64_t site, const struct sc_op *op)
{
	return sc_hash_add(site, op->kind);
}

void sc_costs_want(struct sc_costs *c, uint64_t site, const struct sc_op *op)
{
	uint64_t *place = sc_u64_map_get(&c->sites, key_of(site, op));

	if (*place)
		return;
	sc_vector_push(&c->list, (struct sc_cost){0});
	*place = c->list.count;
}

const struct sc_cost *sc_costs_of(const struct sc_costs *c, uint64_t site, const struct sc_op *op)
{
	const uint64_t *place = sc_u64_map_find(&c->sites, key_of(site, op));

	return place ? &c->list.items[*place - 1] : NULL;
}

/* Index + 1 of the cost of an op's site; 0 if its cost is not wanted. */
static size_t site_of(struct sc_costs *c, struct sc_callsites *sites,
		      const struct sc_reader *reader, const struct sc_record *r)
{
	uint64_t site = sc_callsite_of(sites, reader, r->op.stack, r->sequence);
	const uint64_t *place = sc_u64_map_find(&c->sites, key_of(site, &r->op));

	return place ? *place : 0;
}

static void block(struct sc_costs *c, size_t site, uint64_t from_ns, uint64_t to_ns)
{
	if (site && from_ns && to_ns > from_ns)
		c->list.items[site - 1].blocked_ns += to_ns - from_ns;
}

/* ---- calls that wait ---- */

static struct sc_open_call *open_call(struct sc_costs *c, uint32_t thread)
{
	uint64_t *place = sc_u64_map_get(&c->threads, thread);

	if (!*place) {
		sc_vector_push(&c->open, (struct sc_open_call){0});
		*place = c->open.count;
	}
	return &c->open.items[*place - 1];
}

static void end_call(struct sc_costs *c, const struct sc_device_times *t, const struct sc_op *op)
{
	struct sc_open_call *open = open_call(c, op->thread);

	if (!op->link || open->link != op->link)
		return;
	block(c, open->site, open->time_ns, op->time_ns);
	if (t->list.count && c->ends.count < SC_DEVICE_TIMES)
		sc_vector_push(&c->ends, ((struct sc_wait_end){op->time_ns, open->site}));
	open->link = 0;
}

/* A pageable copy that is asynchronous in name returns when its data is through. */
static bool is_pageable_copy(const struct sc_op *op)
{
	return op->kind == SC_OP_COPY && op->phase == SC_PHASE_ONCE &&
	       (op->src_mem == SC_MEM_PAGEABLE || op->dst_mem == SC_MEM_PAGEABLE);
}

/* Calls that have no END, but which CUPTI says made the host wait (cudaFree). */
static void add_waits(struct sc_costs *c, const struct sc_device_times *t, size_t site,
		      uint64_t sequence)
{
	struct sc_device_wait wait = sc_device_wait_of(t, sequence);

	block(c, site, wait.start_ns, wait.end_ns);
}

void sc_costs_visit(struct sc_costs *c, const struct sc_device_times *t, struct sc_callsites *sites,
		    const struct sc_reader *reader, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	struct sc_device_span span;

	if (sc_op_kind_class(op->kind) == SC_CLASS_DEFINE)
		return;
	if (op->phase == SC_PHASE_BEGIN)
		*open_call(c, op->thread) = (struct sc_open_call){r->sequence + 1, op->time_ns,
								  site_of(c, sites, reader, r)};
	else if (op->phase == SC_PHASE_END)
		end_call(c, t, op);
	else if (is_pageable_copy(op) && sc_device_time_of(t, r->sequence, &span))
		block(c, site_of(c, sites, reader, r), op->time_ns, span.end_ns);
	else if (op->kind == SC_OP_FREE && t->list.count)
		add_waits(c, t, site_of(c, sites, reader, r), r->sequence);
}

/* ---- idle gaps ---- */

typedef SC_VECTOR(struct sc_device_time) works;

static int compare_starts(const void *left, const void *right)
{
	const struct sc_device_time *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static int compare_ends(const void *left, const void *right)
{
	const struct sc_wait_end *a = left, *b = right;

	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Index of the first wait that ended at `time_ns` or later. */
static size_t first_end(const struct sc_costs *c, uint64_t time_ns)
{
	size_t i;

	SC_SEARCH(i, c->ends.count, c->ends.items[i].time_ns < time_ns);
	return i;
}

/* The device was idle from `from_ns` until `next`, enqueued after a wait, began. */
static void count_gap(struct sc_costs *c, uint64_t from_ns, const struct sc_device_time *next)
{
	size_t i = first_end(c, from_ns);

	if (i == c->ends.count || !next->queued_ns || c->ends.items[i].time_ns > next->queued_ns)
		return;
	if (c->ends.items[i].site)
		c->list.items[c->ends.items[i].site - 1].idle_ns += next->start_ns - from_ns;
}

void sc_costs_finish(struct sc_costs *c, const struct sc_device_times *t)
{
	works list = {0};
	uint64_t busy_until = 0;

	if (!c->list.count || !c->ends.count)
		return;
	for (size_t i = 0; i < t->list.count; i++) {
		if (sc_engine_is_work(t->list.items[i].engine))
			sc_vector_push(&list, t->list.items[i]);
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), compare_starts);
	qsort(c->ends.items, c->ends.count, sizeof(*c->ends.items), compare_ends);
	for (size_t i = 0; i < list.count; i++) {
		const struct sc_device_time *work = &list.items[i];

		if (i && work->device != list.items[i - 1].device)
			busy_until = 0;
		if (busy_until && work->start_ns > busy_until)
			count_gap(c, busy_until, work);
		if (work->end_ns > busy_until)
			busy_until = work->end_ns;
	}
	sc_vector_fini(&list);
}

void sc_costs_fini(struct sc_costs *c)
{
	sc_u64_map_fini(&c->sites);
	sc_u64_map_fini(&c->threads);
	sc_vector_fini(&c->list);
	sc_vector_fini(&c->open);
	sc_vector_fini(&c->ends);
}
