// Two streams exchange a buffer by an external semaphore, which is signalled before the buffer is
// filled, or after that, with a timeline semaphore (-DFIXED) or a binary one (-DBINARY_FIXED).
//
// Another side ends the wait (-DANOTHER), or gets the signal (-DNOTIFIED, -DGRAPH): unseen (W-4).
// expect: SC-106 at=copy possible doubt=unseen_signal
// expect[FIXED]: clean
// expect[BINARY_FIXED]: clean
// expect[ANOTHER]: SC-106 at=copy possible doubt=unseen_signal
// expect[NOTIFIED]: SC-106 at=copy possible doubt=unseen_signal
// expect[GRAPH]: SC-106 at=copy possible doubt=unseen_signal
#include "testcases/semaphore.h"

#ifdef BINARY_FIXED
static const bool is_timeline = false;
#else
static const bool is_timeline = true;
#endif

// The fill and the signal are nodes of a graph.
__attribute__((unused)) static void launch(const struct semaphore *semaphore,
					   unsigned long long value, float *d_data, size_t bytes,
					   cudaStream_t stream)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	signal(semaphore, value, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphExecDestroy(exec));
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t first, second;
	struct semaphore semaphore = import_semaphore(is_timeline);

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	for (unsigned long long round = 1; round <= 2; round++) {
#if !defined(FIXED) && !defined(BINARY_FIXED) && !defined(ANOTHER) && !defined(NOTIFIED) && \
	!defined(GRAPH)
		signal(&semaphore, round, first);
#endif
#ifdef GRAPH
		launch(&semaphore, round, d_data, bytes, first);
#else
		CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
#endif
#if defined(FIXED) || defined(BINARY_FIXED) || defined(NOTIFIED)
		signal(&semaphore, round, first);
#endif
#if defined(NOTIFIED) || defined(GRAPH)
		wait_elsewhere(&semaphore, round);
#else
		wait(&semaphore, round, second);
#endif
#ifdef ANOTHER
		signal_elsewhere(&semaphore, round);
#endif
		CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost,
				      second)); // @copy
		CHECK(cudaStreamSynchronize(second));
#if !defined(FIXED) && !defined(BINARY_FIXED)
		CHECK(cudaStreamSynchronize(first));
#endif
	}
#if defined(FIXED) || defined(BINARY_FIXED)
	verify(h_back, 0, N);
#endif
	CHECK(cudaDestroyExternalSemaphore(semaphore.imported));
	close_exports();
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
