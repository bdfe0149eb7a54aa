/* Compiled with --default-stream per-thread: stream 0 is the calling thread's own (S-4). */
#include "check.h"

#include <thread>

__global__ void nothing()
{
}

static unsigned long long id_of(cudaStream_t stream)
{
	unsigned long long id = 0;

	CHECK_CUDA(cudaStreamGetId(stream, &id));
	return id;
}

static void zero_is_the_threads_own(unsigned long long *id)
{
	*id = id_of(0);
	CHECK(*id == id_of(cudaStreamPerThread));
	CHECK(*id != id_of(cudaStreamLegacy));
	nothing<<<1, 1>>>();
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaStreamSynchronize(0));
}

int main()
{
	unsigned long long mine = 0, theirs = 0;
	int value = 1, found = 0;
	int *memory = nullptr;

	zero_is_the_threads_own(&mine);
	std::thread(zero_is_the_threads_own, &theirs).join();
	CHECK(mine != theirs);
	CHECK_CUDA(cudaMallocAsync(&memory, sizeof(*memory), 0));
	CHECK_CUDA(cudaMemcpyAsync(memory, &value, sizeof(value), cudaMemcpyHostToDevice, 0));
	CHECK_CUDA(cudaMemcpy(&found, memory, sizeof(found), cudaMemcpyDeviceToHost));
	CHECK(found == 1);
	CHECK_CUDA(cudaFreeAsync(memory, 0));
	CHECK_CUDA(cudaStreamSynchronize(0));
	return 0;
}
