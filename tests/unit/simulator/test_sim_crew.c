/* Kernels on several threads, kernels that wait for others, and what a lazy device does meanwhile.
 */
#include <stdio.h>
#include <unistd.h>

#include "simulator/driver/kernel/tally.h"
#include "tests/unit/simulator/sim_fixture.h"

#define BLOCKS 600

static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	/* p[block] += its number + 1, after some turns of a loop. */
	".visible .entry spread(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<6>;\n"
	".reg .pred %p<2>; ld.param.u64 %rd0, [p]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, 0;\n"
	"again: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 2000; @%p0 bra again;\n"
	"mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; add.u32 %r2, %r0, 1;\n"
	"red.global.add.u32 [%rd1], %r2; red.global.add.u32 [%rd0+4096], 1; ret; }\n"
	/* Blocks from 5 on access a bad address; block 5 as the last one. */
	".visible .entry fail(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<6>;\n"
	".reg .pred %p<3>; mov.u32 %r0, %ctaid.x; setp.lt.u32 %p0, %r0, 5; @%p0 ret;\n"
	"setp.ne.u32 %p1, %r0, 5; @%p1 bra bad; mov.u32 %r1, 0;\n"
	"again: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 12000; @%p0 bra again;\n"
	"bad: st.global.u32 [64], %r0; ret; }\n"
	/* Waits until p[0] is 1, then p[1] = 1. */
	".visible .entry wait(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	".reg .pred %p<2>; ld.param.u64 %rd0, [p];\n"
	"again: ld.volatile.global.u32 %r0, [%rd0]; setp.ne.u32 %p0, %r0, 1; @%p0 bra again;\n"
	"st.volatile.global.u32 [%rd0+4], 1; ret; }\n"
	".visible .entry set(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd0, [p];\n"
	"st.volatile.global.u32 [%rd0], 1; ret; }\n"
	/* Computes for long, and writes all the time. */
	".visible .entry toil(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	".reg .pred %p<2>; ld.param.u64 %rd0, [p]; mov.u32 %r0, 0;\n"
	"again: add.u32 %r0, %r0, 1; st.volatile.global.u32 [%rd0], %r0;\n"
	"setp.lt.u32 %p0, %r0, 1000000; @%p0 bra again; ret; }\n";

struct crew {
	CUmodule module;
	CUstream first, second;
	CUdeviceptr memory; /* of 8 KiB, zeros before each test */
	volatile int *host; /* the same, mapped */
	CUdeviceptr mapped;
};

static int setup(void **state)
{
	static struct crew c;

	*state = &c;
	return sim_setup(NULL) || cuModuleLoadData(&c.module, text) ||
	       cuStreamCreate(&c.first, CU_STREAM_NON_BLOCKING) ||
	       cuStreamCreate(&c.second, CU_STREAM_NON_BLOCKING) || cuMemAlloc(&c.memory, 8192) ||
	       cuMemHostAlloc((void **)&c.host, 8192, CU_MEMHOSTALLOC_DEVICEMAP) ||
	       cuMemHostGetDevicePointer(&c.mapped, (void *)c.host, 0);
}

static int clear(void **state)
{
	const struct crew *c = *state;

	if (cuCtxSynchronize()) /* the streams do not wait for the fill, nor it for them */
		return -1;
	memset((void *)c->host, 0, 8192);
	return cuMemsetD8(c->memory, 0, 8192) || cuCtxSynchronize();
}

static void launch(const struct crew *c, const char *name, unsigned blocks, CUdeviceptr p,
		   CUstream stream)
{
	void *params[] = {&p};
	CUfunction function;

	OK(cuModuleGetFunction(&function, c->module, name));
	OK(cuLaunchKernel(function, blocks, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

EACH_TEST(clear, NULL)
ALL_TESTS(setup, NULL)

TEST(each_block_runs_once)
{
	const struct crew *c = *state;
	unsigned back[2048];

	launch(c, "spread", BLOCKS, c->memory, c->first);
	OK(cuStreamSynchronize(c->first));
	OK(cuMemcpyDtoH(back, c->memory, sizeof(back)));
	for (unsigned i = 0; i < BLOCKS; i++)
		assert_int_equal(back[i], i + 1);
	assert_int_equal(back[1024], BLOCKS);
}

TEST(kernels_wait_for_kernels_of_other_streams)
{
	const struct crew *c = *state;
	int back[2];

	launch(c, "wait", 1, c->memory, c->first);
	launch(c, "set", 1, c->memory, c->second);
	OK(cuStreamSynchronize(c->first));
	OK(cuStreamSynchronize(c->second)); /* a flag orders nothing for the copy of it */
	OK(cuMemcpyDtoH(back, c->memory, sizeof(back)));
	assert_int_equal(back[1], 1);
}

/* More kernels wait than there are workers: so many blocks of each of them. */
static void wait_for_one(const struct crew *c, unsigned blocks)
{
	CUstream streams[12];

	for (unsigned i = 0; i < 12; i++)
		OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	for (unsigned i = 0; i < 12; i++)
		launch(c, "wait", blocks, c->memory, streams[i]);
	launch(c, "set", 1, c->memory, c->second);
	for (unsigned i = 0; i < 12; i++)
		OK(cuStreamSynchronize(streams[i]));
	for (unsigned i = 0; i < 12; i++)
		OK(cuStreamDestroy(streams[i]));
}

TEST(many_wait_for_one)
{
	wait_for_one(*state, 3);
}

/* Their turns take so long that one of them is always late for its next. */
TEST(late_kernels_let_others_begin)
{
	wait_for_one(*state, BLOCKS);
}

/* The host calls nothing between what it writes and what it reads. */
TEST(kernels_wait_for_the_host)
{
	const struct crew *c = *state;

	launch(c, "wait", 4, c->mapped, c->first);
	launch(c, "set", 1, c->memory, c->second);
	OK(cuStreamSynchronize(c->second)); /* other streams go on */
	assert_int_equal(c->host[1], 0);
	c->host[0] = 1;
	while (!c->host[1])
		;
	OK(cuStreamSynchronize(c->first));
}

/* What nobody demands does not run because a kernel of another stream takes long. */
TEST(lazy_stays_late_beside_a_long_kernel)
{
	const char *schedule = getenv("STREAMCHECK_SIM_SCHEDULE");
	const struct crew *c = *state;

	OK(cuMemsetD32Async(c->mapped, 7, 1, c->second));
	launch(c, "toil", 1, c->memory, c->first);
	OK(cuStreamSynchronize(c->first));
	if (schedule && !strcmp(schedule, "lazy"))
		assert_int_equal(c->host[0], 0);
	OK(cuStreamSynchronize(c->second));
	assert_int_equal(c->host[0], 7);
}

static char failure[256];

static uint64_t no_call(void)
{
	return 0;
}

static void note_failure(uint64_t number, int error, uint64_t address, const char *where)
{
	(void)number;
	assert_int_equal(error, CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_int_equal(address, 64);
	snprintf(failure, sizeof(failure), "%s", where);
}

/* Last: the error stays. Whoever is first, the lowest block is reported. A kernel that waits ends.
 */
TEST(the_lowest_block_that_fails_is_reported)
{
	const struct crew *c = *state;

	simulated_watchKernels(no_call, note_failure);
	launch(c, "wait", 2, c->mapped, c->second);
	launch(c, "fail", BLOCKS, c->memory, c->first);
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(c->first));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(c->second));
	assert_string_equal(failure, "fail accesses an address without memory, block (5,0,0), "
				     "thread (0,0,0)");
}
