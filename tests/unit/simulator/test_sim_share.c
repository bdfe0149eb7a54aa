/* Pools and physical memory that two processes share, by handles of either type (rule P-11). */
#include <cuda.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE	   ((size_t)2 << 20)
#define FABRIC	   CU_MEM_HANDLE_TYPE_FABRIC
#define DESCRIPTOR CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

/* ---- the other process ---- */

struct request {
	bool is_pool;
	CUmemAllocationHandleType type;
	int process, descriptor;  /* of that type: whose number it is */
	CUmemFabricHandle handle; /* of the pool, or of the memory */
	CUmemPoolPtrExportData pointer;
};

struct answer {
	CUresult result;     /* of the import */
	unsigned char found; /* the last byte, which is 9 afterwards */
	bool sees_host;	     /* the host finds it there, too */
	CUresult elsewhere;  /* of a copy by the other device, which has no right to it */
	bool may_allocate;   /* from a pool that is another's */
};

#include "tests/unit/simulator/sim_peer.h"

/* What the import takes: the bytes, or a descriptor of this process. */
static void *received(struct request *r)
{
	char path[64];

	if (r->type == FABRIC)
		return &r->handle;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", r->process, r->descriptor);
	return (void *)(intptr_t)open(path, O_RDWR);
}

static void end_receipt(struct request *r, void *handle)
{
	if (r->type != FABRIC)
		close((int)(intptr_t)handle); /* the driver needs it no longer */
}

static void use(CUdeviceptr memory, struct answer *a)
{
	OK(cuMemcpyDtoH(&a->found, memory + SIZE - 1, 1));
	OK(cuMemsetD8(memory, 9, SIZE));
	OK(cuCtxSynchronize());
}

static bool is_of_host(CUdeviceptr memory)
{
	CUmemorytype type;

	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
	return type == CU_MEMORYTYPE_HOST;
}

static CUresult copy_elsewhere(CUdeviceptr memory)
{
	CUcontext other;
	CUresult result;
	char byte;

	OK(cuDevicePrimaryCtxRetain(&other, 1));
	OK(cuCtxPushCurrent(other));
	result = cuMemcpyDtoH(&byte, memory, 1);
	OK(cuCtxPopCurrent(&other));
	OK(cuDevicePrimaryCtxRelease(1));
	return result;
}

static struct answer use_pool(struct request *r)
{
	struct answer a = {.result = CUDA_SUCCESS};
	CUdeviceptr memory, other;
	CUmemoryPool pool;
	void *handle = received(r);

	a.result = cuMemPoolImportFromShareableHandle(&pool, handle, r->type, 0);
	end_receipt(r, handle);
	if (a.result == CUDA_SUCCESS)
		a.result = cuMemPoolImportPointer(&memory, pool, &r->pointer);
	if (a.result != CUDA_SUCCESS)
		return a;
	a.may_allocate = cuMemAllocFromPoolAsync(&other, SIZE, pool, NULL) == CUDA_SUCCESS;
	use(memory, &a);
	a.elsewhere = copy_elsewhere(memory);
	a.sees_host = is_of_host(memory) && ((unsigned char *)memory)[SIZE - 1] == 9;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)memory));
	OK(cuMemFreeAsync(memory, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory));
	OK(cuMemPoolDestroy(pool));
	return a;
}

