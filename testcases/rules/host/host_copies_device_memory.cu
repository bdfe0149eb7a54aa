// A library that knows nothing of CUDA copies device memory on the host, which the simulated device
// permits if it is asked to; a GPU never does. The kernels' streams are checked as ever.
// expect: clean
// expect[RACY]: SC-105 at=second proven order=no_event
// env: STREAMCHECK_SIM_HOST_ACCESS=1
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	float *d_from = on_device(bytes), *d_to = on_device(bytes);
	float *h_data = (float *)malloc(bytes);
	cudaStream_t stream, other;

	if (!is_simulated())
		return EXIT_SKIPPED;
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_from, 0, bytes, stream));
#ifdef RACY
	CHECK(cudaMemsetAsync(d_from, 0, bytes, other)); // @second
	CHECK(cudaStreamSynchronize(other));
#endif
	CHECK(cudaStreamSynchronize(stream));
	memcpy(d_to, d_from, bytes); // as such a library would
	CHECK(cudaMemcpy(h_data, d_to, bytes, cudaMemcpyDeviceToHost));
	verify(h_data, 0, bytes / sizeof(float));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_from));
	CHECK(cudaFree(d_to));
	free(h_data);
	return 0;
}
