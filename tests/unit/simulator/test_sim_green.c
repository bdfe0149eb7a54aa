/* Contexts made from green contexts, on the simulated driver (S-9). */
#include "tests/unit/simulator/sim_fixture.h"

struct parts {
	CUgreenCtx green;
	CUcontext primary, made;
	CUstream outside; /* blocking, of the primary context */
	CUdeviceptr memory;
};

static int setup(void **state)
{
	static struct parts parts;
	CUdevResource all, part;
	CUdevResourceDesc description;
	unsigned int groups = 1;

	if (sim_setup(NULL) || cuCtxGetCurrent(&parts.primary) ||
	    cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM) ||
	    cuDevSmResourceSplitByCount(&part, &groups, &all, NULL, 0, 8) ||
	    cuDevResourceGenerateDesc(&description, &part, 1) ||
	    cuGreenCtxCreate(&parts.green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM) ||
	    cuCtxFromGreenCtx(&parts.made, parts.green) ||
	    cuStreamCreate(&parts.outside, CU_STREAM_DEFAULT) || cuMemAlloc(&parts.memory, 64))
		return -1;
	*state = &parts;
	return 0;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	if (cuCtxSetCurrent(p->primary) || cuStreamDestroy(p->outside) || cuMemFree(p->memory) ||
	    cuGreenCtxDestroy(p->green))
		return -1;
	return sim_teardown(NULL);
}

EACH_TEST(setup, teardown)

TEST(it_is_the_same_each_time)
{
	struct parts *p = *state;
	CUcontext again;

	OK(cuCtxFromGreenCtx(&again, p->green));
	assert_ptr_equal(again, p->made);
	assert_ptr_not_equal(again, p->primary);
	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(p->made));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuCtxFromGreenCtx(&again, (CUgreenCtx)p));
}

static CUresult split(CUdevResource *parts, unsigned int count, CUdevResource *rest,
		      CU_DEV_SM_RESOURCE_GROUP_PARAMS *groups)
{
	CUdevResource all;

	OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	return cuDevSmResourceSplit(parts, count, &all, rest, 0, groups);
}

/* Groups get what they ask for, in their order; 0 asks for all that fits. */
TEST(split_into_groups)
{
	CU_DEV_SM_RESOURCE_GROUP_PARAMS groups[2] = {{.smCount = 4, .coscheduledSmCount = 2}};
	CUdevResource all, parts[2], rest;

	(void)state;
	OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	OK(split(parts, 2, &rest, groups));
	assert_int_equal(parts[0].sm.smCount, 4);
	assert_int_equal(parts[0].sm.smCoscheduledAlignment, 2);
	assert_int_equal(parts[1].sm.smCount, (all.sm.smCount - 4) / 8 * 8);
	assert_int_equal(groups[1].smCount, parts[1].sm.smCount);
	assert_int_equal(rest.type, (all.sm.smCount - 4) % 8 ? CU_DEV_RESOURCE_TYPE_SM
							     : CU_DEV_RESOURCE_TYPE_INVALID);
	groups[0] = (CU_DEV_SM_RESOURCE_GROUP_PARAMS){.smCount = all.sm.smCount - 8};
	groups[1] = (CU_DEV_SM_RESOURCE_GROUP_PARAMS){.flags = CU_DEV_SM_RESOURCE_GROUP_BACKFILL};
	FAILS(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, split(parts, 2, NULL, groups));
	groups[0].flags = CU_DEV_SM_RESOURCE_GROUP_BACKFILL;
	OK(split(parts, 2, &rest, groups));
	assert_int_equal(parts[1].sm.smCount, 8);
	assert_int_equal(rest.type, CU_DEV_RESOURCE_TYPE_INVALID);
	groups[0].smCount = all.sm.smCount;
	groups[1].smCount = 0;
	FAILS(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, split(parts, 2, NULL, groups));
	OK(split(NULL, 2, NULL, groups)); /* only asks */
	assert_int_equal(groups[1].smCount, 0);
	FAILS(CUDA_ERROR_INVALID_VALUE, split(parts, 0, NULL, groups));
	FAILS(CUDA_ERROR_INVALID_RESOURCE_TYPE,
	      cuDevSmResourceSplit(parts, 1, &rest, NULL, 0, groups));
}

/* Its default stream waits for its own blocking streams, and for no others. */
TEST(its_default_stream)
{
	struct parts *p = *state;
	struct gate outer, inner;
	CUstream inside;

	gate_close(&outer, p->outside);
	OK(cuCtxSetCurrent(p->made));
	OK(cuMemsetD8Async(p->memory, 1, 64, NULL));
	OK(cuStreamSynchronize(NULL));
	gate_open(&outer);
	OK(cuStreamSynchronize(p->outside));
	OK(cuStreamCreate(&inside, CU_STREAM_DEFAULT));
	gate_close(&inner, inside);
	OK(cuMemsetD8Async(p->memory, 2, 64, NULL));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
	gate_open(&inner);
	OK(cuStreamSynchronize(NULL));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemsetD8Async(p->memory, 1, 64, CU_STREAM_PER_THREAD));
	OK(cuStreamDestroy(inside));
}

/* A wait for the primary context covers what is in the green one, and not the other way round. */
TEST(what_waits_cover)
{
	struct parts *p = *state;
	struct gate outer, inner;
	CUevent event;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	gate_close(&outer, p->outside);
	OK(cuCtxSetCurrent(p->made));
	OK(cuCtxSynchronize());
	OK(cuCtxRecordEvent(p->made, event));
	OK(cuEventSynchronize(event));
	gate_open(&outer);
	OK(cuStreamSynchronize(p->outside));
	gate_close(&inner, NULL);
	OK(cuCtxSetCurrent(p->primary));
	OK(cuCtxRecordEvent(p->primary, event));
	FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
	gate_open(&inner);
	OK(cuCtxSynchronize());
	OK(cuEventQuery(event));
	OK(cuEventDestroy(event));
}

/* Events, memory and code are those of the primary context. */
TEST(what_is_shared)
{
	struct parts *p = *state;
	CUdeviceptr inner;
	CUevent event;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuCtxSetCurrent(p->made));
	OK(cuMemAlloc(&inner, 64));
	OK(cuMemcpyDtoDAsync(inner, p->memory, 64, NULL));
	OK(cuEventRecord(event, NULL));
	OK(cuCtxSetCurrent(p->primary));
	OK(cuStreamWaitEvent(p->outside, event, 0));
	OK(cuMemcpyDtoDAsync(p->memory, inner, 64, p->outside));
	OK(cuStreamSynchronize(p->outside));
	OK(cuMemFree(inner));
	OK(cuEventDestroy(event));
}
