/* Pools and physical memory that two processes share by handles of the type FABRIC (rule P-11). */
#include <cuda.h>
#include <stdbool.h>

#define SIZE ((size_t)2 << 20)

/* ---- the other process ---- */

struct request {
	bool is_pool;
	CUmemFabricHandle handle; /* of the pool, or of the memory */
	CUmemPoolPtrExportData pointer;
};

struct answer {
	CUresult result;     /* of the import */
	unsigned char found; /* the last byte, which is 9 afterwards */
	bool may_allocate;   /* from a pool that is another's */
};

#include "tests/unit/simulator/sim_peer.h"

static void use(CUdeviceptr memory, struct answer *a)
{
	OK(cuMemcpyDtoH(&a->found, memory + SIZE - 1, 1));
	OK(cuMemsetD8(memory, 9, SIZE));
	OK(cuCtxSynchronize());
}

static struct answer use_pool(struct request *r)
{
	struct answer a = {.result = CUDA_SUCCESS};
	CUdeviceptr memory, other;
	CUmemoryPool pool;

	a.result =
		cuMemPoolImportFromShareableHandle(&pool, &r->handle, CU_MEM_HANDLE_TYPE_FABRIC, 0);
	if (a.result == CUDA_SUCCESS)
		a.result = cuMemPoolImportPointer(&memory, pool, &r->pointer);
	if (a.result != CUDA_SUCCESS)
		return a;
	a.may_allocate = cuMemAllocFromPoolAsync(&other, SIZE, pool, NULL) == CUDA_SUCCESS;
	use(memory, &a);
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
	CUdeviceptr memory;

	a.result = cuMemImportFromShareableHandle(&handle, &r->handle, CU_MEM_HANDLE_TYPE_FABRIC);
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

static struct request request_of(CUmemoryPool pool, CUdeviceptr memory)
{
	struct request r = {.is_pool = true};

	OK(cuMemPoolExportToShareableHandle(&r.handle, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	OK(cuMemPoolExportPointer(&r.pointer, memory));
	return r;
}

EACH_TEST(sim_setup, sim_teardown)
ALL_TESTS(begin, end)

TEST(memory_of_a_pool_is_seen_by_both)
{
	CUmemoryPool pool = new_pool(CU_MEM_HANDLE_TYPE_FABRIC), own;
	unsigned char byte = 0;
	CUdeviceptr memory;
	struct request r;
	struct answer a;

	OK(cuMemAllocFromPoolAsync(&memory, SIZE, pool, NULL));
	OK(cuMemsetD8(memory, 5, SIZE));
	OK(cuCtxSynchronize());
	r = request_of(pool, memory);
	a = ask(r);
	assert_int_equal(a.result, CUDA_SUCCESS);
	assert_int_equal(a.found, 5);
	assert_false(a.may_allocate);
	OK(cuMemcpyDtoH(&byte, memory + SIZE - 1, 1));
	assert_int_equal(byte, 9);
	FAILS(CUDA_ERROR_INVALID_CONTEXT,
	      cuMemPoolImportFromShareableHandle(&own, &r.handle, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	r.pointer.reserved[20] ^= 1;
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	r.handle.data[20] ^= 1;
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	OK(cuMemFreeAsync(memory, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemPoolDestroy(pool));
}

TEST(a_pool_without_handles_has_none)
{
	CUmemoryPool pool = new_pool(CU_MEM_HANDLE_TYPE_NONE);
	CUmemPoolPtrExportData pointer;
	CUmemFabricHandle handle;
	CUdeviceptr memory;

	OK(cuMemAllocFromPoolAsync(&memory, SIZE, pool, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemPoolExportToShareableHandle(&handle, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0));
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
	CUmemGenericAllocationHandle handle = new_physical(CU_MEM_HANDLE_TYPE_FABRIC);
	CUdeviceptr memory = mapped(handle);
	struct request r = {.is_pool = false};
	unsigned char byte = 0;
	struct answer a;

	OK(cuMemsetD8(memory, 5, SIZE));
	OK(cuCtxSynchronize());
	OK(cuMemExportToShareableHandle(&r.handle, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	a = ask(r);
	assert_int_equal(a.result, CUDA_SUCCESS);
	assert_int_equal(a.found, 5);
	OK(cuMemcpyDtoH(&byte, memory + SIZE - 1, 1));
	assert_int_equal(byte, 9);
	r.handle.data[20] ^= 1;
	assert_int_equal(ask(r).result, CUDA_ERROR_INVALID_VALUE);
	unmap(memory, handle);
}

TEST(physical_memory_without_handles_has_none)
{
	CUmemGenericAllocationHandle handle = new_physical(CU_MEM_HANDLE_TYPE_NONE);
	CUmemFabricHandle fabric;

	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemExportToShareableHandle(&fabric, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	OK(cuMemRelease(handle));
}
