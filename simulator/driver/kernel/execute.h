/* Executing kernels: one launch on its way through the executor (simulator/executor).
 *
 * A run has the parameters as they were at the call. Memory that they point to is held from then
 * on, as copies hold theirs; other memory is found by address while the kernel executes, also what
 * a stream has yet to free, and held until its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/executor/executor.h"

/* The code of a module, counted: the module and its runs share it. */
struct sim_program {
	unsigned int refs;
	struct exec_program *code; /* owned */
};

void sim_program_put(struct sim_program *program);

struct sim_run;

/*
 * A run of a launch in a context, of which all but the parameters, the memory and the services is
 * given, with room for so many bytes of parameters; NULL: out of memory. `name` is copied.
 */
struct sim_run *sim_run_new(struct sim_program *program, CUcontext context, const char *name,
			    const struct exec_launch *launch, size_t params_bytes);

/* The name that it was given; "" for NULL. */
const char *sim_run_name(const struct sim_run *run);

/* Another run of the same launch, which has not begun: the memory that it holds is held again.
 * NULL: out of memory. */
struct sim_run *sim_run_copy(struct sim_run *run);

/* The run is that of a node of a graph. */
struct sim_launch_bytes;
void sim_run_set_node(struct sim_run *run, struct sim_launch_bytes *launch, uint32_t node,
		      bool is_body);

/* Where the parameters go. */
char *sim_run_params(struct sim_run *run);

/* Holds the memory that the parameters point to; false: out of memory. */
bool sim_run_hold(struct sim_run *run);

/* It waits for the kernel before it: it must not begin earlier, although its launch permits it.
 * NULL is a kernel that is not executed, and waits for nothing. */
bool sim_run_waits(const struct sim_run *run);

/* Names kernels that have run for long, each once, with a way out; *wake_ns becomes at most when to
 * look again. */
void sim_run_remark(uint64_t now, uint64_t *wake_ns);

/* True if a host may wait for what the kernel writes while it runs. NULL: false. */
bool sim_run_signals(const struct sim_run *run);

/* Executes it, or goes on with it; expects the lock not held. When it has ended *result is how. */
enum exec_progress sim_run_execute(struct sim_run *run, CUresult *result);

void sim_run_free(struct sim_run *run);
