// A kernel node may start before the previous one is complete, because the edge between them is
// programmatic, and reads what that one writes: the edge added by hand, given with the node
// (-DADDED), captured from a programmatic launch (-DCAPTURED), or from an event of a launch
// (-DEVENT).
//
// It waits for the previous grid (-DFIXED, -DCAPTURED_FIXED), or the edge is a full one (-DFULL).
// nvcc: -arch=sm_90
// expect: SC-125 at=second proven order=programmatic_edge
// expect[FIXED]: clean
// expect[FULL]: clean
// expect[ADDED]: SC-125 at=added proven order=programmatic_edge
// expect[CAPTURED]: SC-125 at=captured proven order=programmatic_edge
// expect[CAPTURED_FIXED]: clean
// expect[EVENT]: SC-125 at=captured proven order=programmatic_edge
#include "testcases/common.h"
#include "kernels/basic.cuh"

static const int N = 1 << 16;

SC_KERNEL produce(float *data, float value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
	if (i < n)
		data[i] = value;
}

SC_KERNEL consume(float *out, const float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if (defined(FIXED) || defined(CAPTURED_FIXED)) && __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
	if (i < n)
		out[i] = data[i] + 1;
}

struct buffers {
	float *d_data, *d_out;
};

// Built by hand.
__attribute__((unused)) static cudaGraph_t build(struct buffers *b)
{
	int n = N;
	float value = 2;
	void *produced[] = {&b->d_data, &value, &n}, *consumed[] = {&b->d_out, &b->d_data, &n};
	struct cudaGraphNodeParams params = {};
	cudaGraphNode_t first, second;
	cudaGraphEdgeData edge = {};
	cudaGraph_t graph;

#ifndef FULL
	edge.type = cudaGraphDependencyTypeProgrammatic;
	edge.from_port = cudaGraphKernelNodePortProgrammatic;
#endif
	CHECK(cudaGraphCreate(&graph, 0));
	params.type = cudaGraphNodeTypeKernel;
	params.kernel.func = (void *)produce;
	params.kernel.gridDim = dim3(N / threads);
	params.kernel.blockDim = dim3(threads);
	params.kernel.kernelParams = produced;
	CHECK(cudaGraphAddNode(&first, graph, NULL, NULL, 0, &params));
	params.kernel.func = (void *)consume;
	params.kernel.kernelParams = consumed;
#ifdef ADDED
	CHECK(cudaGraphAddNode(&second, graph, &first, &edge, 1, &params)); // @added
#else
	CHECK(cudaGraphAddNode(&second, graph, NULL, NULL, 0, &params)); // @second
	CHECK(cudaGraphAddDependencies(graph, &first, &second, &edge, 1));
#endif
	return graph;
}

// Captured from launches: the second is a programmatic one, or waits for an event of the first.
__attribute__((unused)) static cudaGraph_t capture(const struct buffers *b)
{
	cudaLaunchConfig_t first = {}, second;
	cudaLaunchAttribute weak = {};
	cudaStream_t stream, other;
	cudaEvent_t begun, joined;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
	first.gridDim = N / threads;
	first.blockDim = threads;
	first.attrs = &weak;
	first.stream = stream;
	second = first;
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#ifdef EVENT
	weak.id = cudaLaunchAttributeProgrammaticEvent;
	weak.val.programmaticEvent.event = begun;
	first.numAttrs = 1;
	second.stream = other;
#else
	weak.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	weak.val.programmaticStreamSerializationAllowed = 1;
	second.numAttrs = 1;
#endif
	CHECK(cudaLaunchKernelEx(&first, produce, b->d_data, 2.f, N));
#ifdef EVENT
	CHECK(cudaStreamWaitEvent(other, begun, 0));
#endif
	CHECK(cudaLaunchKernelEx(&second, consume, b->d_out, (const float *)b->d_data,
				 N)); // @captured
#ifdef EVENT
	CHECK(cudaEventRecord(joined, other));
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
#endif
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaEventDestroy(begun));
	CHECK(cudaEventDestroy(joined));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	return graph;
}

int main()
{
	const size_t bytes = N * sizeof(float);
	struct buffers b = {on_device(bytes), on_device(bytes)};
	float *h_back = pinned(bytes);
	cudaGraphExec_t exec;
	cudaStream_t stream;
#if defined(CAPTURED) || defined(CAPTURED_FIXED) || defined(EVENT)
	cudaGraph_t graph = capture(&b);
#else
	cudaGraph_t graph = build(&b);
#endif

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaMemsetAsync(b.d_data, 0, bytes, stream));
	for (int i = 0; i < 3; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaMemcpyAsync(h_back, b.d_out, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#if defined(FIXED) || defined(FULL) || defined(CAPTURED_FIXED)
	verify_kernel(h_back, 3, N);
#endif
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(b.d_data));
	CHECK(cudaFree(b.d_out));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
