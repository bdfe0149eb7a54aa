// A stream callback asks the driver itself for memory. No CUDA call at all is allowed in there, by
// whichever API. Tools that use CUPTI do not get such a call; hooks see it.
// expect: SC-122 at=allocate proven
// expect[FIXED]: clean
#include "testcases/driver.h"

struct work {
	decltype(&cuMemAlloc) allocate;
	CUdeviceptr data;
	CUresult result;
};

static void take(struct work *w)
{
	w->result = w->allocate(&w->data, 1024); // @allocate
}

#ifdef FIXED
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *)
{
}
#else
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *data)
{
	take((struct work *)data);
}
#endif

int main()
{
	struct work w = {DRIVER(cuMemAlloc), 0, CUDA_SUCCESS};
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamAddCallback(stream, callback, &w, 0));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	take(&w);
#endif
	if (!w.result)
		CHECK(cudaFree((void *)w.data));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
