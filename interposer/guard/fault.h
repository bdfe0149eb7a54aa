/* Faults of the page guard: the accesses that they stand for become ops.
 *
 * The process's signal handler is not here (libc/signals.c): it passes signals to sc_fault_handle.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* For the signal handler: true if the signal was a fault or a single step of the guard's, or a
 * fault of a read of ours, and is settled. Keeps errno. */
bool sc_fault_handle(int number, siginfo_t *info, ucontext_t *context);
/* Who takes traps of instructions `int3`; asked first, for good. */
void sc_fault_set_breakpoint(bool (*take)(ucontext_t *context));
/* In the handler: true on a small alternate stack, where only the program counter can be taken. */
bool sc_fault_is_stack_short(void);
/* Single steps that a signal handler jumped out of are ended. */
void sc_fault_settle(void);

/* Whoever installs the signal handler says how to find out that it is still there. */
void sc_fault_set_test(bool (*is_handler_installed)(void));
/* False if SIGSEGV's action was set without sigaction(): our handler may never be called. */
bool sc_fault_is_handled(void);
