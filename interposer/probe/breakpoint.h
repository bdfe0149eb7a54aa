/* Breakpoints: a `nop` of the program becomes an `int3`, whose signal calls a function.
 *
 * The signal's handler is the page guard's. As the instruction does nothing, the program goes on
 * after it; nothing is stepped. The places are given back when the session ends and in the child of
 * a fork; a thread that is on its way into the handler then goes on too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define SC_BREAKPOINTS 8

/* Runs in the signal handler, at a place where the thread holds none of our locks. */
typedef void sc_breakpoint_fn(const void *data, ucontext_t *context);

/* True if breakpoints can be had: their signal comes to us, and no debugger takes it. */
bool sc_breakpoint_is_possible(void);
/* False if there is no nop, it cannot be written, or there are too many. */
bool sc_breakpoint_set(uint64_t place, sc_breakpoint_fn *hit, const void *data);
/* All instructions are as they were. */
void sc_breakpoint_clear_all(void);
