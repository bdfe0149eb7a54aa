/* The past of executed launches: moved out. */
#include "analyzer/model/executed_past.h"

#define LEAST_PART 16 /* of what is remembered: below that it is not worth it */

/* One sweep. */
struct sweep {
	const struct sc_executed_needs *needs;
	struct sc_executed *to;
	struct sc_executed from;
	struct sc_u64_map links;   /* captured launches that nodes were made of */
	struct sc_u64_map numbers; /* of launches that nodes refer to → the new number */
};

static size_t size_of(const struct sc_executed *e)
{
	return e->launches.count + e->ended.count + e->captures.count + e->named.count;
}

/* Calls `act` for what each node does now. */
static void each_node(struct sweep *s, void (*act)(struct sweep *s, struct sc_graph_node *n))
{
	for (struct sc_exec *e = s->needs->execs; e; e = e->hh.next) {
		struct sc_graph *g = e->graph;

		for (uint32_t i = 0; g && !g->is_broken && i < g->nodes.count; i++)
			if (!g->is_sealed)
				act(s, &g->nodes.items[i]);
			else if (i < g->places)
				act(s, sc_graph_at(g, i));
	}
}

static void note_needs(struct sweep *s, struct sc_graph_node *n)
{
	if (n->op.kind == SC_OP_KERNEL && n->op.link)
		*sc_u64_map_get(&s->links, n->op.link - 1) = 1;
	if (n->executed)
		*sc_u64_map_get(&s->numbers, n->executed) = 0;
}

static void renumber(struct sweep *s, struct sc_graph_node *n)
{
	if (n->executed)
		n->executed = (size_t)*sc_u64_map_get(&s->numbers, n->executed);
}

static void keep_captures(struct sweep *s)
{
	size_t count = s->from.captures.count;

	for (size_t i = 0; i < count; i++) {
		uint64_t launch = s->from.captures.items[i];

		if (count - i > s->needs->remembered && !sc_u64_map_find(&s->links, launch))
			continue;
		*sc_u64_map_get(&s->to->captured, launch) =
			*sc_u64_map_find(&s->from.captured, launch);
		sc_vector_push(&s->to->captures, launch);
	}
}

static void keep_functions(struct sweep *s)
{
	const struct sc_executed_needs *n = s->needs;
	size_t count = s->from.named.count;

	for (size_t i = 0; i < count; i++) {
		uint64_t launch = s->from.named.items[i];

		if (count - i > n->remembered && launch < n->launch &&
		    !sc_u64_map_find(&s->to->captured, launch) && !n->is_kept(n->data, launch))
			continue;
		*sc_u64_map_get(&s->to->functions, launch) =
			*sc_u64_map_find(&s->from.functions, launch);
		sc_vector_push(&s->to->named, launch);
	}
}

/* Copies what a launch touched; the launch's number. */
static size_t copy_launch(struct sweep *s, struct sc_executed_launch l)
{
	const struct sc_access *from = s->from.accesses.items + l.first;

	l.first = s->to->accesses.count;
	for (size_t i = 0; i < l.count; i++)
		sc_vector_push(&s->to->accesses, from[i]);
	sc_vector_push(&s->to->launches, l);
	return s->to->launches.count;
}

/* Where a launch that is kept is found: that of a graph with its other nodes. */
static void keep_launch(struct sweep *s, size_t i)
{
	struct sc_executed_launch l = s->from.launches.items[i];
	const uint64_t *old = sc_u64_map_find(&s->from.by_launch, l.launch);
	uint64_t *number = sc_u64_map_find(&s->numbers, i + 1), *place = NULL;
	bool is_due = l.launch >= s->needs->launch;

	if (l.node && is_due)
		place = sc_u64_map_get(&s->to->by_graph, l.launch);
	else if (!l.node && old && *old == i + 1 &&
		 (is_due || sc_u64_map_find(&s->to->captured, l.launch)))
		place = sc_u64_map_get(&s->to->by_launch, l.launch);
	if (!place && !number)
		return;
	l.next = place && l.node ? (size_t)*place : 0;
	i = copy_launch(s, l);
	if (place)
		*place = i;
	if (number)
		*number = i;
}

static void keep_ended(struct sweep *s)
{
	for (size_t i = 0; i < s->from.ended.count; i++) {
		uint64_t launch = s->from.ended.items[i];

		if (launch < s->needs->launch)
			continue;
		*sc_u64_map_get(&s->to->complete, launch) = 1;
		sc_vector_push(&s->to->ended, launch);
	}
}

void sc_executed_forget(struct sc_executed *e, const struct sc_executed_needs *needs)
{
	struct sweep s = {.needs = needs, .to = e, .from = *e};

	if (size_of(e) < 2 * e->settled + needs->remembered / LEAST_PART + 1)
		return;
	*e = (struct sc_executed){.is_read = e->is_read};
	each_node(&s, note_needs);
	keep_captures(&s);
	keep_functions(&s);
	for (size_t i = 0; i < s.from.launches.count; i++)
		keep_launch(&s, i);
	keep_ended(&s);
	each_node(&s, renumber);
	e->settled = size_of(e);
	sc_executed_fini(&s.from);
	sc_u64_map_fini(&s.links);
	sc_u64_map_fini(&s.numbers);
}
