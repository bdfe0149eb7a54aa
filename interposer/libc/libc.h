/* Functions of libc that hand memory to the kernel, wait, or end memory: their entry in our
 * library.
 *
 * Each row of libc.def is an entry of libc.S, which calls the row's function here before the real
 * one, so that memory in flight is accessible to the kernel meanwhile (side_effect.h). System calls
 * by syscall() have a table of their own (system.def). Before the first CUDA call an entry costs
 * one comparison.
 */
#pragma once

#include "interposer/libc/side_effect.h"

/* Where to go on: in the registers in which a struct of two words is returned. */
struct sc_libc_next {
	void *function;	  /* the real one; NULL: there is none, `is_back` is the result */
	uint64_t is_back; /* not 0: sc_side_effect_end wants to know the result */
};

/* Before a function of libc.def: its number (enum sc_real_number), its arguments in registers, and
 * the further ones on the stack. Keeps errno. */
struct sc_libc_next sc_libc_enter(struct sc_side_effects *effects, const uint64_t *arguments,
				  unsigned number, const uint64_t *stack);
