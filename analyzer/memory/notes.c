/* Notes: counted, and used again. */
#include "analyzer/memory/notes.h"

#include "analyzer/graph/graph.h"
#include "base/heap.h"
#include "trace/reader.h"
#include "base/assert.h"

void sc_notes_fini(struct sc_notes *all)
{
	for (unsigned i = 0; i < SC_NOTES_LEAVING; i++)
		if (all->leaving[i])
			sc_note_put(all, all->leaving[i]);
	sc_slab_fini(&all->slab);
	sc_slab_fini(&all->spans.slab);
	sc_vector_fini(&all->reached);
	sc_u64_map_fini(&all->sites);
}

uint16_t sc_notes_site(struct sc_notes *all, const struct sc_op *op)
{
	uint64_t *number = sc_u64_map_get(&all->sites, op->stack);

	if (!*number)
		*number = all->sites.count;
	sc_assert(*number > 0 && *number <= all->sites.count);
	return (uint16_t)((*number - 1) % SC_NOTES_SITES + 1);
}

void sc_note_read_op(struct sc_notes *all, struct sc_note *n)
{
	if (n->has_op)
		return;
	n->has_op = 1;
	if (!all->reader || !sc_reader_op(all->reader, n->sequence, &n->op))
		n->op = (struct sc_op){.kind = n->kind, .context = n->context};
}

void sc_note_leave(struct sc_note *n)
{
	struct sc_graph *g = n->graph;
	struct sc_bygone *b;

	sc_assert(n->is_replay);
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

void sc_note_drop(struct sc_notes *all, struct sc_note *n)
{
	sc_assert(!n->refs);
	sc_clock_put_later(all->pool, n->when.start);
	sc_graph_put(all->pool, n->graph);
	sc_slab_give(&all->slab, n);
}
