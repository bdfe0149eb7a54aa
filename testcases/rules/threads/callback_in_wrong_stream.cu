// A host function adds up what a copy brings, but it is enqueued in another stream than the copy.
// expect: SC-101 at=add_up proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

struct result {
	const float *data;
	int N;
	float total;
};

static void CUDART_CB addUp(void *userData)
{
	struct result *r = (struct result *)userData;

	r->total = sum(r->data, r->N); // @add_up
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	struct result r = {h_back, N, -1};
	cudaStream_t copies, callbacks;

	fill(h_back, 1, N);
	CHECK(cudaStreamCreate(&copies));
	CHECK(cudaStreamCreate(&callbacks));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, copies));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, copies));
#ifdef FIXED
	CHECK(cudaLaunchHostFunc(copies, addUp, &r));
#else
	CHECK(cudaLaunchHostFunc(callbacks, addUp, &r));
	CHECK(cudaStreamSynchronize(callbacks));
#endif
	CHECK(cudaStreamSynchronize(copies));
	printf("total %g\n", r.total);
#ifdef FIXED
	if (r.total != 0)
		return EXIT_WRONG;
#endif
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaStreamDestroy(callbacks));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
