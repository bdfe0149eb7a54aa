/* Recent stacks: a call from a place that called before finds its stack again without unwinding.
 *
 * A thread remembers, for its last places (program counter and stack pointer), the words on which
 * the unwinding rested. If all of them are still there, it is the same stack; else it is unwound.
 * Return addresses alone would not do: above a frame of changing size (alloca) old ones may lie
 * about. Costs one or two comparisons a frame. Not for signal handlers.
 */
#ifndef SC_INTERPOSER_RECENT_H
#define SC_INTERPOSER_RECENT_H

#include "interposer/stack.h"
#include "interposer/unwind.h"

struct sc_recent; /* opaque; a thread's, in sc_self */

/* The stack seen last from exactly here, or one with id 0. */
struct sc_stack sc_recent_find(const struct sc_registers *from);
/* Remembers a stack, and what unwinding it rested on. */
void sc_recent_keep(const struct sc_registers *from, struct sc_stack stack,
		    const struct sc_basis *basis);

/* The words of that stack's basis, each as 16 bits of how many words further up than the one before
 * (the first: than `from->rsp`) and 48 of what it is; *needs_rbp: it is that one only with
 * this rbp. Returns how many, -1 if it is not
 * known or cannot be said so. */
int sc_recent_links(const struct sc_registers *from, uint64_t *links, unsigned most,
		    bool *needs_rbp);

#endif
