// Variables of the module are copied by their names while another stream uses them. NVIDIA's
// runtime asks the driver for a variable's address without its size.
// expect: SC-106 at=plain proven order=no_event
// expect[COPIES]: SC-105 at=copies proven order=no_event
// expect[READ]: SC-106 at=read proven order=no_event
// expect[CONSTANT]: SC-106 at=constant proven order=no_event
// expect[ADDRESS]: SC-106 at=address proven order=no_event
// expect[MANAGED]: SC-103 at=managed proven order=none
// expect[MODULE]: SC-105 at=driver proven order=no_event
// expect[FIXED]: clean
#include "testcases/driver.h"
#include "kernels/basic.cuh"

__device__ float table[256];
__constant__ float factors[256];
__managed__ float totals[256];

SC_KERNEL load_table(float *out)
{
	out[threadIdx.x] = table[threadIdx.x];
}

SC_KERNEL store_table(float value)
{
	table[threadIdx.x] = value;
}

SC_KERNEL load_factors(float *out)
{
	out[threadIdx.x] = factors[threadIdx.x];
}

SC_KERNEL store_totals(float value)
{
	totals[threadIdx.x] = value;
}

int main()
{
	const size_t bytes = sizeof(table);
	float *h_data = pinned(bytes), *d_out = on_device(bytes);
	cudaStream_t stream1, stream2;

	CHECK(cudaStreamCreateWithFlags(&stream1, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&stream2, cudaStreamNonBlocking));
#if defined COPIES
	CHECK(cudaMemcpyToSymbolAsync(table, h_data, bytes, 0, cudaMemcpyDefault, stream1));
	CHECK(cudaMemcpyToSymbolAsync(table, h_data, bytes / 2, bytes / 4, cudaMemcpyHostToDevice,
				      stream2)); // @copies
#elif defined READ
	store_table<<<1, 256, 0, stream1>>>(3);
	CHECK(cudaMemcpyFromSymbolAsync(h_data, table, bytes, 0, cudaMemcpyDeviceToHost,
					stream2)); // @read
#elif defined CONSTANT
	load_factors<<<1, 256, 0, stream1>>>(d_out);
	CHECK(cudaMemcpyToSymbolAsync(factors, h_data, bytes, 0, cudaMemcpyHostToDevice,
				      stream2)); // @constant
#elif defined ADDRESS
	void *address;
	size_t size;

	CHECK(cudaGetSymbolAddress(&address, table));
	CHECK(cudaGetSymbolSize(&size, table));
	load_table<<<1, 256, 0, stream1>>>(d_out);
	CHECK(cudaMemsetAsync(address, 0, size, stream2)); // @address
#elif defined MODULE
	static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .global .align 4 .b8 words[1024];\n";
	CUdeviceptr words;
	CUmodule module;

	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, ptx));
	DRIVER_CHECK(DRIVER(cuModuleGetGlobal)(&words, NULL, module, "words"));
	CHECK(cudaMemsetAsync((void *)words, 0, 512, stream1));
	CHECK(cudaMemsetAsync((void *)(words + 256), 1, 256, stream2)); // @driver
#elif defined MANAGED
	store_totals<<<1, 256, 0, stream1>>>(3);
	totals[7] = 1; // @managed
#else
	load_table<<<1, 256, 0, stream1>>>(d_out);
#ifdef FIXED
	store_totals<<<1, 256, 0, stream1>>>(3);
	CHECK(cudaStreamSynchronize(stream1));
	totals[7] = 1;
#endif
	CHECK(cudaMemcpyToSymbolAsync(table, h_data, bytes, 0, cudaMemcpyHostToDevice,
				      stream2)); // @plain
#endif
	CHECK(cudaGetLastError());
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream1));
#endif
	CHECK(cudaStreamSynchronize(stream2));
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
