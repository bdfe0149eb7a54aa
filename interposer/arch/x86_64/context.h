/* Registers of interrupted code. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define SC_INSTRUCTION_NONE  0x90  /* one byte, which does nothing, */
#define SC_INSTRUCTION_BREAK 0xCC  /* and one that traps */
#define SC_STEP_FLAG	     0x100 /* of RFLAGS */
#define SC_WRITE_BIT	     2	   /* of a page fault's error code */

static inline uint64_t sc_context_pc(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RIP];
}

static inline void sc_context_set_pc(ucontext_t *c, uint64_t pc)
{
	c->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

static inline uint64_t sc_context_sp(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RSP];
}

/* Where SC_INSTRUCTION_BREAK stands that trapped. */
static inline uint64_t sc_context_breakpoint(const ucontext_t *c)
{
	return sc_context_pc(c) - 1;
}

/* Whether a trap comes after the next instruction. */
static inline bool sc_context_steps(const ucontext_t *c)
{
	return c->uc_mcontext.gregs[REG_EFL] & SC_STEP_FLAG;
}

static inline void sc_context_set_step(ucontext_t *c, bool steps)
{
	c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)SC_STEP_FLAG;
	c->uc_mcontext.gregs[REG_EFL] |= steps ? SC_STEP_FLAG : 0;
}

/* Of a page fault: whether the access was a write. */
static inline bool sc_context_writes(const ucontext_t *c)
{
	return c->uc_mcontext.gregs[REG_ERR] & SC_WRITE_BIT;
}
