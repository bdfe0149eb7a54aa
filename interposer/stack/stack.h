/* Call stacks: captured at every recorded call, kept once each.
 *
 * Unwinding (unwind.h) starts at the caller or at a signal's context. The depot maps
 * equal stacks to one id; a new stack is written to the trace before its id is given out. Frames
 * inside libstreamcheck.so are left away. Safe in any thread and in signal handlers.
 */
#ifndef SC_INTERPOSER_STACK_STACK_H
#define SC_INTERPOSER_STACK_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct sc_stack {
	uint32_t id;  /* 0: none */
	bool library; /* the innermost frame outside driver and runtime is an NVIDIA library's */
	bool runtime; /* the innermost frame is libcudart.so's */
};

#define SC_STACK_SLOTS	(1u << 20)
#define SC_STACK_PROBES 256

struct sc_stacks {
	void *_Atomic *slot; /* SC_STACK_SLOTS of them; own mapping */
	atomic_uint ids;
};

extern struct sc_stacks sc_stacks;

/* The caller's stack. */
struct sc_stack sc_stack_here(void);
/* The same, from the frame of a function of ours that it called; NULL: of a call that CUPTI
 * reports, see there. */
struct sc_stack sc_stack_of_call(const void *frame);
/* The same, of a call that CUPTI reports: CUPTI's own frames are left away too. */
struct sc_stack sc_stack_of_report(void);
/* The stack that a signal interrupted; `shallow` keeps only its program counter. */
struct sc_stack sc_stack_interrupted(const ucontext_t *context, bool shallow);
/* The depot alone: the id of these frames, innermost first (frames of our own are dropped). */
struct sc_stack sc_stack_keep(uint64_t *frames, unsigned count);

#endif
