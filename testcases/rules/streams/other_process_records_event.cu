// Two streams use memory that is shared with another process, and what parts them is an event that
// the other process records: no order of ours, or one that only it knows (E-12). What the other
// process itself does to the memory is not seen, with an event or without, and the report says so.
// expect: SC-105|SC-106 cause=SC-215 at=read possible doubt=unseen_record
// expect[HERE_TOO]: SC-105|SC-106 cause=SC-215 at=read possible doubt=unseen_record
// expect[UNORDERED]: SC-106 at=read proven order=no_event
// expect[NOT_SEEN]: clean
// expect[FIXED]: clean
#include "testcases/two_processes.h"

static const int n = 1 << 16;
static const size_t bytes = n * sizeof(float);

// After the writer the other process should record its event.
static cudaEvent_t event_behind(cudaStream_t writer)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t event = shared_event(&handle);

	send_value(handle);
#if defined(FIXED) || defined(HERE_TOO)
	CHECK(cudaEventRecord(event, writer));
#else
	(void)writer;
#endif
	rendezvous();
	rendezvous(); // it has recorded the event
	return event;
}

static void ours()
{
	float *shared = on_device(bytes), *h_back = pinned(bytes);
	cudaStream_t writer, reader;
	cudaEvent_t event, own;

	CHECK(cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&own, cudaEventDisableTiming));
	CHECK(cudaMemset(shared, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	send_value(handle_of(shared));
#ifndef NOT_SEEN
	CHECK(cudaMemsetAsync(shared, 1, bytes, writer)); // @write
	CHECK(cudaEventRecord(own, writer));
#endif
	event = event_behind(writer);
#ifdef FIXED
	CHECK(cudaStreamWaitEvent(reader, own));
#endif
#ifndef UNORDERED
	CHECK(cudaStreamWaitEvent(reader, event));
#endif
	CHECK(cudaMemcpyAsync(h_back, shared, bytes, cudaMemcpyDeviceToHost, reader)); // @read
	CHECK(cudaDeviceSynchronize());
	rendezvous();
	CHECK(cudaEventDestroy(event));
	CHECK(cudaEventDestroy(own));
	CHECK(cudaStreamDestroy(writer));
	CHECK(cudaStreamDestroy(reader));
	CHECK(cudaFreeHost(h_back));
	CHECK(cudaFree(shared));
}

static void theirs()
{
	float *memory = (float *)opened(receive_value<cudaIpcMemHandle_t>());
	cudaEvent_t event = opened_event(receive_value<cudaIpcEventHandle_t>());
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	rendezvous();
	CHECK(cudaMemsetAsync(memory, 2, bytes, stream));
	CHECK(cudaEventRecord(event, stream));
	rendezvous();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaIpcCloseMemHandle(memory));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(stream));
	rendezvous();
}

int main(int argc, char **argv)
{
	return run_both(argc, argv, ours, theirs);
}
