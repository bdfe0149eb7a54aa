/* Notes: counted, and used again. */
#include "analyzer/note.h"

#include <stdlib.h>
#include "base/heap.h"

void sc_notes_fini(struct sc_notes *all)
{
	while (all->free) {
		struct sc_note *n = all->free;

		all->free = n->next;
		free(n);
	}
}

struct sc_note *sc_note_new(struct sc_notes *all, const struct sc_op *op, uint64_t sequence,
			    const struct sc_when *when)
{
	struct sc_note *n = all->free;

	if (n)
		all->free = n->next;
	else
		n = sc_heap_xcalloc(1, sizeof(*n));
	*n = (struct sc_note){
		.refs = 1, .sequence = sequence, .when = *when, .op = *op, .context = op->context};
	sc_clock_get(n->when.start);
	return n;
}

void sc_note_leave(struct sc_note *n)
{
	struct sc_graph *g = n->graph;
	struct sc_bygone *b;

	if (!g->retired.count)
		return;
	b = sc_heap_xcalloc(1, sizeof(*b));
	*b = (struct sc_bygone){.note = *n, .of = n, .next = g->bygones};
	b->note.refs = 1;
	sc_clock_get(b->note.when.start);
	g->bygones = b;
	for (size_t i = 0; i < g->retired.count; i++)
		g->nodes.items[g->retired.items[i]].bygone = b;
	sc_vector_clear(&g->retired);
}

void sc_note_put(struct sc_notes *all, struct sc_note *n)
{
	if (--n->refs)
		return;
	sc_clock_put(all->pool, n->when.start);
	sc_graph_put(all->pool, n->graph);
	n->next = all->free;
	all->free = n;
}
