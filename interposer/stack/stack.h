/* Call stacks: captured at every recorded call, kept once each (depot.h).
 *
 * Unwinding (unwind.h) starts at the caller or at a signal's context. Frames inside
 * libstreamcheck.so are left away. Safe in any thread and in signal handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>
#include "interposer/stack/depot.h"

/* The caller's stack. */
struct sc_stack sc_stack_here(void);
/* The same, from the frame of a function of ours that it called; NULL: of a call that CUPTI
 * reports, see there. */
struct sc_stack sc_stack_of_call(const void *frame);
/* The same, of a call that CUPTI reports: CUPTI's own frames are left away too. */
struct sc_stack sc_stack_of_report(void);
/* Where the caller's stack leaves our code, the driver and the runtime: an address in the program's
 * code or in a library's. 0: in one of NVIDIA's libraries (core/code_range.h), or not known. */
uint64_t sc_stack_place(void);
/* The stack that a signal interrupted; `shallow` keeps only its program counter. */
struct sc_stack sc_stack_interrupted(const ucontext_t *context, bool shallow);
