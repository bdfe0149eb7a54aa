// Physical memory of the host is mapped at an address that a device and the host may use. A copy
// fills it, and the host reads it (by a call: its pages are not guarded) before the copy is over.
// expect: SC-101 at=read proven order=none
// expect[FIXED]: clean
#include "testcases/mapped.h"

static const int COUNT = 64;

static CUmemLocation node()
{
	CUmemLocation place = {};

	place.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
	return place;
}

static size_t need_memory_of_node()
{
	CUmemAllocationProp prop = of_device(0);
	int has_it = 0;
	size_t bytes = 0;

	DRIVER_CHECK(DRIVER(cuDeviceGetAttribute)(
		&has_it, CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
	if (!has_it) {
		printf("this device maps no memory of the host\n");
		exit(EXIT_SKIPPED);
	}
	prop.location = node();
	DRIVER_CHECK(DRIVER(cuMemGetAllocationGranularity)(&bytes, &prop,
							   CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	return bytes;
}

static CUdeviceptr map_node(CUmemGenericAllocationHandle *memory, size_t bytes)
{
	CUmemAllocationProp prop = of_device(0);
	CUmemAccessDesc right = {};
	CUdeviceptr at;

	prop.location = node();
	DRIVER_CHECK(DRIVER(cuMemCreate)(memory, bytes, &prop, 0));
	at = map_memory(*memory, bytes);
	give_access(at, bytes, 0);
	right.location = node();
	right.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	DRIVER_CHECK(DRIVER(cuMemSetAccess)(at, bytes, &right, 1));
	return at;
}

int main()
{
	const size_t used = COUNT * sizeof(float);
	float *data, *d_data = on_device(used);
	FILE *sink = fopen("/dev/null", "w");
	CUmemGenericAllocationHandle memory;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	const size_t bytes = need_memory_of_node();
	CUdeviceptr at = map_node(&memory, bytes);

	data = (float *)at;
	memset(data, 0, used); // nothing uses it yet
	CHECK(cudaMemset(d_data, 0, used));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyAsync(data, d_data, used, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	fwrite(data, sizeof(*data), COUNT, sink); // @read
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	unmap_memory(at, bytes);
	DRIVER_CHECK(DRIVER(cuMemRelease)(memory));
	fclose(sink);
	CHECK(cudaFree(d_data));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
