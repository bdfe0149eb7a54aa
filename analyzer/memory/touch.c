/* Touches: what those of a graph's nodes are. */
#include "analyzer/memory/touch.h"

#include "base/assert.h"

uint8_t sc_touch_traits_in_graph(const struct sc_note *note, uint32_t node)
{
	sc_assert(note->graph && node < note->graph->nodes.count);
	if (!note->is_replay)
		return SC_TRAIT_GRAPH | note->traits;
	return SC_TRAIT_GRAPH | sc_note_traits(&note->graph->nodes.items[node].op);
}

struct sc_touch sc_touch_of(struct sc_note *note, uint32_t node, const struct sc_access *shape)
{
	struct sc_touch t;

	sc_touch_init(&t, note, node, shape);
	return t;
}
