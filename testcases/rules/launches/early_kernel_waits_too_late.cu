// A kernel that may start before the previous one is complete waits for it, but not before all that
// it reads: it reads first (the default; captured into a graph: -DGRAPH), or only one warp waits
// (-DROLE), also where the others then wait for that warp (-DBARRIER), which may be enough, or it
// waits if it is asked to (-DASKED), or would be (-DNOT_ASKED).
//
// What it reads first is no kernel's result (-DFIXED, -DGRAPH_FIXED).
// nvcc: -arch=sm_90
// expect: SC-125 at=second proven order=early_launch
// expect[GRAPH]: SC-125 at=second proven order=early_launch
// expect[ROLE]: SC-125 at=second proven order=early_launch when=executed
// expect[ROLE]: SC-125 at=second possible doubt=wait_in_kernel when=unexecuted
// expect[BARRIER]: SC-125 at=second possible doubt=wait_in_kernel
// expect[ASKED]: SC-125 at=second possible doubt=wait_in_kernel when=unexecuted
// expect[NOT_ASKED]: SC-125 at=second proven order=early_launch when=executed
// expect[NOT_ASKED]: SC-125 at=second possible doubt=wait_in_kernel when=unexecuted
// expect[FIXED]: clean
// expect[GRAPH_FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL produce(float *data, float value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
	if (i < n)
		data[i] = value;
}

SC_KERNEL consume(float *out, const float *data, const float *weights, int n, int waits)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float weight = i < n ? weights[i] : 0;

#if __CUDA_ARCH__ >= 900
#if defined(ROLE) || defined(BARRIER)
	if (threadIdx.x < 32)
		cudaGridDependencySynchronize();
#if defined(BARRIER)
	__syncthreads();
#endif
#elif defined(ASKED) || defined(NOT_ASKED)
	if (waits)
		cudaGridDependencySynchronize();
#else
	cudaGridDependencySynchronize();
#endif
#endif
	if (i < n)
		out[i] = data[i] + weight;
}

int main()
{
	const int N = 1 << 16, threads = 256;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *d_weights = on_device(bytes), *d_out = on_device(bytes);
	float *h_back = pinned(bytes);
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};
	cudaStream_t stream;
#if defined(FIXED) || defined(GRAPH_FIXED) || defined(ROLE) || defined(BARRIER) || \
	defined(ASKED) || defined(NOT_ASKED)
	const float *d_first = d_weights;
#else
	const float *d_first = d_data;
#endif
#ifdef NOT_ASKED
	const int waits = 0;
#else
	const int waits = 1;
#endif

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemsetAsync(d_weights, 0, bytes, stream));
#if defined(GRAPH) || defined(GRAPH_FIXED)
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#endif
	produce<<<N / threads, threads, 0, stream>>>(d_data, 2, N);
	CHECK(cudaGetLastError());
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = N / threads;
	config.blockDim = threads;
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, consume, d_out, (const float *)d_data, d_first, N,
				 waits)); // @second
#if defined(GRAPH) || defined(GRAPH_FIXED)
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 3; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphDestroy(graph));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_out, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#if defined(FIXED) || defined(GRAPH_FIXED)
	verify_kernel(h_back, 2, N);
#endif
#if defined(GRAPH) || defined(GRAPH_FIXED)
	CHECK(cudaGraphExecDestroy(exec));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_weights));
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
