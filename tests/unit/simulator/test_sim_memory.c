/* Memory of the simulated driver: real bytes, engines past page protection, the right errors. */
#include "tests/unit/simulator/sim_fixture.h"

#include <linux/mempolicy.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define BYTES (64 * 1024)

static int setup(void **state)
{
	return sim_setup(state);
}

static int teardown(void **state)
{
	return sim_teardown(state);
}

/*
 * Both directions while the host's view is inaccessible: what the page guard does (design.md,
 * section 3, fact 6). The bytes at `host` must be 1 before and 2 afterwards.
 */
static void copy_under_protection(unsigned char *host, size_t size)
{
	unsigned char back[16];
	CUdeviceptr device;
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&device, size));
	memset(host, 1, size);
	OK(cuMemcpyHtoDAsync(device, host, size, stream));
	assert_int_equal(mprotect(host, size, PROT_NONE), 0);
	OK(cuStreamSynchronize(stream));
	OK(cuMemcpyDtoH(back, device, sizeof(back)));
	assert_int_equal(back[15], 1);
	OK(cuMemsetD8Async(device, 2, size, stream));
	OK(cuMemcpyDtoHAsync(host, device, size, stream));
	OK(cuMemcpyHtoDAsync(device, host, size, stream));
	OK(cuStreamSynchronize(stream));
	assert_int_equal(mprotect(host, size, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(host[0], 2);
	assert_int_equal(host[size - 1], 2);
	OK(cuMemFree(device));
	OK(cuStreamDestroy(stream));
}

ALL_TESTS(setup, teardown)

TEST(pinned_under_protection)
{
	void *host;

	OK(cuMemHostAlloc(&host, BYTES, CU_MEMHOSTALLOC_PORTABLE));
	copy_under_protection(host, BYTES);
	OK(cuMemFreeHost(host));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host));
}

TEST(managed_under_protection)
{
	CUdeviceptr managed;

	OK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
	copy_under_protection((unsigned char *)managed, BYTES);
	OK(cuMemFree(managed));
}

static void registered_under_protection(int kind)
{
	void *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(host, MAP_FAILED);
	OK(cuMemHostRegister(host, BYTES, 0));
	FAILS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(host, 16, 0));
	copy_under_protection(host, BYTES);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister((char *)host + 16));
	OK(cuMemHostUnregister(host));
	FAILS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(host));
	munmap(host, BYTES);
}

TEST(registered_private_under_protection)
{
	registered_under_protection(MAP_PRIVATE);
}

TEST(registered_shared_under_protection)
{
	registered_under_protection(MAP_SHARED);
}

static sigjmp_buf fault_return;
static void *fault_address;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault_address = info->si_addr;
	siglongjmp(fault_return, 1);
}

/* The host faults on device memory at the very address, as on a GPU. */
TEST(host_cannot_touch_device_memory)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
	volatile unsigned char *byte;
	CUdeviceptr device;

	OK(cuMemAlloc(&device, BYTES));
	byte = (volatile unsigned char *)(device + 100);
	sigaction(SIGSEGV, &action, &old);
	if (!sigsetjmp(fault_return, 1)) {
		*byte = 1;
		fail_msg("the write went through");
	}
	sigaction(SIGSEGV, &old, NULL);
	assert_ptr_equal(fault_address, byte);
	OK(cuMemFree(device));
}

TEST(wrong_frees)
{
	CUdeviceptr device;
	size_t free_before, free_after, total;
	void *host;

	OK(cuMemGetInfo(&free_before, &total));
	OK(cuMemAlloc(&device, BYTES));
	OK(cuMemGetInfo(&free_after, &total));
	assert_int_equal(free_before - free_after, BYTES);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(device + 16));
	OK(cuMemFree(device));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(device));
	OK(cuMemFree(0));
	OK(cuMemAllocHost(&host, 10));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)host));
	OK(cuMemFreeHost(host));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host));
	OK(cuMemFreeHost(NULL));
	FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&device, total + 1));
	FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&device, SIZE_MAX));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&device, 0));
	OK(cuMemGetInfo(&free_after, &total));
	assert_int_equal(free_before, free_after);
}

