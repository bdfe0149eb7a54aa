// A kernel that may start before the previous one is complete gathers elements of a table before it
// waits, and others afterwards. The previous kernel writes some of the first ones (the default;
// captured into a graph: -DGRAPH), or of the second ones only (-DFIXED, -DGRAPH_FIXED).
// nvcc: -arch=sm_90
// expect: SC-125 at=second proven order=early_launch when=executed
// expect: SC-125 at=second possible doubt=footprint when=unexecuted
// expect[GRAPH]: SC-125 at=second proven order=early_launch when=executed
// expect[GRAPH]: SC-125 at=second possible doubt=footprint when=unexecuted
// expect[FIXED]: SC-125 at=second possible doubt=footprint when=unexecuted
// expect[GRAPH_FIXED]: SC-125 at=second possible doubt=footprint when=unexecuted
#include "testcases/compute.h"

__global__ void choose(int *index)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	index[i] = 2 * i;
}

__global__ void scatter(float *table, const int *index, int offset)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
	table[index[i] + offset] = 3;
}

__global__ void gather(const float *table, const int *index, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float before = table[index[i]];

#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
	out[i] = before + table[index[i] + 1];
}

int main()
{
	const int N = 1 << 12, THREADS = 256;
#if defined(FIXED) || defined(GRAPH_FIXED)
	const int offset = 1;
#else
	const int offset = 0;
#endif
	float *table = device_zeros<float>(2 * N), *out = device_zeros<float>(N);
	int *index = device_array<int>(N);
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	choose<<<N / THREADS, THREADS>>>(index);
	CHECK(cudaDeviceSynchronize());
#if defined(GRAPH) || defined(GRAPH_FIXED)
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#endif
	scatter<<<N / THREADS, THREADS, 0, stream>>>(table, index, offset);
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = N / THREADS;
	config.blockDim = THREADS;
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, gather, (const float *)table, (const int *)index,
				 out)); // @second
#if defined(GRAPH) || defined(GRAPH_FIXED)
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	for (int i = 0; i < 3; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
#else
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	free_device(table, out);
	free_device(index);
	return 0;
}
