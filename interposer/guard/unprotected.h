/* Memory that must never be protected, because the kernel uses it at any time: thread stacks and
 * alternate ones, on which it puts signal frames (a protected page there ends the process), and
 * words that it writes when a thread is moved or ends.
 *
 * A stack in CUDA's host memory opens its whole allocation, for good. Stacks are remembered, so
 * that memory which is registered later, with stacks in it, is open from the start. Known are those
 * of pthread_create and thrd_create, of sigaltstack, makecontext and clone, and the one that the
 * calling thread is on when something is watched.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SC_UNPROTECTED_STACKS 1024 /* stacks that are remembered */

/* The allocations that touch these bytes are never protected again. */
void sc_unprotected_mark(uint64_t start, uint64_t bytes);
/* A stack, until sc_unprotected_remove_stack. */
void sc_unprotected_add_stack(uint64_t start, uint64_t bytes);
void sc_unprotected_remove_stack(uint64_t start);
/* The calling thread's own stack, of so many bytes. */
void sc_unprotected_add_own_stack(uint64_t bytes);
/* The stack of the process's first thread. */
void sc_unprotected_add_first_stack(void);
/* The stack that the calling thread gave sigaltstack; it replaces an earlier one. */
void sc_unprotected_set_alternate_stack(const stack_t *stack);
/* The calling thread ends, and with it its stacks. */
void sc_unprotected_end_thread(void);
/* True if a known stack, or the calling thread's stack pointer, is in there. */
bool sc_unprotected_has_stack(uint64_t start, uint64_t bytes);
/* True if the calling thread's stack pointer is in there: cheap. */
static inline bool sc_unprotected_has_current_stack(uint64_t start, uint64_t bytes)
{
	return (uint64_t)__builtin_frame_address(0) - start < bytes;
}
