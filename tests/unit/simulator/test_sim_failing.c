/* Kernels that fail: the error stays, and no later work runs (0.2, C-6). */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES 64

struct failing {
	CUlibrary library;
	CUkernel fails, works;
	CUstream stream;
};

static int setup(void **state)
{
	static struct failing failing;

	setenv("STREAMCHECK_SIM_FAILING_KERNEL", "scale", 1);
	if (sim_setup(NULL) ||
	    cuLibraryLoadFromFile(&failing.library, SIM_IMAGES "/default.fatbin", NULL, NULL, 0,
				  NULL, NULL, 0) ||
	    cuLibraryGetKernel(&failing.fails, failing.library, "_Z5scalePffi") ||
	    cuLibraryGetKernel(&failing.works, failing.library, "_Z4nonev") ||
	    cuStreamCreate(&failing.stream, CU_STREAM_NON_BLOCKING))
		return -1;
	*state = &failing;
	return 0;
}

static CUresult launch(CUkernel kernel, CUstream stream)
{
	CUdeviceptr memory = 0;
	float factor = 2;
	int count = 10;
	void *params[] = {&memory, &factor, &count};

	return cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

static void note(void *data)
{
	*(bool *)data = true;
}

struct report {
	sem_t called;
	CUresult status;
};

static void note_status(CUstream stream, CUresult status, void *data)
{
	struct report *report = data;

	(void)stream;
	report->status = status;
	sem_post(&report->called);
}

ALL_TESTS(setup, NULL)

/* The kernel is held back until all is enqueued, so that no call gets the error too early. */
TEST(failure_is_sticky)
{
	static unsigned char *host;
	static struct report report;
	static bool is_called;
	static struct gate gate;
	struct failing *f = *state;

	sem_init(&gate.entered, 0, 0);
	sem_init(&gate.release, 0, 0);
	sem_init(&report.called, 0, 0);
	OK(cuMemAllocHost((void **)&host, BYTES));
	memset(host, 1, BYTES);
	OK(launch(f->works, f->stream));
	OK(cuStreamSynchronize(f->stream));
	OK(cuLaunchHostFunc(f->stream, gate_run, &gate));
	OK(launch(f->fails, f->stream));
	OK(cuMemsetD8Async((CUdeviceptr)host, 2, BYTES, f->stream));
	OK(cuLaunchHostFunc(f->stream, note, &is_called));
	OK(cuStreamAddCallback(f->stream, note_status, &report, 0));
	sem_post(&gate.release);
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(f->stream)); /* waits, or does not */
	sem_wait(&report.called);
	assert_int_equal(host[0], 1);
	assert_false(is_called);
	assert_int_equal(report.status, CUDA_ERROR_ILLEGAL_ADDRESS);
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, launch(f->works, f->stream));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}
