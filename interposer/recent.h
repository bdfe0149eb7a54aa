/* Recent stacks: a call from a place that called before finds its stack again without unwinding.
 *
 * A thread remembers, for its last places (program counter, stack and frame pointer), where on the
 * stack the return addresses were and what they were. If all of them are still there, it is the
 * same stack; else it is unwound. Costs one comparison a frame. Not for signal handlers.
 */
#ifndef SC_INTERPOSER_RECENT_H
#define SC_INTERPOSER_RECENT_H

#include "interposer/stack.h"
#include "interposer/unwind.h"

struct sc_recent; /* opaque; a thread's, in sc_self */

/* The stack seen last from exactly here, or one with id 0. */
struct sc_stack sc_recent_find(const struct sc_registers *from);
/* Remembers a stack: `places` are the addresses of its return addresses (0: not to be kept). */
void sc_recent_keep(const struct sc_registers *from, struct sc_stack stack, const uint64_t *frames,
		    const uint64_t *places, unsigned count);

#endif
