// A copy in a graph keeps an address, and of host memory that it is locked; memory that goes before
// the launch is read or written there all the same. Here it goes inside of the capture, between
// the call that adds the node and the instantiation, after it, and with the function that had it;
// and other memory has come to its place.
// expect: SC-136 at=copy proven
// expect[ADDED]: SC-136 at=added proven
// expect[AGAIN]: SC-136 at=added proven
// expect[HEAP]: SC-136 at=added likely doubt=address_reused
// expect[SHRUNK]: SC-136 at=added likely doubt=address_reused
// expect[LOCAL]: SC-136 at=local proven
// expect[KERNEL]: SC-136 at=kernel likely doubt=address_taken
// expect[LATER]: clean
// expect[MAINS]: clean
#include "testcases/common.h"

#define BYTES 4096

static cudaStream_t stream;
static cudaGraph_t graph;
static cudaGraphExec_t exec;
static cudaGraphNode_t node;
static float *d_data;

static float *new_block(void)
{
	float *block = (float *)aligned_alloc(4096, BYTES);

	memset(block, 0, BYTES);
	return block;
}

static float *new_registered(void)
{
	float *block = new_block();

	CHECK(cudaHostRegister(block, BYTES, 0));
	return block;
}

static void add_copy(const float *from)
{
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, d_data, from, BYTES,
				       cudaMemcpyHostToDevice)); // @added
}

// What the driver says of dead memory, and of calls after it, is not the point.
static void launch(void)
{
	cudaGraphLaunch(exec, stream);
	cudaStreamSynchronize(stream);
}

__global__ void increase(float *data)
{
	data[threadIdx.x] += 1;
}

static __attribute__((noinline, unused)) void add_copy_of_local(void)
{
	float local[BYTES / sizeof(float)];

	memset(local, 0, sizeof(local));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, d_data, local, BYTES,
				       cudaMemcpyHostToDevice)); // @local
}

int main()
{
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	d_data = on_device(BYTES);
#if defined(ADDED)
	float *data = new_registered();

	add_copy(data);
	CHECK(cudaHostUnregister(data));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch();
#elif defined(AGAIN)
	float *data = new_registered();

	add_copy(data);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaHostUnregister(data));
	CHECK(cudaHostRegister(data, BYTES, 0));
	launch();
#elif defined(HEAP)
	float *data = new_block();

	add_copy(data);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	free(data);
	launch();
#elif defined(SHRUNK)
	float *data = (float *)malloc(4 * BYTES), *same;

	memset(data, 0, BYTES);
	add_copy(data);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	same = (float *)realloc(data, 2 * BYTES); // stays where it is
	free(same);
	launch();
#elif defined(LOCAL)
	add_copy_of_local();
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch();
#elif defined(KERNEL)
	float *d_other;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	increase<<<1, 32, 0, stream>>>(d_data); // @kernel
	CHECK(cudaFree(d_data));
	CHECK(cudaStreamEndCapture(stream, &graph));
	d_other = on_device(BYTES);
	CHECK(cudaMemsetAsync(d_other, 0, BYTES, stream));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch();
	CHECK(cudaFree(d_other));
#elif defined(LATER)
	float *data = new_registered(), *block = new_block();

	add_copy(data);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch();
	CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, node, d_data, block, BYTES,
						 cudaMemcpyHostToDevice));
	CHECK(cudaHostUnregister(data));
	launch();
	free(block);
#elif defined(MAINS)
	float local[BYTES / sizeof(float)];

	memset(local, 0, sizeof(local));
	add_copy(local);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch();
	launch();
#else
	float *data = new_registered();

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	CHECK(cudaMemcpyAsync(d_data, data, BYTES, cudaMemcpyHostToDevice, stream)); // @copy
	CHECK(cudaHostUnregister(data));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	launch();
#endif
	return 0;
}
