/* Sets of signals that a system call of the program's blocks: without those of the guard, which a
 * handler may need that runs while the call waits, or the thread after the call. */
#pragma once

#include <stdint.h>
#include "interposer/libc/signals.h"

struct sc_side_effects;

/* Copies for one call. */
struct sc_sigmask {
	uint64_t set, pair[2];
	struct sc_kernel_action action;
};

/* Replaces the address of a set among the arguments `a` by that of a copy, if need be. What the
 * call touches was opened before. */
void sc_sigmask_keep(long number, uint64_t *a, struct sc_side_effects *effects,
		     struct sc_sigmask *copies);
