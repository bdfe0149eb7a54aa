// Two buffers change places between two streams. The racy one forgets the event that hands a
// buffer over.
// expect: SC-106 at=step proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 16;
	float *h_back = pinned(N * sizeof(float));
	float *d_data[2] = {on_device(N * sizeof(float)), on_device(N * sizeof(float))};
	cudaStream_t stream[2];
	cudaEvent_t done;

	CHECK(cudaMemset(d_data[0], 0, N * sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreate(&stream[i]));
	for (int i = 0; i < 4; i++) {
		cudaStream_t s = stream[i % 2];

#ifdef FIXED
		CHECK(cudaStreamWaitEvent(s, done, 0));
#endif
		double_into<<<blocks_for(N), threads, 0, s>>>(d_data[i % 2], d_data[(i + 1) % 2],
							      N); // @step
		CHECK(cudaGetLastError());
#ifdef FIXED
		CHECK(cudaEventRecord(done, s));
#endif
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_data[0], N * sizeof(float), cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify_kernel(h_back, 0, N);
#endif
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamDestroy(stream[i]));
		CHECK(cudaFree(d_data[i]));
	}
	CHECK(cudaEventDestroy(done));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
