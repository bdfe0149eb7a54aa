/* Unwinding: the return addresses on a stack, fast enough for every CUDA call.
 *
 * Rules come from .eh_frame (cfi.h) and are kept in a cache by program counter, so that a frame
 * usually costs one look-up and two loads. Own code, because the recorder must not touch the
 * application's unwinder, take a lock, or trust a stack: every page is tested once before it is
 * read. Works from signal handlers and through signal frames.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/arch/processor.h"
#include "interposer/core/thread.h"

#define SC_RULES (1u << 14)

/* A frame rule of unwind.c. */
struct sc_frame_rule {
	_Atomic uint64_t rule, check;
};

/* What a step to the caller rested on, besides the registers, the return address, and the word of
 * the caller's base where that has a new place. */
struct sc_rest {
	uint32_t deref;	 /* how far below the caller's sp a word is that says where; 0: none is */
	bool needs_base; /* the frame was found by it */
	bool is_unknown; /* on more than that, or it ended for another reason than the frame's rule
			  */
};

/* To the caller; false at the end of the stack, or of what can be understood. */
bool sc_unwind_step(struct sc_registers *r, struct sc_rest *rest);
/* Fills `frames` with return addresses, innermost first, starting with `registers` itself. The
 * interrupted instruction of a signal frame is given as its address plus one. Returns how many.
 * `places`, if not NULL, gets where on the stack each was found; 0 where it is not one word, and
 * for the first. */
unsigned sc_unwind(struct sc_registers registers, uint64_t *frames, uint64_t *places,
		   unsigned most);
/* Looks whether the word can be read, and remembers the page that it is on. */
bool sc_unwind_learn(uint64_t address);
/* Reads a word of a stack that may not be one; false if it cannot be read. It may lie beside a
 * variable of some frame, where the address sanitizer expects no access. */
__attribute__((no_sanitize("address"))) static inline bool sc_unwind_load(uint64_t address,
									  uint64_t *value)
{
	bool is_known = address >= sc_self.stack_start && address < sc_self.stack_end;

	if (address % 8 || (!is_known && !sc_unwind_learn(address)))
		return false;
	*value = *(const uint64_t *)address;
	return true;
}
/* Changes (and is never 0) whenever sc_unwind_forget was called. */
uint32_t sc_unwind_version(void);

/* Files were unloaded: what the cache knows may be wrong. */
void sc_unwind_forget(void);