/* Maps memory, and lets device 0 use it. */
static CUdeviceptr mapped(CUmemGenericAllocationHandle handle)
{
	CUmemAccessDesc access = {.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
				  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUdeviceptr address;

	OK(cuMemAddressReserve(&address, SIZE, 0, 0, 0));
	OK(cuMemMap(address, SIZE, 0, handle, 0));
	OK(cuMemSetAccess(address, SIZE, &access, 1));
	return address;
}

static void unmap(CUdeviceptr address, CUmemGenericAllocationHandle handle)
{
	OK(cuMemUnmap(address, SIZE));
	OK(cuMemAddressFree(address, SIZE));
	OK(cuMemRelease(handle));
}

static struct answer use_physical(struct request *r)
{
	struct answer a = {.result = CUDA_SUCCESS};
	CUmemGenericAllocationHandle handle;
	void *given = received(r);
	CUdeviceptr memory;

	a.result = cuMemImportFromShareableHandle(&handle, given, r->type);
	end_receipt(r, given);
	if (a.result != CUDA_SUCCESS)
		return a;
	memory = mapped(handle);
	use(memory, &a);
	unmap(memory, handle);
	return a;
}

static struct answer answer_to(struct request *r)
{
	return r->is_pool ? use_pool(r) : use_physical(r);
}

/* ---- pools ---- */

static CUmemoryPool new_pool(CUmemAllocationHandleType type)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.handleTypes = type,
				.location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	CUmemoryPool pool;

	OK(cuMemPoolCreate(&pool, &props));
	return pool;
}

static struct request request_of(CUmemoryPool pool, CUdeviceptr memory,
				 CUmemAllocationHandleType type)
{
	struct request r = {.is_pool = true, .type = type, .process = getpid()};

	OK(cuMemPoolExportToShareableHandle(type == FABRIC ? (void *)&r.handle : &r.descriptor,
					    pool, type, 0));
	OK(cuMemPoolExportPointer(&r.pointer, memory));
	return r;
}

EACH_TEST(sim_setup, sim_teardown)
ALL_TESTS(begin, end)

TEST(memory_of_a_pool_is_seen_by_both)
{
	CUmemoryPool pool = new_pool(FABRIC | DESCRIPTOR), other, own;
	unsigned char byte = 0;
	CUdeviceptr memory;
	struct request r;
	struct answer a;

	OK(cuMemAllocFromPoolAsync(&memory, SIZE, pool, NULL));
	OK(cuMemsetD8(memory, 5, SIZE));
	OK(cuCtxSynchronize());
	r = request_of(pool, memory, DESCRIPTOR);
	assert_int_equal(ask(r).result, CUDA_SUCCESS);
	OK(cuMemsetD8(memory, 5, SIZE));
	OK(cuCtxSynchronize());
	close(r.descriptor);
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	r = request_of(pool, memory, FABRIC);
	a = ask(r);
	assert_int_equal(a.result, CUDA_SUCCESS);
	assert_int_equal(a.found, 5);
	assert_false(a.may_allocate);
	assert_int_equal(a.elsewhere, CUDA_ERROR_INVALID_VALUE);
	OK(cuMemcpyDtoH(&byte, memory + SIZE - 1, 1));
	assert_int_equal(byte, 9);
	FAILS(CUDA_ERROR_INVALID_CONTEXT,
	      cuMemPoolImportFromShareableHandle(&own, &r.handle, FABRIC, 0));
	other = new_pool(FABRIC);
	OK(cuMemPoolExportToShareableHandle(&r.handle, other, FABRIC, 0));
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE); /* the pointer is of the first */
	OK(cuMemPoolDestroy(other));
	OK(cuMemPoolExportToShareableHandle(&r.handle, pool, FABRIC, 0));
	r.pointer.reserved[20] ^= 1;
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	r.handle.data[20] ^= 1;
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	OK(cuMemFreeAsync(memory, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemPoolDestroy(pool));
}

/* The host's memory of a node, which both processes read and write without a call. */
TEST(host_memory_of_a_pool)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.handleTypes = DESCRIPTOR,
				.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA};
	unsigned char *bytes;
	CUdeviceptr memory;
	CUmemoryPool pool;
	struct request r;
	struct answer a;

	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemAllocFromPoolAsync(&memory, SIZE, pool, NULL));
	OK(cuCtxSynchronize());
	bytes = (unsigned char *)memory;
	bytes[SIZE - 1] = 5;
	r = request_of(pool, memory, DESCRIPTOR);
	a = ask(r);
	assert_int_equal(a.result, CUDA_SUCCESS);
	assert_int_equal(a.found, 5);
	assert_true(a.sees_host);
	assert_int_equal(bytes[SIZE - 1], 9);
	close(r.descriptor);
	OK(cuMemFreeAsync(memory, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemPoolDestroy(pool));
	props.location.type = CU_MEM_LOCATION_TYPE_HOST;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&pool, &props));
}

