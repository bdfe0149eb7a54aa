// Host memory is registered as read-only for the device, and a copy writes it. Drivers may refuse
// that copy, and say only that some value is invalid.
// expect: SC-143 at=download proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	float *h_data = (float *)aligned_alloc(4096, bytes), *d_data = on_device(bytes);
	int can_be_read_only = 0;
	cudaStream_t stream;

	CHECK(cudaDeviceGetAttribute(&can_be_read_only, cudaDevAttrHostRegisterReadOnlySupported,
				     0));
	if (!can_be_read_only) {
		printf("needs memory that can be registered read-only\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaStreamCreate(&stream));
#ifdef FIXED
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
#else
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterReadOnly));
#endif
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	cudaError_t error = cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost,
					    stream); // @download
	printf("the copy: %s\n", cudaGetErrorName(error));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	free(h_data);
	return 0;
}
