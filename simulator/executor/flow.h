/* Where the lanes that a branch divided meet again: immediate post-dominators of its block.
 *
 * Works on the instructions of any function: irreducible, with loops that have no exit, with code
 * that nothing reaches. A branch the ways of which lead to exits only has no such place.
 */
#pragma once

#include <stdbool.h>

#include "ptx/ptx.h"

#define EXEC_NOWHERE UINT32_MAX

struct exec_flow {
	uint32_t *join; /* owned; of each instruction that branches or calls: where, or EXEC_NOWHERE
			 */
	bool *is_join;	/* owned; some branch's lanes meet before this instruction */
};

/* False: a branch leads to no label. */
bool exec_flow_make(struct exec_flow *flow, const struct sc_ptx *m, const struct sc_function *f);
void exec_flow_fini(struct exec_flow *flow);

/* How many targets a branch has: those of its list, or the one label. */
uint32_t exec_flow_target_count(const struct sc_function *f, const struct sc_instruction *in);
/* The instruction at which a branch goes on if it is taken, EXEC_NOWHERE if there is none. */
uint32_t exec_flow_target(const struct sc_function *f, const struct sc_instruction *in,
			  uint32_t index);
