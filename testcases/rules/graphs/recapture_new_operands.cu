// A graph that copies a result back is captured again with the next of two buffers. The recapture
// changes the graph only: an executable graph of before copies to the old buffer until it is
// updated, and the host reads that buffer while the launch may still write it.
//
// UPDATED: the executable graph was updated; the host reads the buffer that it has now, too early.
//
// CALLBACK: the function that the recapture asks gives the new parameters to the executable graph.
//
// FIXED: it was updated, and the host waits.
// expect: SC-101 at=old proven order=none
// expect[UPDATED]: SC-101 at=new proven order=none
// expect[CALLBACK]: SC-101 at=new proven order=none
// expect[FIXED]: clean
#include "testcases/recapture.h"

static const size_t bytes = 1 << 20;

#ifdef CALLBACK
static cudaError_t set_params(void *exec, cudaGraphNode_t node, const cudaGraphNodeParams *before,
			      const cudaGraphNodeParams *after, int status)
{
	cudaGraphNodeParams now = *after, wanted = *after;

	(void)status;
	CHECK(NEWER(cudaGraphNodeGetParams)(node, &now));
	if (now.memcpy.copyParams.dstPtr.ptr != before->memcpy.copyParams.dstPtr.ptr)
		return cudaErrorInvalidValue;
	return cudaGraphExecNodeSetParams((cudaGraphExec_t)exec, node, &wanted);
}
#endif

static void enqueue(float *h_back, float *d_data, cudaStream_t stream)
{
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
}

int main()
{
	float *h_first = pinned(bytes), *h_next = pinned(bytes), *d_data = on_device(bytes);
	cudaGraphExecUpdateResultInfo info;
	recapture_callback callback = {NULL, NULL};
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph, again;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	enqueue(h_first, d_data, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef CALLBACK
	callback = (recapture_callback){set_params, exec};
#endif
	recapture(stream, graph, &callback);
	enqueue(h_next, d_data, stream);
	CHECK(cudaStreamEndCapture(stream, &again));
#if defined(UPDATED) || defined(FIXED)
	CHECK(cudaGraphExecUpdate(exec, again, &info));
#endif
	CHECK(cudaGraphLaunch(exec, stream));
#if defined(UPDATED) || defined(CALLBACK)
	printf("%g\n", sum(h_next, 4)); // @new
#else
	printf("%g\n", sum(h_first, 4)); // @old
#endif
	CHECK(cudaStreamSynchronize(stream));
	printf("%g\n", sum(h_next, 4));
	(void)info;
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_first));
	CHECK(cudaFreeHost(h_next));
	return 0;
}
