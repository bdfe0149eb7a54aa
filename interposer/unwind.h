/* Unwinding: the return addresses on a stack, fast enough for every CUDA call.
 *
 * Rules come from .eh_frame (cfi.h) and are kept in a cache by program counter, so that a frame
 * usually costs one look-up and two loads. Own code, because the recorder must not touch the
 * application's unwinder, take a lock, or trust a stack: every page is tested once before it is
 * read. Works from signal handlers and through signal frames.
 */
#ifndef SC_INTERPOSER_UNWIND_H
#define SC_INTERPOSER_UNWIND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define SC_RULES (1u << 14)

/* A frame rule of unwind.c. */
struct sc_rule {
	_Atomic uint64_t rule, check;
};

struct sc_registers {
	uint64_t rip, rsp, rbp;
};

/* Fills `frames` with return addresses, innermost first, starting with `registers` itself. The
 * interrupted instruction of a signal frame is given as its address plus one. Returns how many.
 * `places`, if not NULL, gets where on the stack each was found; 0 where it is not one word. */
unsigned sc_unwind(struct sc_registers registers, uint64_t *frames, uint64_t *places,
		   unsigned most);
/* Reads a word of a stack that may not be one; false if it cannot be read. */
bool sc_unwind_load(uint64_t address, uint64_t *value);
/* Changes (and is never 0) whenever sc_unwind_forget was called. */
uint32_t sc_unwind_version(void);

/* The caller's registers. */
#define SC_REGISTERS_HERE()                                                              \
	({                                                                               \
		struct sc_registers here_;                                               \
		__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" \
				 : "=r"(here_.rip), "=r"(here_.rsp), "=r"(here_.rbp));   \
		here_;                                                                   \
	})

/* Files were unloaded: what the cache knows may be wrong. */
void sc_unwind_forget(void);

#endif
