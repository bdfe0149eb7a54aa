// Probe 9 (C-4): what do CUDA calls inside a host function and a stream callback return?
#include "probe.h"

static cudaStream_t stream;
static CUcontext context;
static int results[5];

static void calls()
{
	void *p = nullptr;
	CUdeviceptr d = 0;

	results[0] = cudaStreamQuery(stream);
	results[1] = cudaMalloc(&p, 4);
	spin<<<1, 1, 0, stream>>>(nullptr, nullptr);
	results[2] = cudaGetLastError();
	results[3] = cuMemAlloc(&d, 4);
	results[4] = cuStreamQuery(stream);
}

static void host_function(void *)
{
	calls();
}
static void stream_callback(cudaStream_t, cudaError_t, void *)
{
	calls();
}

static void print(const char *where)
{
	const char *names[] = {"cudaStreamQuery", "cudaMalloc", "kernel launch", "cuMemAlloc",
			       "cuStreamQuery"};

	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < 5; i++)
		printf("fact: %s inside a %s = %d\n", names[i], where, results[i]);
}

int main()
{
	CHECK(cudaStreamCreate(&stream));
	CHECK_DRIVER(cuCtxGetCurrent(&context));
	CHECK(cudaLaunchHostFunc(stream, host_function, nullptr));
	print("host function");
	CHECK(cudaStreamAddCallback(stream, stream_callback, nullptr, 0));
	print("stream callback");
	return 0;
}
