/* Units: a kernel with all functions that it may call, which share its shared memory.
 *
 * What a kernel may call by address is every function whose address the program takes. Each kernel
 * has its own copies of the functions' code, because their shared variables lie elsewhere for each.
 */
#pragma once

#include "simulator/executor/executor.h"
#include "simulator/executor/code/functions.h"
#include "simulator/executor/code/kernel.h"

/* While the kernel is decoded. */
struct exec_unit {
	struct exec_functions *functions; /* of the program */
	exec_address_of *address_of;
	void *context;
	struct exec_kernel *kernel;
	SC_VECTOR(struct exec_kernel *) callees; /* not decoded so far */
	struct sc_u64_map numbers;		 /* function → its place in `callees` + 1 */
	struct sc_u64_map shared;		 /* symbol → its offset in shared memory + 1 */
	bool calls_by_address;
	char problem[256]; /* why the kernel cannot run */
};

/* Finds the functions. */
void exec_unit_collect(struct exec_unit *u);

/* Gives each variable in shared memory that the kernel or a function names its place. */
void exec_unit_place_shared(struct exec_unit *u);

/* The kernel's copy of a function; NULL: it has none. */
const struct exec_kernel *exec_unit_callee(const struct exec_unit *u, const struct sc_ptx *text,
					   const char *name);
