// Two devices and one cudaDeviceSynchronize, "across both devices" as the document says: it waits
// for the current device only, so the result of device 0 is read too early.
// expect: SC-101 cause=SC-112 at=read0 proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

struct part {
	float *h_data;
	float *d_data;
	cudaStream_t stream;
};

static void start(struct part *p, int device, int N)
{
	const size_t bytes = N * sizeof(float);

	CHECK(cudaSetDevice(device));
	p->h_data = pinned(bytes);
	p->d_data = on_device(bytes);
	fill(p->h_data, device + 1, N);
	CHECK(cudaStreamCreate(&p->stream));
	CHECK(cudaMemcpyAsync(p->d_data, p->h_data, bytes, cudaMemcpyHostToDevice, p->stream));
	scale<<<blocks_for(N), threads, 0, p->stream>>>(p->d_data, 2, N);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(p->h_data, p->d_data, bytes, cudaMemcpyDeviceToHost, p->stream));
}

static void finish(struct part *p, int device)
{
	CHECK(cudaSetDevice(device));
	CHECK(cudaStreamDestroy(p->stream));
	CHECK(cudaFree(p->d_data));
	CHECK(cudaFreeHost(p->h_data));
}

int main()
{
	const int N = 1 << 16;
	struct part parts[2];

	need_devices(2);
	start(&parts[0], 0, N);
	start(&parts[1], 1, N);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(parts[0].stream));
#endif
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify_kernel(parts[0].h_data, 2, N);
	verify_kernel(parts[1].h_data, 4, N);
#else
	printf("sum of device 0: %g\n", sum(parts[0].h_data, N)); // @read0
	printf("sum of device 1: %g\n", sum(parts[1].h_data, N));
	CHECK(cudaStreamSynchronize(parts[0].stream));
#endif
	finish(&parts[0], 0);
	finish(&parts[1], 1);
	return 0;
}
