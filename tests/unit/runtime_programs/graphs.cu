/* Graphs, captured and built by hand: results, repeated launches, parameters read back and changed.
 */
#include "check.h"

#include <atomic>

static std::atomic<int> runs;

__device__ int variable;

__global__ void nothing(int *out)
{
	(void)out;
}

static void CUDART_CB count_run(void *data)
{
	(void)data;
	runs++;
}

/* Makes the copies and the host function of a stream into a graph and launches it twice. */
static void capture_and_launch(int *device_memory, int *pinned)
{
	cudaStreamCaptureStatus status;
	cudaGraphExec_t exec = nullptr;
	cudaStream_t stream = nullptr;
	cudaGraph_t graph = nullptr;
	cudaKernelNodeParams kernel = {};
	cudaGraphNode_t nodes[4];
	cudaGraphNodeType type;
	size_t count = 0;

	CHECK_CUDA(cudaStreamCreate(&stream));
	CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK_CUDA(cudaMemsetAsync(device_memory, 1, 4, stream));
	nothing<<<1, 1, 0, stream>>>(device_memory);
	CHECK_CUDA(cudaMemcpyAsync(pinned, device_memory, 4, cudaMemcpyDeviceToHost, stream));
	CHECK_CUDA(cudaLaunchHostFunc(stream, count_run, nullptr));
	CHECK_CUDA(cudaStreamIsCapturing(stream, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
	CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
	CHECK(count == 4);
	CHECK_CUDA(cudaGraphGetNodes(graph, nodes, &count));
	for (size_t i = 0; i < count; i++) {
		CHECK_CUDA(cudaGraphNodeGetType(nodes[i], &type));
		if (type == cudaGraphNodeTypeKernel)
			CHECK_CUDA(cudaGraphKernelNodeGetParams(nodes[i], &kernel));
	}
	CHECK(kernel.func == (void *)nothing);
	CHECK(*pinned == 0 && runs == 0);
	CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CHECK_CUDA(cudaGraphLaunch(exec, stream));
	CHECK_CUDA(cudaGraphLaunch(exec, stream));
	CHECK_CUDA(cudaStreamSynchronize(stream));
	CHECK(*pinned == 0x01010101 && runs == 2);
	CHECK_CUDA(cudaGraphExecDestroy(exec));
	CHECK_CUDA(cudaGraphDestroy(graph));
	CHECK_CUDA(cudaStreamDestroy(stream));
}

static void parameters_come_back(cudaGraphNode_t kernel_node, cudaGraphNode_t host_node,
				 cudaGraphNode_t copy_node, int *device_memory)
{
	cudaKernelNodeParams kernel;
	cudaHostNodeParams host;
	cudaMemcpy3DParms copy;
	cudaGraphNodeType type;

	CHECK_CUDA(cudaGraphKernelNodeGetParams(kernel_node, &kernel));
	CHECK(kernel.func == (void *)nothing && kernel.gridDim.y == 2);
	CHECK_CUDA(cudaGraphHostNodeGetParams(host_node, &host));
	CHECK(host.fn == count_run);
	CHECK_CUDA(cudaGraphMemcpyNodeGetParams(copy_node, &copy));
	CHECK(copy.srcPtr.ptr == device_memory && copy.kind == cudaMemcpyDeviceToHost);
	CHECK(copy.extent.width == 4 && copy.extent.height == 1 && copy.extent.depth == 1);
	CHECK_CUDA(cudaGraphNodeGetType(copy_node, &type));
	CHECK(type == cudaGraphNodeTypeMemcpy);
}

/* fill -> kernel -> copy -> host function */
static void build_and_launch(int *device_memory, int *pinned)
{
	cudaGraphNode_t fill_node, kernel_node, copy_node, host_node;
	cudaHostNodeParams host = {count_run, nullptr};
	cudaMemsetParams fill = {};
	cudaKernelNodeParams kernel = {};
	cudaGraphExec_t exec = nullptr;
	cudaGraph_t graph = nullptr;
	void *args[] = {&device_memory};

	CHECK_CUDA(cudaGraphCreate(&graph, 0));
	fill.dst = device_memory;
	fill.value = 2;
	fill.elementSize = 1;
	fill.width = 4;
	fill.height = 1;
	CHECK_CUDA(cudaGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill));
	kernel.func = (void *)nothing;
	kernel.gridDim = dim3(1, 2, 1);
	kernel.blockDim = dim3(1);
	kernel.kernelParams = args;
	CHECK_CUDA(cudaGraphAddKernelNode(&kernel_node, graph, &fill_node, 1, &kernel));
	CHECK_CUDA(cudaGraphAddMemcpyNode1D(&copy_node, graph, &kernel_node, 1, pinned,
					    device_memory, 4, cudaMemcpyDeviceToHost));
	CHECK_CUDA(cudaGraphAddHostNode(&host_node, graph, &copy_node, 1, &host));
	parameters_come_back(kernel_node, host_node, copy_node, device_memory);
	CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
	runs = 0;
	*pinned = 0;
	CHECK_CUDA(cudaGraphUpload(exec, 0));
	CHECK_CUDA(cudaGraphLaunch(exec, 0));
	CHECK_CUDA(cudaDeviceSynchronize());
	CHECK(*pinned == 0x02020202 && runs == 1);
	CHECK_CUDA(cudaGraphExecDestroy(exec));
	CHECK_CUDA(cudaGraphDestroy(graph));
}

static void symbols_in_graphs(int *pinned)
{
	cudaGraphNode_t to_node, from_node;
	cudaGraphExec_t exec = nullptr;
	cudaGraph_t graph = nullptr;

	pinned[0] = 99;
	pinned[1] = 0;
	CHECK_CUDA(cudaGraphCreate(&graph, 0));
	CHECK_CUDA(cudaGraphAddMemcpyNodeToSymbol(&to_node, graph, nullptr, 0, variable, pinned, 4,
						  0, cudaMemcpyHostToDevice));
	CHECK_CUDA(cudaGraphAddMemcpyNodeFromSymbol(&from_node, graph, &to_node, 1, pinned + 1,
						    variable, 4, 0, cudaMemcpyDeviceToHost));
	CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
	CHECK_CUDA(cudaGraphLaunch(exec, 0));
	CHECK_CUDA(cudaDeviceSynchronize());
	CHECK(pinned[1] == 99);
	CHECK_CUDA(cudaGraphExecDestroy(exec));
	CHECK_CUDA(cudaGraphDestroy(graph));
}

int main()
{
	int *device_memory = nullptr, *pinned = nullptr;

	CHECK_CUDA(cudaMalloc(&device_memory, 16));
	CHECK_CUDA(cudaMallocHost(&pinned, 16));
	pinned[0] = 0;
	capture_and_launch(device_memory, pinned);
	build_and_launch(device_memory, pinned);
	symbols_in_graphs(pinned);
	return 0;
}
