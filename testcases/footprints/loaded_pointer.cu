// A kernel loads a pointer from a table and moves it by a parameter: it may write anything that it
// was given, so what another stream does to its other buffer meanwhile may collide. Where the
// simulated device executes the kernel, it is seen that it does not.
// expect: SC-106 at=other possible doubt=footprint when=unexecuted
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL put(char **table, size_t at, float *spare)
{
	table[0][at] = 1;
	if (at == 0)
		*spare = 1;
}

int main()
{
	float *d_spare = on_device(sizeof(float)), *d_data = on_device(4096);
	char **d_table = (char **)on_device(sizeof(char *));
	cudaStream_t stream1, stream2;

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	CHECK(cudaMemcpy(d_table, &d_data, sizeof(d_data), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
	put<<<1, 1, 0, stream1>>>(d_table, 16, d_spare);
	CHECK(cudaGetLastError());
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream1));
#endif
	CHECK(cudaMemsetAsync(d_spare, 1, sizeof(float), stream2)); // @other
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_table));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_spare));
	return 0;
}
