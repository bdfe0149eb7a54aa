/* Given: memory of the program's own, blocks of malloc and locals, that nodes of graphs copy.
 *
 * A graph outlives the call that made a node. So the end of such memory is worth an op as long as
 * the program may launch a graph (SC-136), not only while a launch is in flight; memory that CUDA
 * knows ends by a call of CUDA. What is kept goes when it ends; which graphs are left does not
 * matter. That a function has returned is noticed at the thread's next launch of a graph
 * (stack_operand.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/guard/operand.h"

#define SC_GIVEN 256

/* A node copies what this op does; keeps its pageable operands. */
void sc_given_keep(const struct sc_enqueued *node);
/* True unless what a node was given at this address has ended since. */
bool sc_given_is_there(uint64_t start);
/* Memory ends. True if a node was given some of it, so that it is worth an op. */
bool sc_given_ends(uint64_t start, uint64_t bytes);
/* The calling thread launches a graph: writes down what was on its stack and ended. */
void sc_given_check_stack(void);
