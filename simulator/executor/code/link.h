/* Linking: a kernel and its functions, from texts to what runs. */
#pragma once

#include "simulator/executor/executor.h"
#include "simulator/executor/code/functions.h"
#include "simulator/executor/code/kernel.h"

/* Decodes a kernel that has a text and a function, and what it calls. If it cannot run, `why` is
 * set. */
void exec_link_kernel(struct exec_kernel *k, struct exec_functions *functions,
		      exec_address_of *address_of, void *context);
/* Collects the functions of such a kernel, and sums up the sizes of its and their variables. */
void exec_link_sizes(struct exec_kernel *k, struct exec_functions *functions,
		     struct exec_sizes *sizes);

void exec_link_free(struct exec_kernel *k);
