// Memory of another process is used after it was closed, which ends it for this process, or is
// closed while a copy still reads it.
// expect: SC-141 at=copy proven
// expect[EARLY]: SC-115 at=close proven order=none
// expect[COUNTED]: clean
// expect[FIXED]: clean
#include "testcases/two_processes.h"

static const size_t bytes = 1 << 16;

static void ours()
{
	const cudaIpcMemHandle_t handle = receive_value<cudaIpcMemHandle_t>();
	void *shared = opened(handle), *h_data = pinned(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#if defined(EARLY)
	CHECK(cudaMemcpyAsync(h_data, shared, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaIpcCloseMemHandle(shared)); // @close
	CHECK(cudaStreamSynchronize(stream));
#elif defined(COUNTED) // opened twice: the first close ends nothing
	opened(handle);
	CHECK(cudaMemcpyAsync(h_data, shared, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaIpcCloseMemHandle(shared));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaIpcCloseMemHandle(shared));
#elif defined(FIXED)
	CHECK(cudaMemcpyAsync(h_data, shared, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaIpcCloseMemHandle(shared));
#else
	CHECK(cudaIpcCloseMemHandle(shared));
	// The runtime no longer knows the address: it refuses, or takes it for something else.
	cudaMemcpyAsync(h_data, shared, bytes, cudaMemcpyDeviceToHost, stream); // @copy
	cudaStreamSynchronize(stream);
#endif
	rendezvous();
	cudaStreamDestroy(stream); // after a use of nothing's memory the context may be lost
	cudaFreeHost(h_data);
}

static void theirs()
{
	float *memory = on_device(bytes);

	CHECK(cudaMemset(memory, 1, bytes));
	CHECK(cudaDeviceSynchronize());
	send_value(handle_of(memory));
	rendezvous();
	CHECK(cudaFree(memory));
}

int main(int argc, char **argv)
{
	return run_both(argc, argv, ours, theirs);
}
