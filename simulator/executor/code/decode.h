/* Decoding a kernel, once, at its first launch; and the functions that it calls. */
#pragma once

#include "simulator/executor/code/unit.h"

/* Decodes a function into `k`, which has its text, and the shared memory of a kernel. If it cannot
 * run, k->why says why. */
void exec_decode(struct exec_kernel *k, const struct exec_unit *unit);