TEST(a_pool_without_handles_has_none)
{
	CUmemoryPool pool = new_pool(CU_MEM_HANDLE_TYPE_NONE);
	CUmemPoolPtrExportData pointer;
	CUmemFabricHandle handle;
	CUdeviceptr memory;

	OK(cuMemAllocFromPoolAsync(&memory, SIZE, pool, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&handle, pool, FABRIC, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&pointer, memory));
	OK(cuMemFreeAsync(memory, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemPoolDestroy(pool));
}

/* ---- physical memory ---- */

static CUmemGenericAllocationHandle new_physical(CUmemAllocationHandleType type)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				    .requestedHandleTypes = type,
				    .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	CUmemGenericAllocationHandle handle;

	OK(cuMemCreate(&handle, SIZE, &prop, 0));
	return handle;
}

TEST(physical_memory_is_seen_by_both)
{
	CUmemGenericAllocationHandle handle = new_physical(FABRIC | DESCRIPTOR);
	CUdeviceptr memory = mapped(handle);
	struct request r = {.type = FABRIC, .process = getpid()};
	unsigned char byte = 0;
	struct answer a;

	OK(cuMemsetD8(memory, 5, SIZE));
	OK(cuCtxSynchronize());
	OK(cuMemExportToShareableHandle(&r.handle, handle, FABRIC, 0));
	a = ask(r);
	assert_int_equal(a.result, CUDA_SUCCESS);
	assert_int_equal(a.found, 5);
	OK(cuMemcpyDtoH(&byte, memory + SIZE - 1, 1));
	assert_int_equal(byte, 9);
	r.handle.data[20] ^= 1;
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	OK(cuMemExportToShareableHandle(&r.descriptor, handle, DESCRIPTOR, 0));
	r.type = DESCRIPTOR;
	a = ask(r);
	assert_int_equal(a.result, CUDA_SUCCESS);
	assert_int_equal(a.found, 9);
	close(r.descriptor);
	unmap(memory, handle);
}

/* A descriptor may be of anything. */
TEST(other_files_are_no_memory)
{
	CUmemGenericAllocationHandle handle;
	CUmemoryPool pool = new_pool(DESCRIPTOR), other;
	int file = memfd_create("cuda-physical.0", MFD_CLOEXEC), pool_file, ends[2];

	OK(cuMemPoolExportToShareableHandle(&pool_file, pool, DESCRIPTOR, 0));
	assert_int_equal(ftruncate(file, SIZE), 0);
	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < 4; i++) {
		const int all[] = {file, pool_file, ends[0], -1};

		FAILS(CUDA_ERROR_INVALID_VALUE,
		      cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)all[i],
						     DESCRIPTOR));
		if (all[i] != pool_file)
			FAILS(CUDA_ERROR_INVALID_VALUE,
			      cuMemPoolImportFromShareableHandle(&other, (void *)(intptr_t)all[i],
								 DESCRIPTOR, 0));
	}
	close(file);
	close(pool_file);
	close(ends[0]);
	close(ends[1]);
	OK(cuMemPoolDestroy(pool));
}

TEST(physical_memory_without_handles_has_none)
{
	CUmemGenericAllocationHandle handle = new_physical(CU_MEM_HANDLE_TYPE_NONE);
	CUmemFabricHandle fabric;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&fabric, handle, FABRIC, 0));
	OK(cuMemRelease(handle));
}