TEST(copies_stay_in_one_allocation)
{
	unsigned char host[64];
	unsigned char *heap;
	CUdeviceptr device;

	OK(cuMemAlloc(&device, 32));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, device, 33));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, device + 31, 2));
	OK(cuMemcpyDtoH(host, device + 31, 1));
	OK(cuMemcpyDtoH(host, device, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD((CUdeviceptr)host, device, 8));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8((CUdeviceptr)host, 0, 8));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device + 1, 0, 1));
	OK(cuMemFree(device));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, device, 8));
	/* A range that is registered in part is not half pinned (4.1). */
	heap = malloc(BYTES);
	OK(cuMemAlloc(&device, BYTES));
	OK(cuMemHostRegister(heap + 4096, 4096, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(device, heap, BYTES));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(device, heap + 4096, 4097));
	OK(cuMemcpyHtoD(device, heap + 4096, 4096));
	OK(cuMemHostUnregister(heap + 4096));
	OK(cuMemFree(device));
	free(heap);
}

TEST(address_ranges_and_attributes)
{
	CUdeviceptr device, base;
	unsigned int type = 0;
	size_t size;
	void *host, *start;
	int ordinal = -7;
	bool is_managed = true;
	CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
	void *answers[] = {&type, &ordinal};
	int unknown;

	OK(cuMemAlloc(&device, 1000));
	OK(cuMemGetAddressRange(&base, &size, device + 999));
	assert_int_equal(base, device);
	assert_int_equal(size, 1000);
	FAILS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, (CUdeviceptr)&size));
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 1));
	assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
	OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device));
	assert_false(is_managed);
	OK(cuMemAllocHost(&host, 1000));
	OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
				 (CUdeviceptr)host + 5));
	assert_ptr_equal(start, host);
	OK(cuPointerGetAttributes(2, asked, answers, (CUdeviceptr)host));
	assert_int_equal(type, CU_MEMORYTYPE_HOST);
	assert_int_equal(ordinal, 0);
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				    (CUdeviceptr)&unknown));
	OK(cuPointerGetAttributes(2, asked, answers, (CUdeviceptr)&unknown));
	assert_int_equal(type, 0);
	OK(cuMemFreeHost(host));
	OK(cuMemFree(device));
}

/* Rows are copied, and nothing between them. */
TEST(pitched_copy_leaves_the_gaps)
{
	unsigned char tile[4][8], all[4 * 512];
	CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = tile,
			      .srcPitch = 8,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstXInBytes = 3,
			      .dstY = 1,
			      .WidthInBytes = 8,
			      .Height = 3};
	CUdeviceptr device;
	size_t pitch;
	int row;

	memset(tile, 7, sizeof(tile));
	OK(cuMemAllocPitch(&device, &pitch, 100, 4, 4));
	assert_int_equal(pitch, 512);
	OK(cuMemsetD8(device, 0, 4 * pitch));
	copy.dstDevice = device;
	copy.dstPitch = pitch;
	OK(cuMemcpy2D(&copy));
	OK(cuMemcpyDtoH(all, device, sizeof(all)));
	for (row = 0; row < 4; row++) {
		assert_int_equal(all[row * 512 + 2], 0);
		assert_int_equal(all[row * 512 + 3], row ? 7 : 0);
		assert_int_equal(all[row * 512 + 10], row ? 7 : 0);
		assert_int_equal(all[row * 512 + 11], 0);
	}
	copy.Height = 1;
	copy.dstPitch = copy.WidthInBytes - 1; /* too small even for one row */
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
	copy.dstPitch = pitch;
	copy.Height = 4; /* one row beyond the end */
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
	OK(cuMemsetD2D16(device, pitch, 0x0102, 2, 2));
	OK(cuMemcpyDtoH(all, device, sizeof(all)));
	assert_int_equal(all[512], 2);
	assert_int_equal(all[513], 1);
	assert_int_equal(all[516], 7);
	OK(cuMemFree(device));
}

TEST(3d_copy)
{
	unsigned char from[2][3][4], to[2][3][4];
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = from,
			      .srcPitch = 4,
			      .srcHeight = 3,
			      .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = to,
			      .dstPitch = 4,
			      .dstHeight = 3,
			      .srcXInBytes = 1,
			      .srcY = 1,
			      .srcZ = 1,
			      .WidthInBytes = 2,
			      .Height = 2,
			      .Depth = 1};

	memset(to, 0, sizeof(to));
	memset(from, 1, sizeof(from));
	from[1][1][1] = 42;
	from[1][2][2] = 43;
	OK(cuMemcpy3D(&copy));
	assert_int_equal(to[0][0][0], 42);
	assert_int_equal(to[0][1][1], 43);
	assert_int_equal(to[0][0][2], 0);
	assert_int_equal(to[0][2][0], 0);
}

