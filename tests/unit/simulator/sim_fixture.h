/* What the tests of the simulated driver share: a context, checks, and a gate that holds a stream.
 *
 * The driver reads its environment once, so a test program runs under one schedule; ctest runs the
 * ones that hold for all schedules once for each.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include <semaphore.h>
#include <unistd.h>

#include <cuda.h>

#define OK(call)	   assert_int_equal(call, CUDA_SUCCESS)
#define FAILS(error, call) assert_int_equal(call, error)

/* A host function that says that it was entered and then waits to be let through. */
struct gate {
	sem_t entered;
	sem_t release;
};

static inline void gate_run(void *data)
{
	struct gate *gate = data;

	sem_post(&gate->entered);
	while (sem_wait(&gate->release))
		;
}

/* Closes a stream: nothing after this op runs before gate_open(). */
static inline void gate_close(struct gate *gate, CUstream stream)
{
	sem_init(&gate->entered, 0, 0);
	sem_init(&gate->release, 0, 0);
	OK(cuLaunchHostFunc(stream, gate_run, gate));
}

static inline void gate_open(struct gate *gate)
{
	sem_post(&gate->release);
}

/* A failed check leaves its gate closed and the next sync waiting: the test ends then. Longer than
 * a busy machine needs, shorter than the limit of ctest, which says less. */
#define PATIENCE_S 240

/* Makes the primary context of device 0 current. */
static inline int sim_setup(void **state)
{
	CUcontext context;
	CUdevice device;

	(void)state;
	alarm(PATIENCE_S);
	if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device))
		return -1;
	return cuCtxSetCurrent(context) == CUDA_SUCCESS ? 0 : -1;
}

static inline int sim_teardown(void **state)
{
	(void)state;
	return cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS ? 0 : -1;
}
