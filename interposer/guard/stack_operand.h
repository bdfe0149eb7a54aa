/* Operands on the stack: their memory ends when their function returns (SC-104).
 *
 * Nothing reports that a function returns. At an enqueue the stack is unwound, and the place of the
 * return address of the function that owns the operand is kept. When the thread makes its next
 * recorded call, or ends, and that place is no return address any more, the function has returned;
 * what is still in flight outlived its memory. A function that was left and entered again at the
 * same depth from the same place is taken to be still there.
 */
#pragma once

#include "interposer/guard/watchpoint.h"

#define SC_STACK_PLACES 128

/* Where the calling thread's return addresses lie, innermost first, and what they are: two calls
 * of one function put theirs in the same place. */
struct sc_stack_places {
	uint64_t at[SC_STACK_PLACES], value[SC_STACK_PLACES];
	unsigned count;
	bool is_cut; /* the stack is deeper */
};

/* Fills in the frame of a watchpoint that lies on the calling thread's stack. True if it does. */
bool sc_stack_operand_find(struct sc_watchpoint *watchpoint);
void sc_stack_operand_unwind(struct sc_stack_places *places);
/* True if that frame of the calling thread's is gone. */
bool sc_stack_operand_has_returned(const struct sc_watchpoint *watchpoint,
				   const struct sc_stack_places *places);
/* True if the address is on the calling thread's stack. */
bool sc_stack_operand_is_on_stack(uint64_t address);
/* Writes down the operands of the calling thread whose functions have returned. */
void sc_stack_operand_check(void);
/* The same for all that it has: the thread ends. */
void sc_stack_operand_end_thread(void);
