/* The code of modules, for the executor.
 *
 * A module's program is made of the PTX of its image when a kernel of it is first launched.
 * STREAMCHECK_SIM_KERNELS says what becomes of kernels: `run` executes those that it can, and names
 * the others once; `strict` refuses the launch of others with error 209; `skip` executes none;
 * `budget:SECONDS` is `run`, but gives launches up that take longer (budget.h).
 */
#pragma once

#include <stdbool.h>

#include <cuda.h>

struct sim_kernel;

/* Reads the environment. */
void sim_program_init(void);

/* False for `skip`: nobody needs the texts of images. */
bool sim_program_is_on(void);

/*
 * Fills in the run of a checked launch in that context; none if its kernel is not executed. The
 * result is NO_BINARY_FOR_GPU if it must be. The run belongs to the work that gets it.
 */
CUresult sim_program_prepare(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context,
			     bool is_cooperative, struct sim_kernel *kernel);

/* The function of a launch in that context, whose module is made if need be. */
CUresult sim_program_function(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context,
			      CUfunction *function);

/* Fills in the sizes of variables of a kernel of PTX alone. */
void sim_program_measure(CUfunction function);

/* Gives the variables of a new module the initial values that its image leaves to the text. */
void sim_program_start_module(CUmodule module);

/* A module has other texts from now on. Its variables stay, but for addresses in their initial
 * values. */
void sim_program_change(CUmodule module);

/* Drops a module's program. */
void sim_program_end_module(CUmodule module);
