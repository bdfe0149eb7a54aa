/* Decoding a kernel: once, at its first launch. */
#ifndef EXEC_DECODE_H
#define EXEC_DECODE_H

#include "simulator/executor/executor.h"
#include "simulator/executor/kernel.h"

/* Decodes the function into `k`, which is empty but for `ptx` and `function`. If the kernel cannot
 * run, k->why says why. */
void exec_decode(struct exec_kernel *k, exec_address_of *address_of, void *context);

#endif
