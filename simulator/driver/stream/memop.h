/* Stream memory operations: writing a value, and waiting for one (rules W-1 to W-3).
 *
 * Each operation is an op of its own, so a batch is a row of ops. A wait that does not hold yet
 * stays in the schedule's queue, occupies no worker and lets everything else run.
 */
#pragma once

#include <stdbool.h>

#include <cuda.h>

#include "simulator/driver/schedule/work.h"

/* A batch has fewer operations than this. */
#define SIM_MEMOP_MOST 256

/* Checks one operation and takes a reference to its memory; release it as a work. */
CUresult sim_memop_resolve(const CUstreamBatchMemOpParams *params, struct sim_memop *memop);

/* Checks a whole batch, of the form before 11.7 or of the present one; holds nothing. */
CUresult sim_memop_check(const CUstreamBatchMemOpParams *params, unsigned int count, bool is_v1);

/* True for a wait whose condition does not hold at this moment. */
bool sim_memop_is_held(const struct sim_memop *memop);

static inline bool sim_memop_is_wait(const struct sim_memop *memop)
{
	return memop->type == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
	       memop->type == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

/* Does what a write does; needs no lock. False when its memory was not there. */
bool sim_memop_perform(const struct sim_memop *memop);
