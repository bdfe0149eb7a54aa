/* Touches: brief and full ones, and what those of a graph's nodes are. */
#include "analyzer/memory/touch.h"

struct sc_brief sc_touch_brief(const struct sc_touch *t)
{
	return (struct sc_brief){.lane = t->lane,
				 .position = (uint32_t)t->position,
				 .mode = t->mode,
				 .known = t->known,
				 .traits = t->traits,
				 .why = sc_brief_why(t->how, t->reason),
				 .of = t->kind};
}

struct sc_touch sc_touch_full(const struct sc_brief *b, struct sc_note *note, uint64_t first,
			      uint64_t end)
{
	return (struct sc_touch){.note = note,
				 .position = b->position,
				 .lane = b->lane,
				 .mode = b->mode,
				 .known = b->known,
				 .traits = b->traits,
				 .first = first,
				 .end = end,
				 .how = sc_brief_how(b),
				 .reason = sc_brief_reason(b),
				 .kind = sc_brief_kind(b)};
}

uint8_t sc_touch_traits_in_graph(const struct sc_note *note, uint32_t node)
{
	const struct sc_op *op = note->is_replay ? &note->graph->nodes.items[node].op : &note->op;

	return SC_TRAIT_GRAPH | sc_note_traits(op);
}

struct sc_touch sc_touch_of(struct sc_note *note, uint32_t node, const struct sc_access *shape)
{
	struct sc_touch t;

	sc_touch_init(&t, note, node, shape);
	return t;
}
