/* Host functions: trampolines, so that a thread knows when it is inside one (C-1 … C-8).
 *
 * The function pointer and its argument are replaced by ours and a cell. Cells of stream work are
 * recycled after the function ran; those of graph nodes and user objects stay, since a node may run
 * any number of times. Getters of node parameters undo the replacement.
 */
#pragma once

#include "interposer/call/call.h"

struct sc_cell {
	CUhostFn function;
	CUstreamCallback callback; /* instead of `function` */
	void *data;
	uint64_t sequence; /* of the op that enqueued it */
	uint32_t stream;
	uint32_t context;
	bool is_kept; /* a graph node's or a user object's */
};

/* The cell of a function and its argument, if they are a trampoline of ours; else NULL. */
const struct sc_cell *sc_callback_cell(CUhostFn function, const void *data);
/* In parameters that the driver gives out, the program's function stands for a trampoline. */
void sc_callback_show(CUgraphNodeParams *node);
/* The call failed: its cell will never run. */
void sc_callback_drop(struct sc_cell *cell);
