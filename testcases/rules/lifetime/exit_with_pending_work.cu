// The program ends without a wait for its last work. That the runtime's exit handlers then take the
// code back, while a kernel of it (-DKERNEL) may still run, is not the program's doing.
// expect: SC-401 proven
// expect[KERNEL]: SC-401 proven
// expect[FIXED]: clean
#include "testcases/common.h"

__global__ void fill(float *data)
{
	data[threadIdx.x] = 0;
}

int main()
{
	const size_t bytes = 1 << 20;
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
#ifdef KERNEL
	fill<<<1, 32, 0, stream>>>(d_data);
#else
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#endif
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
#endif
	return 0;
}
