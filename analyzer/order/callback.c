/* Callbacks: host functions between enqueue and return. */
#include "analyzer/order/callback.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/graph/graph.h"
#include "base/assert.h"
#include "base/heap.h"

static void forget(struct sc_callbacks *all, struct sc_callback *c)
{
	if (c->execution)
		HASH_DELETE(hh_run, all->by_execution, c);
	HASH_DEL(all->by_op, c);
	*(c->older ? &c->older->newer : &all->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &all->newest) = c->older;
	sc_clock_put(all->pool, c->when.start);
	sc_clock_put(all->pool, c->host);
	sc_graph_put(all->pool, c->graph);
	free(c);
}

void sc_callbacks_fini(struct sc_callbacks *all)
{
	while (all->oldest)
		forget(all, all->oldest);
	sc_assert(!all->newest && !all->by_op && !all->by_execution);
	sc_clock_put(all->pool, all->handed);
	all->handed = NULL;
}

static struct sc_callback *add(struct sc_callbacks *all, uint64_t sequence,
			       const struct sc_interval *when, struct sc_clock *host)
{
	struct sc_callback *c = sc_heap_xcalloc(1, sizeof(*c));

	sc_assert(when->position > 0);
	sc_assert(!all->newest || all->newest->returned <= when->position + 1);
	c->sequence = sequence;
	c->when = *when;
	c->returned = when->position + 1;
	sc_clock_get(c->when.start);
	c->host = sc_clock_get(host);
	c->older = all->newest;
	*(c->older ? &c->older->newer : &all->oldest) = c;
	all->newest = c;
	HASH_ADD(hh, all->by_op, sequence, sizeof(c->sequence), c);
	return c;
}

void sc_callback_add(struct sc_callbacks *all, uint64_t sequence, const struct sc_interval *when,
		     struct sc_clock *host)
{
	add(all, sequence, when, host);
}

void sc_callback_add_node(struct sc_callbacks *all, uint64_t sequence,
			  const struct sc_interval *when, struct sc_clock *host,
			  struct sc_graph *graph, uint32_t node)
{
	struct sc_callback *c = add(all, sequence, when, host);

	sc_assert(node < graph->nodes.count);
	c->graph = sc_graph_get(graph);
	c->node = node;
}

/* Launches of one graph run a node in their order (G-6). NULL if several graphs have the node:
 * which of them runs is not said. */
static struct sc_callback *first_run(const struct sc_callbacks *all, const struct sc_callback *any)
{
	struct sc_callback *first = NULL;

	for (struct sc_callback *c = all->oldest; c; c = c->newer) {
		if (c->sequence != any->sequence || c->execution)
			continue;
		if (first && first->graph->id != c->graph->id)
			return NULL;
		if (!first)
			first = c;
	}
	return first;
}

bool sc_callback_begin(struct sc_callbacks *all, uint64_t sequence, uint32_t execution)
{
	struct sc_callback *c;

	HASH_FIND(hh, all->by_op, &sequence, sizeof(sequence), c);
	if (c && c->graph)
		c = first_run(all, c);
	if (!c || c->execution || !execution || sc_callback_find(all, execution))
		return 0;
	c->execution = execution;
	HASH_ADD(hh_run, all->by_execution, execution, sizeof(c->execution), c);
	/* The callback may signal a thread from its first line to its last. */
	sc_clock_join(all->pool, &all->handed, c->when.start);
	sc_clock_raise(all->pool, &all->handed, c->when.lane, c->returned);
	return 1;
}

void sc_callback_end(struct sc_callbacks *all, uint32_t execution)
{
	struct sc_callback *c = sc_callback_find(all, execution);

	if (c)
		forget(all, c);
}

struct sc_callback *sc_callback_find(const struct sc_callbacks *all, uint32_t execution)
{
	struct sc_callback *c;

	HASH_FIND(hh_run, all->by_execution, &execution, sizeof(execution), c);
	return c;
}

/* A signal that follows another one publishes no more, if nothing was done in between. Of a host
 * node, all of its launch counts as published. */
struct sc_interval sc_callback_moment(struct sc_callback *c, const struct sc_op *op)
{
	bool is_sync = op->kind == SC_OP_SYNC_RELEASE || op->kind == SC_OP_SYNC_ACQUIRE;

	sc_assert(c->when.position <= c->returned);
	if (c->has_signalled && !is_sync && !c->graph)
		c->when.position = c->returned;
	return c->when;
}

#define HOLD_MAX 256

bool sc_callbacks_hold(const struct sc_callbacks *all, const struct sc_interval *x)
{
	unsigned seen = 0;

	for (const struct sc_callback *c = all->newest; c; c = c->older)
		if (sc_interval_before(&c->when, x) || ++seen > HOLD_MAX)
			return 1;
	return 0;
}

bool sc_callbacks_part(const struct sc_callbacks *all, const struct sc_interval *x,
		       const struct sc_interval *y)
{
	for (const struct sc_callback *c = all->newest; c; c = c->older)
		if (sc_interval_before(&c->when, y) && sc_interval_unordered(x, &c->when))
			return 1;
	return 0;
}

void sc_callbacks_pass(struct sc_callbacks *all, const struct sc_clock *host)
{
	while (all->oldest && sc_clock_at(host, all->oldest->when.lane) >= all->oldest->returned) {
		all->passed += all->oldest->execution != 0;
		forget(all, all->oldest);
	}
}
