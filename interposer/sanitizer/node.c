/* Nodes: from what a callback says of one to its number in the trace. */
#include "interposer/sanitizer/node.h"

#include "interposer/call/graph.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle.h"
#include "interposer/sanitizer/recording_thread.h"

uint32_t sc_node_number(const struct sc_sanitizer_node *n)
{
	const struct sc_handle *exec = sc_handle_find(SC_HANDLE_EXEC, n->exec);
	const struct sc_reading *r = exec ? sc_handle_nodes(exec) : NULL;
	uint32_t index = r ? sc_graph_read_find(r, n->node) : UINT32_MAX;
	uint32_t place;

	if (sc_recording_thread()->nodes_of != sc_self.current) {
		sc_recording_thread()->nodes_of = sc_self.current;
		sc_recording_thread()->nodes_begun = 0;
	}
	if (index != UINT32_MAX || !r || !r->is_chain ||
	    sc_recording_thread()->nodes_begun >= r->count)
		return index;
	place = sc_recording_thread()->nodes_begun++;
	if ((int)sc_graph_entry(r, place)->type == n->type)
		return place;
	sc_recording_thread()->nodes_begun = UINT32_MAX;
	return UINT32_MAX;
}
