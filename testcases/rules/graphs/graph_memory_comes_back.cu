// Memory of one graph that begins after other memory of it was freed: a driver gives it the same
// address. What uses the one has nothing to do with the other. (A capture refuses to copy memory
// that it has freed, so the late user is a kernel.)
// expect: clean
// expect[FREED]: SC-135 at=late allocated=alloc proven order=no_path
#include "kernels/basic.cuh"
#include "testcases/common.h"

static const int N = 1 << 18;
static const size_t bytes = N * sizeof(float);

int main()
{
	float *d_out = on_device(bytes), *d_first, *d_second, *d_third;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMallocAsync((void **)&d_first, bytes, stream)); // @alloc
	CHECK(cudaMemsetAsync(d_first, 1, bytes, stream));
	CHECK(cudaMemcpyAsync(d_out, d_first, bytes, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaFreeAsync(d_first, stream));
#ifdef FREED
	scale<<<N / 256, 256, 0, stream>>>(d_first, 2, N); // @late
#endif
	CHECK(cudaMallocAsync((void **)&d_second, bytes, stream));
	CHECK(cudaMemsetAsync(d_second, 2, bytes, stream));
	CHECK(cudaMemcpyAsync(d_out, d_second, bytes, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaFreeAsync(d_second, stream));
	CHECK(cudaMallocAsync((void **)&d_third, bytes, stream));
	CHECK(cudaMemsetAsync(d_third, 3, bytes, stream));
	CHECK(cudaMemcpyAsync(d_out, d_third, bytes, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaFreeAsync(d_third, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_out));
	return 0;
}
