// An empty tensor: allocated and freed in the order of a stream, and in a capture.
// expect: clean
#include "testcases/driver.h"

static void in_stream(cudaStream_t stream)
{
	void *empty = nullptr, *other = nullptr;
	cudaMemPool_t pool;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMallocAsync(&empty, 0, stream));
	CHECK(cudaMallocFromPoolAsync(&other, 0, pool, stream));
	CHECK(cudaFreeAsync(other, stream));
	CHECK(cudaFreeAsync(empty, stream));
	CHECK(cudaStreamSynchronize(stream));
}

/* Past the runtime, which may answer without asking the driver. */
static void by_driver(cudaStream_t stream)
{
	auto allocate = DRIVER(cuMemAllocAsync);
	auto release = DRIVER(cuMemFreeAsync);
	CUdeviceptr empty;

	DRIVER_CHECK(allocate(&empty, 0, (CUstream)stream));
	DRIVER_CHECK(release(empty, (CUstream)stream));
	CHECK(cudaStreamSynchronize(stream));
}

static cudaGraph_t captured(cudaStream_t stream)
{
	cudaGraph_t graph;
	void *empty;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaMallocAsync(&empty, 0, stream));
	CHECK(cudaFreeAsync(empty, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	return graph;
}

int main()
{
	cudaStream_t stream;
	cudaGraphExec_t exec;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	in_stream(stream);
	by_driver(stream);
	cudaGraph_t graph = captured(stream);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
