/* The eager schedule: what today's drivers do where the text leaves a choice. */
#include "tests/unit/simulator/sim_fixture.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define SMALL 1024
#define LARGE (1 << 20)

static unsigned char large[LARGE];

static int setup(void **state)
{
	setenv("STREAMCHECK_SIM_SCHEDULE", "eager", 1);
	return sim_setup(state);
}

ALL_TESTS(setup, sim_teardown)

/* Ops run without anybody asking for them. */
TEST(work_runs_by_itself)
{
	volatile unsigned char *host;
	CUdeviceptr memory;
	CUstream stream;

	OK(cuMemAlloc(&memory, SMALL));
	OK(cuMemAllocHost((void **)&host, SMALL));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	host[0] = 0;
	OK(cuMemsetD8Async(memory, 9, SMALL, stream));
	OK(cuMemcpyDtoHAsync((void *)host, memory, SMALL, stream));
	while (host[0] != 9)
		sched_yield();
	OK(cuStreamDestroy(stream));
	OK(cuMemFree(memory));
	OK(cuMemFreeHost((void *)host));
}

static void CUDA_CB begin(void *begun)
{
	atomic_store((atomic_bool *)begun, 1);
}

static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* A host function does not begin while its thread goes on, however fast the others are: here that
 * is 5 ms of its processor. With a wait it begins at once. */
TEST(thread_goes_first)
{
	atomic_bool begun = 0;
	uint64_t before = used_ns();
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuLaunchHostFunc(stream, begin, &begun));
	while (!atomic_load(&begun))
		;
	assert_true(used_ns() - before >= 5000000u);
	atomic_store(&begun, 0);
	OK(cuLaunchHostFunc(stream, begin, &begun));
	OK(cuStreamSynchronize(stream));
	assert_true(atomic_load(&begun));
	OK(cuStreamDestroy(stream));
}

/* C-A1: a small pageable source is read at the call, before earlier work of the stream (SC-149). */
TEST(small_upload_is_staged)
{
	unsigned char small[SMALL], back;
	struct gate gate;
	CUdeviceptr memory;
	CUstream stream;

	OK(cuMemAlloc(&memory, SMALL));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	memset(small, 1, sizeof(small));
	gate_close(&gate, stream);
	OK(cuMemcpyHtoDAsync(memory, small, SMALL, stream));
	memset(small, 2, sizeof(small));
	gate_open(&gate);
	OK(cuStreamSynchronize(stream));
	OK(cuMemcpyDtoH(&back, memory, 1));
	assert_int_equal(back, 1);
	OK(cuStreamDestroy(stream));
	OK(cuMemFree(memory));
}

/* C-A1, C-A2: everything else that is pageable holds the caller. */
TEST(pageable_transfers_block)
{
	CUdeviceptr memory;
	CUstream stream;
	unsigned char back[SMALL];

	OK(cuMemAlloc(&memory, LARGE));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	memset(large, 3, LARGE);
	OK(cuMemcpyHtoDAsync(memory, large, LARGE, stream));
	OK(cuStreamQuery(stream));
	OK(cuMemcpyDtoHAsync(back, memory, SMALL, stream));
	assert_int_equal(back[SMALL - 1], 3);
	OK(cuStreamDestroy(stream));
	OK(cuMemFree(memory));
}

/* H-3: today's drivers wait in cuMemFree. */
TEST(free_drains_the_context)
{
	unsigned char *host;
	CUdeviceptr memory;
	CUstream stream;

	OK(cuMemAlloc(&memory, LARGE));
	OK(cuMemAllocHost((void **)&host, LARGE));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemsetD8Async(memory, 4, LARGE, stream));
	OK(cuMemcpyDtoHAsync(host, memory, LARGE, stream));
	OK(cuMemFree(memory));
	assert_int_equal(host[LARGE - 1], 4);
	OK(cuStreamDestroy(stream));
	OK(cuMemFreeHost(host));
}
