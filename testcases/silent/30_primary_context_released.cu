// A program of the driver API asks the runtime for a kernel's function and then gives up its own
// reference of the primary context: the runtime has one, too, so the context and its memory remain.
// expect: clean
#include "testcases/driver.h"

__global__ void number(int *out)
{
	out[threadIdx.x] = (int)threadIdx.x;
}

int main()
{
	auto retain = DRIVER(cuDevicePrimaryCtxRetain);
	auto release = DRIVER(cuDevicePrimaryCtxRelease);
	auto push = DRIVER(cuCtxPushCurrent);
	auto pop = DRIVER(cuCtxPopCurrent);
	CUcontext context, top;
	CUdeviceptr memory;
	cudaFunction_t function;
	int host[32];
	void *arguments[] = {&memory};

	DRIVER_CHECK(retain(&context, 0));
	DRIVER_CHECK(push(context));
	DRIVER_CHECK(DRIVER(cuMemAlloc)(&memory, sizeof(host)));
	CHECK(cudaGetFuncBySymbol(&function, (const void *)number));
	DRIVER_CHECK(pop(&top));
	DRIVER_CHECK(release(0));
	DRIVER_CHECK(push(context));
	DRIVER_CHECK(DRIVER(cuLaunchKernel)((CUfunction)function, 1, 1, 1, 32, 1, 1, 0, NULL,
					    arguments, NULL));
	DRIVER_CHECK(DRIVER(cuMemcpyDtoH)(host, memory, sizeof(host)));
	DRIVER_CHECK(DRIVER(cuMemFree)(memory));
	return host[31] != 31;
}
