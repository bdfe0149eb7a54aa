// Host and device use different bytes of one managed page, and a prefetch moves it meanwhile.
// Devices that cannot do that skip this. (15.5 item 9)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

int main()
{
	const int N = 1024;
	struct cudaDeviceProp prop;
	float *m_data;
	cudaStream_t stream;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	if (!prop.concurrentManagedAccess) {
		printf("needs concurrent managed access\n");
		return EXIT_SKIPPED;
	}
	CHECK(cudaMallocManaged(&m_data, N * sizeof(float)));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(m_data, 0, N / 2 * sizeof(float), stream));
	add<<<blocks_for(N / 2), threads, 0, stream>>>(m_data, 9, N / 2);
	CHECK(cudaMemPrefetchAsync(m_data, N * sizeof(float),
				   cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream));
	fill(m_data + N / 2, 1, N / 2);
	verify(m_data + N / 2, 1, N / 2);
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(m_data, 9, N / 2);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(m_data));
	return 0;
}
