// One handle, or one plan, in two streams: linked with the library as extension modules are.
//
// use(WAY): shared, ordered, workspace, two_handles, destroyed, plan, refused, forked
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/libraries/handles.h"
#include "testcases/common.h"

#define N	  64
#define WORKSPACE 4096

static float *first, *second; // what the two streams work on: nothing is shared but the handle
static cudaStream_t a, b;

static void must(int status)
{
	if (!status)
		return;
	fprintf(stderr, "the library answered %d\n", status);
	exit(1);
}

static void scale(cublasHandle_t handle, cudaStream_t stream, float *data, void *workspace)
{
	const float alpha = 2;

	must(cublasSetStream_v2(handle, stream));
	if (workspace)
		must(cublasSetWorkspace_v2(handle, workspace, WORKSPACE));
	must(cublasSscal_v2(handle, N, &alpha, data, 1));
}

static void order(void)
{
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
	CHECK(cudaEventDestroy(done));
}

static void one_handle(bool is_ordered, float *workspace)
{
	cublasHandle_t handle;

	must(cublasCreate_v2(&handle));
	scale(handle, a, first, workspace);
	if (is_ordered)
		order();
	scale(handle, b, second, workspace ? workspace + WORKSPACE / sizeof(float) : NULL);
	must(cublasDestroy_v2(handle));
}

// The second one most likely gets the address of the first one, but it is another.
static void one_after_the_other(bool is_destroyed)
{
	cublasHandle_t one, other;

	must(cublasCreate_v2(&one));
	scale(one, a, first, NULL);
	if (is_destroyed)
		must(cublasDestroy_v2(one));
	must(cublasCreate_v2(&other));
	scale(other, b, second, NULL);
	must(cublasDestroy_v2(other));
	if (!is_destroyed)
		must(cublasDestroy_v2(one));
}

static void one_plan(void)
{
	cufftHandle plan;

	must(cufftPlan1d(&plan, N, 0, 1));
	must(cufftSetStream(plan, a));
	must(cufftExecC2C(plan, NULL, first, 1));
	must(cufftSetStream(plan, b));
	must(cufftExecC2C(plan, NULL, second, 1));
	must(cufftDestroy(plan));
}

// What the library refuses has not happened; its answer is the program's.
static void refused(void)
{
	const float alpha = 2;
	cublasHandle_t handle;

	must(cublasCreate_v2(&handle));
	scale(handle, a, first, NULL);
	if (cublasSetStream_v2(NULL, b) != 1 || cublasSetWorkspace_v2(handle, first, 1) != 1)
		must(-1);
	must(cublasSscal_v2(handle, N, &alpha, first, 1));
	must(cublasDestroy_v2(handle));
}

// A child that uses what its parent has used.
static void forked(void)
{
	cublasHandle_t handle;
	int status = 0;
	pid_t child;

	must(cublasCreate_v2(&handle));
	must(cublasSetStream_v2(handle, a));
	child = fork();
	if (!child)
		_exit(cublasSetStream_v2(handle, NULL));
	must(waitpid(child, &status, 0) != child);
	must(status);
	must(cublasDestroy_v2(handle));
}

extern "C" int use(const char *way)
{
	float *workspace = on_device(2 * WORKSPACE);

	first = on_device(N * sizeof(float));
	second = on_device(N * sizeof(float));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	if (!strcmp(way, "plan"))
		one_plan();
	else if (!strcmp(way, "refused"))
		refused();
	else if (!strcmp(way, "forked"))
		forked();
	else if (!strcmp(way, "two_handles") || !strcmp(way, "destroyed"))
		one_after_the_other(!strcmp(way, "destroyed"));
	else
		one_handle(!strcmp(way, "ordered"), strcmp(way, "workspace") ? NULL : workspace);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(first));
	CHECK(cudaFree(second));
	CHECK(cudaFree(workspace));
	return 0;
}
