// A host function uses pinned memory that earlier work of its stream wrote. (15.5 item 10)
// expect: clean
#include "testcases/common.h"

struct result {
	float *data;
	int N;
	float total;
};

static void CUDART_CB add_up(void *userData)
{
	struct result *r = (struct result *)userData;

	r->total = sum(r->data, r->N);
	fill(r->data, 2, r->N);
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	struct result r = {pinned(bytes), N, -1};
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(r.data, 1, N);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(r.data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaLaunchHostFunc(stream, add_up, &r));
	CHECK(cudaMemcpyAsync(d_data, r.data, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (r.total != 0)
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(r.data));
	return 0;
}
