// A kernel of one device writes memory of another one, which it was not given the right to use:
// launched into a stream, or as a node of a graph (-DGRAPH).
// expect: SC-128 at=launch proven
// expect[FIXED]: clean
// expect[GRAPH]: SC-128 at=node proven
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL set_all(float *data, float value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = value;
}

static void run(float *d_data, int n)
{
#ifdef GRAPH
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	set_all<<<blocks_for(n), threads, 0, stream>>>(d_data, 1, n); // @node
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#else
	set_all<<<blocks_for(n), threads>>>(d_data, 1, n); // @launch
#endif
}

int main()
{
	const int N = 1 << 16;
	float *d_data;
	int can_reach = 0;

	need_devices(2);
	CHECK(cudaDeviceCanAccessPeer(&can_reach, 1, 0));
	if (!can_reach) {
		printf("these devices cannot reach each other\n");
		exit(EXIT_SKIPPED);
	}
	d_data = on_device(N * sizeof(float));
	CHECK(cudaSetDevice(1));
#ifdef FIXED
	CHECK(cudaDeviceEnablePeerAccess(0, 0));
#endif
	run(d_data, N);
	(void)cudaDeviceSynchronize(); // the kernel may have met nothing at that address
#ifdef FIXED
	CHECK(cudaGetLastError());
	CHECK(cudaSetDevice(0));
	CHECK(cudaFree(d_data));
#endif
	return 0;
}
