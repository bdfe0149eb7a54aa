/* The stack depot: each call stack is kept once and has an id.
 *
 * A new stack is written to the trace before its id is given out. Costs a hash and a comparison of
 * the frames. Safe in any thread and in signal handlers.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* The stack of these frames, innermost first (frames of our own are dropped). */
struct sc_stack sc_stack_keep(uint64_t *frames, unsigned count);
