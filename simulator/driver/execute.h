/* Executing kernels: what a launch hands to the executor (simulator/executor), and how it ends.
 *
 * A module's program is made of the PTX of its image when a kernel of it is first launched. A run
 * copies the parameters at the call; its memory is found by address while it executes, without the
 * driver's lock but for a moment, and held until its end. STREAMCHECK_SIM_KERNELS says what becomes
 * of kernels: `run` executes those that it can, and names the others once; `strict` refuses the
 * launch of others with error 209; `skip` executes none.
 */
#ifndef SIM_EXECUTE_H
#define SIM_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct exec_kernel;
struct sim_run;

struct sim_program; /* counted: of a module and of its runs */

/* Reads the environment. */
void sim_execute_init(void);

/* False for `skip`: nobody needs the texts of images. */
bool sim_execute_is_on(void);

/*
 * The run of a checked launch in that context; NULL if its kernel is not executed. The result is
 * NO_BINARY_FOR_GPU if it must be. The run belongs to the work that gets it.
 */
CUresult sim_execute_prepare(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context,
			     struct sim_run **run);

/* Executes it; expects the lock not held. */
CUresult sim_execute_run(struct sim_run *run);

void sim_execute_free(struct sim_run *run);

/* Gives the variables of a new module the initial values that its image leaves to the text. */
void sim_execute_start_module(CUmodule module);

/* Drops a module's program. */
void sim_execute_end_module(CUmodule module);

#endif
