// A kernel is given the host buffer instead of the device buffer that it was copied to. Devices
// that can follow such pointers skip this.
// expect: SC-127 at=launch proven
// expect[FIXED]: clean
// exit: 0|1
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	int follows = 0;
	float *h_data = (float *)calloc(N, sizeof(float));
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaDeviceGetAttribute(&follows, cudaDevAttrPageableMemoryAccess, 0));
	if (follows) {
		printf("this device follows pageable pointers\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpy(d_data, h_data, bytes, cudaMemcpyHostToDevice));
#ifdef FIXED
	add<<<blocks_for(N), threads, 0, stream>>>(d_data, 1, N);
#else
	add<<<blocks_for(N), threads, 0, stream>>>(h_data, 1, N); // @launch
#endif
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(stream)); // on a GPU the kernel has failed by now
	CHECK(cudaMemcpy(h_data, d_data, bytes, cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify_kernel(h_data, 1, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	free(h_data);
	return 0;
}
