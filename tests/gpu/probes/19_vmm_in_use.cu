// Probe 19 (P-12): what do cuMemUnmap, cuMemSetAccess, cuMemRelease do while a kernel uses the
// range?
#include "probe.h"

static __global__ void touch(volatile int *data, volatile int *flag, volatile int *running)
{
	unsigned long long start, now;

	*running = 1;
	__threadfence_system();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
		*data = *data + 1;
	} while (!*flag && now - start < 2000000000ull);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "release";
	CUmemAllocationProp prop = {};
	CUmemAccessDesc access = {};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address;
	cudaStream_t stream;
	size_t bytes;
	Hold hold;
	CUresult result = CUDA_SUCCESS;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location = prop.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	CHECK_DRIVER(
		cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CHECK_DRIVER(cuMemCreate(&handle, bytes, &prop, 0));
	CHECK_DRIVER(cuMemAddressReserve(&address, bytes, 0, 0, 0));
	CHECK_DRIVER(cuMemMap(address, bytes, 0, handle, 0));
	CHECK_DRIVER(cuMemSetAccess(address, bytes, &access, 1));
	*hold.flag = *hold.running = 0;
	touch<<<1, 1, 0, stream>>>((volatile int *)address, hold.flag, hold.running);
	while (!*hold.running)
		;
	double ms = timed_ms(hold, [&] {
		if (!strcmp(what, "release"))
			result = cuMemRelease(handle);
		else if (!strcmp(what, "access"))
			result = cuMemSetAccess(address, bytes, &access, 1);
		else
			result = cuMemUnmap(address, bytes);
	});
	printf("fact: VMM %s while a kernel uses the range = %s (%.2f ms), result %d\n", what,
	       waited(ms), ms, result);
	printf("fact: the kernel's end after VMM %s = %s\n", what,
	       cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
