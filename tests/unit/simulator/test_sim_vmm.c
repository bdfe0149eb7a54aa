/* Reserving addresses and mapping physical memory in the simulated driver (rule P-12). */
#include "tests/unit/simulator/sim_fixture.h"

static const CUmemAllocationProp prop = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};

struct vmm {
	CUstream stream;
	size_t page;
	CUdeviceptr base; /* three pages of addresses */
	CUmemGenericAllocationHandle handle;
};

static int setup(void **state)
{
	static struct vmm v;

	if (sim_setup(NULL) || cuStreamCreate(&v.stream, CU_STREAM_NON_BLOCKING) ||
	    cuMemGetAllocationGranularity(&v.page, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ||
	    cuMemAddressReserve(&v.base, 3 * v.page, 0, 0, 0) ||
	    cuMemCreate(&v.handle, v.page, &prop, 0))
		return -1;
	*state = &v;
	return 0;
}

static int teardown(void **state)
{
	struct vmm *v = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(v->stream) || cuMemRelease(v->handle) ||
	    cuMemAddressFree(v->base, 3 * v->page))
		return -1;
	return sim_teardown(NULL);
}

static void open_range(CUdeviceptr address, size_t size, CUmemAccess_flags flags)
{
	CUmemAccessDesc desc = {{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}, flags};

	OK(cuMemSetAccess(address, size, &desc, 1));
}

static unsigned char read_byte(CUdeviceptr address)
{
	unsigned char byte = 0;

	OK(cuMemcpyDtoH(&byte, address, 1));
	return byte;
}

EACH_TEST(setup, teardown)

/* Two addresses of one handle are the same bytes. */
TEST(aliases)
{
	struct vmm *v = *state;

	OK(cuMemMap(v->base, v->page, 0, v->handle, 0));
	OK(cuMemMap(v->base + v->page, v->page, 0, v->handle, 0));
	open_range(v->base, 2 * v->page, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemsetD8(v->base, 5, v->page));
	assert_int_equal(read_byte(v->base + v->page), 5);
	OK(cuMemsetD8(v->base + v->page + 1, 6, 1));
	assert_int_equal(read_byte(v->base + 1), 6);
	OK(cuMemUnmap(v->base, v->page));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(v->base, 5, 1));
	assert_int_equal(read_byte(v->base + v->page + 1), 6);
	OK(cuMemUnmap(v->base + v->page, v->page));
}

/* The host's memory, which it sees where the program says so. */
TEST(memory_of_the_host)
{
	static const CUmemLocationType places[] = {CU_MEM_LOCATION_TYPE_HOST,
						   CU_MEM_LOCATION_TYPE_HOST_NUMA};
	CUmemAllocationProp host = prop;
	struct vmm *v = *state;
	unsigned long long flags;
	size_t free_before, free_after, all;

	OK(cuMemGetInfo(&free_before, &all));
	for (unsigned i = 0; i < 2; i++) {
		CUmemAccessDesc desc = {{.type = places[i], .id = 0},
					CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
		volatile unsigned char *bytes = (volatile unsigned char *)v->base;
		CUmemGenericAllocationHandle handle;
		unsigned int type;

		host.location = desc.location;
		OK(cuMemCreate(&handle, v->page, &host, 0));
		OK(cuMemGetInfo(&free_after, &all));
		assert_int_equal(free_after, free_before);
		OK(cuMemMap(v->base, v->page, 0, handle, 0));
		open_range(v->base, v->page, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		OK(cuMemGetAccess(&flags, &desc.location, v->base));
		assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
		OK(cuMemSetAccess(v->base, v->page, &desc, 1));
		OK(cuMemGetAccess(&flags, &desc.location, v->base));
		assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, v->base));
		assert_int_equal(type, CU_MEMORYTYPE_HOST);
		OK(cuMemsetD8(v->base, 5, v->page));
		OK(cuCtxSynchronize());
		assert_int_equal(bytes[v->page - 1], 5);
		bytes[1] = 6;
		assert_int_equal(read_byte(v->base + 1), 6);
		FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)v->base));
		OK(cuMemUnmap(v->base, v->page));
		OK(cuMemRelease(handle));
	}
	host.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&v->handle, v->page, &host, 0));
	host.location = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
	host.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&v->handle, v->page, &host, 0));
}

