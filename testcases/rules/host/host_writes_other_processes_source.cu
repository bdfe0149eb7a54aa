// The host overwrites a pinned buffer while its copy to memory of another process is under way;
// what the other process finds there is anybody's guess.
// expect: SC-102 at=write proven order=none
// expect[RESULT]: SC-101 at=read proven order=none
// expect[EXPORTED]: SC-102 at=write proven order=none
// expect[FIXED]: clean
#include "testcases/two_processes.h"

static const int n = 1 << 16;
static const size_t bytes = n * sizeof(float);
static volatile float sink;

static void touch(float *h_data, cudaStream_t stream)
{
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
#ifdef RESULT
	sink = h_data[n / 2]; // @read
#else
	fill(h_data, 4, n); // @write
#endif
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
}

// The memory is the other process's, or with EXPORTED ours that the other has opened.
static float *begin_memory()
{
#ifdef EXPORTED
	float *memory = on_device(bytes);

	send_value(handle_of(memory));
	rendezvous();
	return memory;
#else
	return (float *)opened(receive_value<cudaIpcMemHandle_t>());
#endif
}

static void end_memory(float *memory)
{
	rendezvous();
#ifdef EXPORTED
	rendezvous();
	CHECK(cudaFree(memory));
#else
	CHECK(cudaIpcCloseMemHandle(memory));
	rendezvous();
#endif
}

static void ours()
{
	float *h_data = pinned(bytes), *shared = begin_memory();
	cudaStream_t stream;

	fill(h_data, 3, n);
	CHECK(cudaStreamCreate(&stream));
#ifdef RESULT
	CHECK(cudaMemcpyAsync(h_data, shared, bytes, cudaMemcpyDefault, stream));
#else
	CHECK(cudaMemcpyAsync(shared, h_data, bytes, cudaMemcpyDefault, stream));
#endif
	touch(h_data, stream);
	end_memory(shared);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(h_data));
}

// What has arrived, seen by the other process; it closes, or frees, when both are done.
static void look(float *memory)
{
	float *h_seen = pinned(bytes);

	rendezvous();
	CHECK(cudaMemcpy(h_seen, memory, bytes, cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify(h_seen, 3, n);
#endif
	CHECK(cudaFreeHost(h_seen));
}

static void theirs()
{
#ifdef EXPORTED
	float *memory = (float *)opened(receive_value<cudaIpcMemHandle_t>());

	rendezvous();
	look(memory);
	CHECK(cudaIpcCloseMemHandle(memory));
	rendezvous();
#else
	float *memory = on_device(bytes);

	CHECK(cudaMemset(memory, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	send_value(handle_of(memory));
	look(memory);
	rendezvous();
	CHECK(cudaFree(memory));
#endif
}

int main(int argc, char **argv)
{
	return run_both(argc, argv, ours, theirs);
}
