// One batch over a fabric copies a buffer and copies the copy: its copies have no order among them.
// expect: SC-118 at=batch proven
// expect[FIXED]: clean
// expect[CAPTURED]: SC-118 at=batch proven
// expect[OTHER_STREAM]: SC-105 at=fill proven order=no_event
#include "testcases/driver.h"

// As cuda.h of CUDA 13.5 has them.
struct fabric_operand {
	int type; // 1: a pointer
	CUdeviceptr pointer;
	CUmemLocation hint;
};

struct fabric_copy {
	struct fabric_operand src, dst;
	size_t size;
	unsigned int flags;
};

typedef CUresult newer_cuFabricCpyBatchAsync(size_t, struct fabric_copy *, unsigned long long,
					     CUstream);

static struct fabric_copy from_to(const float *src, float *dst, size_t bytes)
{
	struct fabric_copy copy = {};

	copy.src.type = copy.dst.type = 1;
	copy.src.pointer = (CUdeviceptr)src;
	copy.dst.pointer = (CUdeviceptr)dst;
	copy.size = bytes;
	return copy;
}

static void copy_all(struct fabric_copy *list, size_t count, cudaStream_t stream)
{
	DRIVER_CHECK(NEWER_DRIVER(cuFabricCpyBatchAsync, 13050)(count, list, 0, stream)); // @batch
}

#ifdef CAPTURED
// The same as a node of a graph that is launched twice.
static void copy_by_graph(struct fabric_copy *list, size_t count, cudaStream_t stream)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	copy_all(list, count, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}
#define copy_all copy_by_graph
#endif

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_first = on_device(bytes), *d_second = on_device(bytes),
	      *d_third = on_device(bytes);
	struct fabric_copy copies[] = {from_to(d_first, d_second, bytes),
				       from_to(d_second, d_third, bytes)};
	cudaStream_t stream, other;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_first, 0, bytes, stream));
	CHECK(cudaMemsetAsync(d_second, 1, bytes, stream));
	CHECK(cudaStreamSynchronize(stream));
#if defined(FIXED) || defined(OTHER_STREAM)
	copy_all(&copies[0], 1, stream);
#ifdef OTHER_STREAM
	CHECK(cudaMemsetAsync(d_second, 0, bytes, other)); // @fill
	CHECK(cudaStreamSynchronize(other));
#endif
	copy_all(&copies[1], 1, stream);
#else
	copy_all(copies, 2, stream);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_third, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 0, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFree(d_third));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