TEST(access)
{
	CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
	struct vmm *v = *state;
	unsigned long long flags;

	OK(cuMemMap(v->base, v->page, 0, v->handle, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(v->base, 5, 1)); /* nobody's yet */
	open_range(v->base, v->page, CU_MEM_ACCESS_FLAGS_PROT_READ);
	OK(cuMemGetAccess(&flags, &device, v->base));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(v->base, 5, 1));
	assert_int_equal(read_byte(v->base), 0);
	open_range(v->base, v->page, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemsetD8(v->base, 5, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(v->base));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(v->base, v->stream));
	OK(cuMemUnmap(v->base, v->page));
}

/* Mappings side by side are one range for copies and fills. */
TEST(neighbours)
{
	struct vmm *v = *state;
	CUmemGenericAllocationHandle second;

	OK(cuMemCreate(&second, v->page, &prop, 0));
	OK(cuMemMap(v->base, v->page, 0, v->handle, 0));
	OK(cuMemMap(v->base + v->page, v->page, 0, second, 0));
	OK(cuMemRelease(second)); /* the mapping keeps it */
	open_range(v->base, 2 * v->page, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemsetD8Async(v->base, 3, 2 * v->page, v->stream));
	OK(cuStreamSynchronize(v->stream));
	assert_int_equal(read_byte(v->base + 2 * v->page - 1), 3);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(v->base, 3, 2 * v->page + 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(v->base, v->page / 2));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(v->base, 3 * v->page));
	OK(cuMemUnmap(v->base, 2 * v->page));
}

TEST(pending_work_survives_unmapping)
{
	struct vmm *v = *state;
	struct gate gate;

	OK(cuMemMap(v->base, v->page, 0, v->handle, 0));
	open_range(v->base, v->page, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	gate_close(&gate, v->stream);
	OK(cuMemsetD8Async(v->base, 9, v->page, v->stream));
	OK(cuMemUnmap(v->base, v->page)); /* a bug of the program, not the end of it */
	gate_open(&gate);
	OK(cuStreamSynchronize(v->stream));
}

TEST(retained_handle)
{
	struct vmm *v = *state;
	CUmemGenericAllocationHandle handle;
	CUmemAllocationProp found;
	size_t before, after, total;

	OK(cuMemMap(v->base, v->page, 0, v->handle, 0));
	OK(cuMemRelease(v->handle));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRelease(v->handle));
	OK(cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)(v->base + 1)));
	OK(cuMemGetAllocationPropertiesFromHandle(&found, handle));
	assert_int_equal(found.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
	OK(cuMemUnmap(v->base, v->page));
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemRelease(handle));
	OK(cuMemGetInfo(&after, &total));
	assert_int_equal(after - before, v->page);
	OK(cuMemCreate(&v->handle, v->page, &prop, 0));
}

TEST(errors)
{
	struct vmm *v = *state;
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&address, v->page + 1, 0, 0, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&handle, v->page - 1, &prop, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(v->base + 1, v->page, 0, v->handle, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(v->base, 2 * v->page, 0, v->handle, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(v->base + 3 * v->page, v->page, 0, v->handle, 0));
	OK(cuMemMap(v->base, v->page, 0, v->handle, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(v->base, v->page, 0, v->handle, 0));
	OK(cuMemUnmap(v->base, v->page));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(v->base, v->page));
	OK(cuMemAddressReserve(&address, v->page, 16 * v->page, 0, 0));
	assert_true(address % (16 * v->page) == 0);
	OK(cuMemAddressFree(address, v->page));
}
