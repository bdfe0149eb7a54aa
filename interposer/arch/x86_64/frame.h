/* Frames: the registers that a stack is unwound from, and where a function finds them.
 *
 * At a frame of ours (__builtin_frame_address) are the base of the caller's and the return address.
 */
#pragma once

#include <stdint.h>
#include <ucontext.h>
#include "interposer/arch/x86_64/context.h"

struct sc_registers {
	uint64_t pc; /* a return address; of the instruction itself, one more */
	uint64_t sp, base;
	uint64_t base_place; /* where a frame had saved it; 0: none has */
};

/* The registers here. */
#define SC_REGISTERS_HERE()                                                              \
	({                                                                               \
		struct sc_registers here_ = {0};                                         \
		__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" \
				 : "=r"(here_.pc), "=r"(here_.sp), "=r"(here_.base));    \
		here_;                                                                   \
	})

/* Those of the code that called the function with this frame. */
static inline struct sc_registers sc_registers_of_caller(const void *frame)
{
	const uint64_t *at = frame;

	return (struct sc_registers){.pc = at[1], .sp = (uint64_t)(at + 2), .base = at[0]};
}

/* The canonical frame address of a frame that keeps its base, and where each has the return
 * address. */
static inline uint64_t sc_frame_address(uint64_t base)
{
	return base + 16;
}

static inline uint64_t sc_frame_return_place(uint64_t address)
{
	return address - 8;
}

/* Where the kernel saved the registers of what a signal interrupted whose frame is at `sp`. */
static inline struct sc_registers sc_registers_places(uint64_t sp)
{
	const greg_t *all = ((const ucontext_t *)sp)->uc_mcontext.gregs;

	return (struct sc_registers){.pc = (uint64_t)&all[REG_RIP],
				     .sp = (uint64_t)&all[REG_RSP],
				     .base = (uint64_t)&all[REG_RBP]};
}

/* Of interrupted code. */
static inline struct sc_registers sc_registers_of(const ucontext_t *c)
{
	return (struct sc_registers){.pc = sc_context_pc(c) + 1,
				     .sp = sc_context_sp(c),
				     .base = (uint64_t)c->uc_mcontext.gregs[REG_RBP]};
}