TEST(arrays)
{
	CUDA_ARRAY_DESCRIPTOR shape = {16, 4, CU_AD_FORMAT_FLOAT, 1}, read_back;
	float values[4][16], back[16];
	CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = values,
			      .srcPitch = sizeof(values[0]),
			      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			      .WidthInBytes = sizeof(values[0]),
			      .Height = 4};
	CUarray array;
	int i;

	for (i = 0; i < 64; i++)
		values[i / 16][i % 16] = (float)i;
	OK(cuArrayCreate(&array, &shape));
	OK(cuArrayGetDescriptor(&read_back, array));
	assert_int_equal(read_back.Width, 16);
	copy.dstArray = array;
	OK(cuMemcpy2D(&copy));
	OK(cuMemcpyAtoH(back, array, sizeof(float), 15 * sizeof(float)));
	assert_true(back[0] == 1 && back[14] == 15);
	copy.dstXInBytes = 4;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
	OK(cuArrayDestroy(array));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoH(back, array, 0, 4));
}

/* P-1, P-2, P-6: the same address again in the same stream, with the accounting of the pool. */
TEST(stream_ordered_memory)
{
	CUdeviceptr first, second;
	cuuint64_t used = 1, threshold = UINT64_MAX, reserved;
	CUmemoryPool pool;
	CUstream stream;
	char host[512];

	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAllocAsync(&first, 512, stream));
	OK(cuMemsetD8Async(first, 5, 512, stream));
	OK(cuMemFreeAsync(first, stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(first, stream));
	OK(cuMemAllocAsync(&second, 512, stream));
	assert_int_equal(first, second);
	OK(cuMemsetD8Async(second, 6, 512, stream));
	OK(cuMemcpyDtoHAsync(host, second, 512, stream));
	OK(cuMemFreeAsync(second, stream));
	OK(cuStreamSynchronize(stream));
	assert_int_equal(host[511], 6);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	assert_int_equal(used, 0);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
	assert_int_equal(reserved, 512);
	OK(cuMemPoolTrimTo(pool, 0));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
	assert_int_equal(reserved, 0);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
	OK(cuStreamDestroy(stream));
}

TEST(own_pool)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
	CUmemAccessDesc own = {.location = props.location};
	CUmemoryPool pool, found;
	CUdeviceptr device;

	OK(cuMemPoolCreate(&pool, &props));
	FAILS(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &own, 1));
	own.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuMemPoolSetAccess(pool, &own, 1));
	own.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	OK(cuMemPoolSetAccess(pool, &own, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, NULL, 0));
	OK(cuMemAllocFromPoolAsync(&device, 100, pool, NULL));
	OK(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, device));
	assert_ptr_equal(found, pool);
	OK(cuMemPoolDestroy(pool)); /* lives until its last allocation goes (P-7) */
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&device, 100, pool, NULL));
	OK(cuMemsetD8Async(device, 1, 100, NULL));
	OK(cuMemFreeAsync(device, NULL));
	OK(cuCtxSynchronize());
}

/* No bytes are no error: the address is NULL, and may be freed; a pool has no memory of it. */
TEST(stream_ordered_allocation_of_no_bytes)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
	CUdeviceptr first = 1, second = 1;
	cuuint64_t used = 1;
	CUmemoryPool pool;
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemAllocAsync(&first, 0, stream));
	OK(cuMemAllocFromPoolAsync(&second, 0, pool, stream));
	assert_true(!first && !second);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	assert_int_equal(used, 0);
	OK(cuMemFreeAsync(first, stream));
	OK(cuMemFreeAsync(second, stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocAsync(NULL, 0, stream));
	OK(cuMemPoolDestroy(pool));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&second, 0, pool, stream));
	OK(cuStreamSynchronize(stream));
	OK(cuStreamDestroy(stream));
}

/* Pools of the host and managed ones: both sides see the bytes, freed memory is used again, and the
 * device is charged for what is managed only. */
