// Two races, each of two kernels in two streams, and windows around the second. Arguments: ways.
//
//   profiler   the second race is between cudaProfilerStart and cudaProfilerStop
//   nvtx       it is in an NVTX range "step", the first in a range "step" of domain "other"
//   started    the same by nvtxRangeStart, in a range "other" that ends later
//   reads      the host reads the result of a copy too early, before the window and inside
//   calls      it is between streamcheck_window_begin and streamcheck_window_end
//   ordered    a fill before the window instead of its first kernel, and an event orders the second
//   loose      the same without the event
//   loop       the second race comes ten times, each in an NVTX range "step"
//   child      another process of this program does the rest
//   waits      it waits for a line on standard input before the second race
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#include <streamcheck/streamcheck.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testcases/common.h"

#define ELEMENTS 1024

static int ways;
static char **way;
static cudaStream_t a, b;
static float *d_first, *d_second, *d_result, *h_result;
static volatile float seen;
static nvtxRangeId_t outer, inner;

static bool is(const char *name)
{
	for (int i = 0; i < ways; i++)
		if (!strcmp(way[i], name))
			return true;
	return false;
}

static __global__ void scale(float *data)
{
	data[threadIdx.x] *= 2;
}

static __global__ void add(float *data)
{
	data[threadIdx.x] += 1;
}

static void read_early(void)
{
	CHECK(cudaMemcpyAsync(h_result, d_result, ELEMENTS * sizeof(float), cudaMemcpyDeviceToHost,
			      a));
	seen += h_result[0];
	CHECK(cudaStreamSynchronize(a));
}

static void race_first(void)
{
	nvtxDomainHandle_t other = nvtxDomainCreateA("other");
	nvtxEventAttributes_t event = {};

	event.version = NVTX_VERSION;
	event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	event.messageType = NVTX_MESSAGE_TYPE_ASCII;
	event.message.ascii = "step";
	nvtxDomainRangePushEx(other, &event);
	scale<<<1, 32, 0, a>>>(d_first); // @first
	scale<<<1, 32, 0, b>>>(d_first);
	nvtxDomainRangePop(other);
	CHECK(cudaDeviceSynchronize());
	if (is("reads"))
		read_early();
}

static void begin(void)
{
	if (is("profiler"))
		CHECK(cudaProfilerStart());
	if (is("nvtx") || is("loop"))
		nvtxRangePushA("step");
	if (is("started")) {
		outer = nvtxRangeStartA("other");
		inner = nvtxRangeStartA("step");
	}
	if (is("calls"))
		streamcheck_window_begin();
}

static void end(void)
{
	if (is("calls"))
		streamcheck_window_end();
	if (is("started")) {
		nvtxRangeEnd(inner);
		nvtxRangeEnd(outer);
	}
	if (is("nvtx") || is("loop"))
		nvtxRangePop();
	if (is("profiler"))
		CHECK(cudaProfilerStop());
}

static void race_second(void)
{
	cudaEvent_t event;

	CHECK(cudaEventCreate(&event));
	if (is("ordered") || is("loose"))
		CHECK(cudaMemsetAsync(d_second, 0, ELEMENTS * sizeof(float), a));
	CHECK(cudaEventRecord(event, a));
	if (is("ordered"))
		CHECK(cudaStreamWaitEvent(b, event, 0));
	begin();
	if (!is("ordered") && !is("loose"))
		add<<<1, 32, 0, a>>>(d_second);
	add<<<1, 32, 0, b>>>(d_second); // @second
	CHECK(cudaStreamSynchronize(a));
	CHECK(cudaStreamSynchronize(b));
	if (is("reads"))
		read_early();
	end();
	CHECK(cudaEventDestroy(event));
}

static int run_child(char *program)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		way[0][0] = '-'; // "child" no more
		way[-1] = program;
		execv(program, way - 1);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG;
}

int main(int argc, char **argv)
{
	ways = argc - 1;
	way = argv + 1;
	d_first = on_device(ELEMENTS * sizeof(float));
	d_second = on_device(ELEMENTS * sizeof(float));
	d_result = on_device(ELEMENTS * sizeof(float));
	h_result = pinned(ELEMENTS * sizeof(float));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	race_first();
	if (is("child"))
		return run_child(argv[0]);
	if (is("waits")) {
		printf("ready\n");
		fflush(stdout);
		(void)getchar();
	}
	for (int i = 0; i < (is("loop") ? 10 : 1); i++)
		race_second();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
