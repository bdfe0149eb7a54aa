// Device memory is freed twice. The second call fails, and the program does not look.
// expect: SC-120 at=again allocated=alloc proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	float *d_data = on_device(1 << 18); // @alloc

	CHECK(cudaMemset(d_data, 0, 1 << 18));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(d_data));
#ifndef FIXED
	printf("free: %s\n", cudaGetErrorName(cudaFree(d_data))); // @again
	cudaGetLastError();
#endif
	return 0;
}
