// A pool that divides one block hands a buffer out again while another stream still reads it.
// expect: SC-153 at=give proven order=no_event
// expect: SC-106 at=next proven order=reused
// expect[FIXED]: clean
// expect[TOLD]: clean
#include "include/streamcheck/streamcheck.h"
#include "testcases/common.h"

// Buffers of one size; a buffer that comes back is the next one handed out, in the order of the
// stream.
struct Pool {
	static const size_t bytes = 1 << 16;
	char *block;
	char *spare;
	size_t used;

	void *take(cudaStream_t stream)
	{
		char *p = spare ? spare : block + bytes * used++;

		spare = nullptr;
		streamcheck_pool_allocate(p, bytes, stream);
		return p;
	}

	void give(void *p, cudaStream_t stream)
	{
		streamcheck_pool_free(p, stream); // @give
		spare = (char *)p;
	}
};

__global__ void fill(float *data, float value)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add(float *sum, const float *data)
{
	sum[blockIdx.x * blockDim.x + threadIdx.x] += data[blockIdx.x * blockDim.x + threadIdx.x];
}

int main()
{
	const int blocks = Pool::bytes / sizeof(float) / 256;
	Pool pool = {};
	float *sum, *part;
	cudaStream_t own, side;
	cudaEvent_t filled, added;

	CHECK(cudaMalloc(&pool.block, 4 * Pool::bytes));
	CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
	sum = (float *)pool.take(side);
	CHECK(cudaMemsetAsync(sum, 0, Pool::bytes, side));
	part = (float *)pool.take(own);
	fill<<<blocks, 256, 0, own>>>(part, 1);
	CHECK(cudaEventRecord(filled, own));
	CHECK(cudaStreamWaitEvent(side, filled, 0));
	add<<<blocks, 256, 0, side>>>(sum, part);
#ifdef FIXED
	CHECK(cudaEventRecord(added, side));
	CHECK(cudaStreamWaitEvent(own, added, 0));
#endif
#ifdef TOLD
	streamcheck_pool_use(part, side);
#endif
	pool.give(part, own);
#ifdef TOLD
	CHECK(cudaEventRecord(added, side)); // what such a pool does before it hands the buffer out
	CHECK(cudaEventSynchronize(added));
#endif
	part = (float *)pool.take(own);
	fill<<<blocks, 256, 0, own>>>(part, 2); // @next
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	pool.give(part, own);
	pool.give(sum, side);
	CHECK(cudaEventDestroy(filled));
	CHECK(cudaEventDestroy(added));
	CHECK(cudaStreamDestroy(own));
	CHECK(cudaStreamDestroy(side));
	CHECK(cudaFree(pool.block));
	return 0;
}
