// One kernel uses a __device__ array by its name, another by the pointer that cudaGetSymbolAddress
// gives, in two streams.
// expect: SC-106 at=by_address proven order=no_event
// expect[NAME_LAST]: SC-106 at=by_name proven order=no_event
// expect[OTHER_HALF]: clean
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

__device__ float table[512];

SC_KERNEL load_table(float *out)
{
	out[threadIdx.x] = table[threadIdx.x];
}

SC_KERNEL store_to(float *to)
{
	to[threadIdx.x] = 3;
}

static void by_name(float *out, cudaStream_t stream)
{
	load_table<<<1, 256, 0, stream>>>(out); // @by_name
	CHECK(cudaGetLastError());
}

static void by_address(cudaStream_t stream)
{
	void *address;

	CHECK(cudaGetSymbolAddress(&address, table));
#ifdef OTHER_HALF
	address = (float *)address + 256;
#endif
	store_to<<<1, 256, 0, stream>>>((float *)address); // @by_address
	CHECK(cudaGetLastError());
}

int main()
{
	float *d_out = on_device(256 * sizeof(float));
	cudaStream_t one, other;

	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
#ifdef FIXED
	other = one;
#endif
#ifdef NAME_LAST
	by_address(one);
	by_name(d_out, other);
#else
	by_name(d_out, one);
	by_address(other);
#endif
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(d_out));
	return 0;
}
