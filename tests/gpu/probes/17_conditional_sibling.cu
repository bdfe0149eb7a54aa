// Probe 17 (G-9): does the body of a WHILE node run beside a sibling node?
#include "probe.h"

static __global__ void body(cudaGraphConditionalHandle handle, int *rounds)
{
	int n = ++*(volatile int *)rounds;

	__threadfence_system();
	cudaGraphSetConditional(handle, n < 3);
}

int main()
{
	cudaGraph_t graph, loop;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, sibling;
	cudaGraphConditionalHandle handle;
	cudaStream_t stream;
	int *rounds;
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&rounds, sizeof(int)));
	*rounds = 0;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
	cudaGraphNodeParams condition = {};
	condition.type = cudaGraphNodeTypeConditional;
	condition.conditional.handle = handle;
	condition.conditional.type = cudaGraphCondTypeWhile;
	condition.conditional.size = 1;
	CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &condition));
	loop = condition.conditional.phGraph_out[0];
	void *body_arguments[] = {&handle, &rounds};
	cudaKernelNodeParams kernel = {};
	kernel.func = (void *)body;
	kernel.gridDim = kernel.blockDim = dim3(1);
	kernel.kernelParams = body_arguments;
	cudaGraphNode_t inner;
	CHECK(cudaGraphAddKernelNode(&inner, loop, nullptr, 0, &kernel));
	void *spin_arguments[] = {&hold.flag, &hold.running};
	kernel.func = (void *)spin;
	kernel.kernelParams = spin_arguments;
	CHECK(cudaGraphAddKernelNode(&sibling, graph, nullptr, 0, &kernel));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	double start = now_ms();
	while (now_ms() - start < 100)
		(void)cudaStreamQuery(stream);
	printf("fact: WHILE body rounds while a sibling node spins = %d of 3\n",
	       *(volatile int *)rounds);
	hold.release();
	CHECK(cudaStreamSynchronize(stream));
	return 0;
}
