// "Callback Functions from Streams": the callback reads what the copy before it wrote, and the host
// waits for the callback: right. With -DEARLY the host reads the copy while the callback may.
// expect: clean
// expect[EARLY]: SC-101 at=read proven|possible doubt=handed_over order=none
#include "testcases/common.h"

struct result {
	const float *data;
	int N;
	float total;
	cudaError_t status;
};

static void CUDART_CB onDone(cudaStream_t stream, cudaError_t status, void *userData)
{
	struct result *r = (struct result *)userData;

	(void)stream;
	r->status = status;
	r->total = sum(r->data, r->N);
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	struct result r = {h_back, N, 0, cudaErrorUnknown};
	cudaStream_t stream;

	fill(h_data, 1, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamAddCallback(stream, onDone, &r, 0));
#ifdef EARLY
	printf("sum %g\n", sum(h_back, N)); // @read
#endif
	CHECK(cudaStreamSynchronize(stream));
	if (r.status != cudaSuccess || r.total != N)
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