TEST(pools_outside_devices)
{
	static const struct {
		CUmemAllocationType type;
		CUmemLocationType location;
		CUmemorytype memory;
	} kinds[] = {
		{CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, CU_MEMORYTYPE_HOST},
		{CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEMORYTYPE_HOST},
		{CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE, CU_MEMORYTYPE_DEVICE},
		{CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE,
		 CU_MEMORYTYPE_DEVICE}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		CUmemLocation location = {.type = kinds[i].location};
		CUmemPoolProps props = {.allocType = kinds[i].type, .location = location};
		CUmemoryPool pool, standing, again;
		CUdeviceptr memory, reused;
		CUmemorytype found;
		CUstream stream;

		OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		OK(cuMemPoolCreate(&pool, &props));
		OK(cuMemAllocFromPoolAsync(&memory, BYTES, pool, stream));
		OK(cuMemsetD8Async(memory, 9, BYTES, stream));
		OK(cuStreamSynchronize(stream));
		assert_int_equal(((unsigned char *)memory)[BYTES - 1], 9);
		OK(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
		assert_int_equal(found, kinds[i].memory);
		FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)memory));
		OK(cuMemFreeAsync(memory, stream));
		OK(cuMemAllocFromPoolAsync(&reused, BYTES, pool, stream));
		assert_int_equal(memory, reused);
		OK(cuMemFreeAsync(reused, stream));
		OK(cuMemPoolDestroy(pool));
		OK(cuStreamSynchronize(stream));
		OK(cuMemGetDefaultMemPool(&standing, &location, kinds[i].type));
		OK(cuMemGetMemPool(&again, &location, kinds[i].type));
		assert_ptr_equal(standing, again);
		FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(standing));
		OK(cuStreamDestroy(stream));
	}
}

TEST(pools_that_there_are_not)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED};
	CUmemoryPool pool;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&pool, &props));
	props.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&pool, &props));
	props.location.type = CU_MEM_LOCATION_TYPE_HOST;
	props.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&pool, &props));
}

static unsigned char *map_at(void *at)
{
	int fixed = at ? MAP_FIXED : 0;
	void *host =
		mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);

	assert_ptr_not_equal(host, MAP_FAILED);
	return host;
}

/* Some containers permit no memory policies. */
static bool may_set_policies(void)
{
	unsigned char *host = map_at(NULL);
	bool may = !syscall(SYS_mbind, host, BYTES, MPOL_LOCAL, NULL, 0, 0);

	munmap(host, BYTES);
	return may;
}

/* The device has the pages that were registered, whatever becomes of their addresses: a copy in
 * flight neither fails nor writes to what the program maps there next. */
TEST(pages_of_registered_memory_stay_the_devices)
{
	static struct gate gate;
	unsigned char *host = map_at(NULL);
	CUdeviceptr device;
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&device, BYTES));
	OK(cuMemHostRegister(host, BYTES, 0));
	OK(cuMemsetD8Async(device, 7, BYTES, stream));
	gate_close(&gate, stream);
	OK(cuMemcpyDtoHAsync(host, device, BYTES, stream));
	munmap(host + BYTES / 2, BYTES / 2); /* one half is gone, the other is another one */
	munmap(host, BYTES / 2);
	map_at(host);
	munmap(host + BYTES / 2, BYTES / 2);
	memset(host, 1, BYTES / 2);
	gate_open(&gate);
	OK(cuStreamSynchronize(stream));
	for (size_t i = 0; may_set_policies() && i < BYTES / 2; i += BYTES / 4)
		assert_int_equal(host[i], 1);
	OK(cuMemcpyHtoDAsync(device, host, BYTES, stream));
	OK(cuStreamSynchronize(stream));
	OK(cuMemHostUnregister(host));
	munmap(host, BYTES / 2);
	OK(cuMemFree(device));
	OK(cuStreamDestroy(stream));
}

/* An access that runs over the end of an allocation meets no other one, and fails. */
TEST(no_allocation_begins_at_the_end_of_another)
{
	CUdeviceptr pieces[64], base;
	size_t size;

	for (unsigned i = 0; i < 64; i++)
		OK(cuMemAlloc(&pieces[i], 512 * (i % 8 + 1)));
	for (unsigned i = 0; i < 64; i += 3)
		OK(cuMemFree(pieces[i]));
	for (unsigned i = 0; i < 64; i += 3)
		OK(cuMemAlloc(&pieces[i], 512));
	for (unsigned i = 0; i < 64; i++) {
		OK(cuMemGetAddressRange(&base, &size, pieces[i]));
		for (size_t beyond = 0; beyond < 16384; beyond += 512)
			FAILS(CUDA_ERROR_NOT_FOUND,
			      cuMemGetAddressRange(NULL, NULL, base + size + beyond));
		OK(cuMemFree(pieces[i]));
	}
}
