/* Pools whose memory other processes use too (rule P-11), by handles of either type. */
#include <sys/stat.h>
#include <unistd.h>

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/ipc/ipc.h"
#include "simulator/driver/memory/pool.h"

#define FILE_BYTES 1 /* of a pool's file, which has nothing in it */

static enum sim_share_kind kind_of(const struct CUmemPoolHandle_st *pool)
{
	return pool->place == SIM_PLACE_DEVICE ? SIM_SHARE_POOL : SIM_SHARE_HOST_POOL;
}

/* Which file stands for the pool, made on first use; 0: there is none. */
static uint64_t file_of(CUmemoryPool pool)
{
	struct stat about;

	if (pool->file < 0)
		pool->file = sim_share_new(kind_of(pool), pool->device->number, FILE_BYTES);
	return pool->file < 0 || fstat(pool->file, &about) ? 0 : about.st_ino;
}

CUresult sim_cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
					      CUmemAllocationHandleType handleType,
					      unsigned long long flags)
{
	if (!handle_out || !sim_handle_is(pool, SIM_KIND_POOL) || flags ||
	    !(pool->handle_types & handleType))
		return CUDA_ERROR_INVALID_VALUE;
	if (!file_of(pool))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return sim_share_export(kind_of(pool), handleType,
				(struct sim_share){.fd = pool->file,
						   .device = pool->device->number,
						   .size_bytes = FILE_BYTES},
				handle_out);
}

CUresult sim_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
						CUmemAllocationHandleType handleType,
						unsigned long long flags)
{
	enum sim_place place = SIM_PLACE_DEVICE;
	struct sim_device *device;
	struct sim_share found;
	CUresult result;

	if (!pool_out || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (handleType & ~SIM_SHARE_TYPES)
		return sim_call_unsupported("handles of this type");
	result = sim_share_import(SIM_SHARE_POOL, handleType, handle, &found);
	if (result == CUDA_ERROR_INVALID_VALUE) {
		place = SIM_PLACE_PINNED;
		result = sim_share_import(SIM_SHARE_HOST_POOL, handleType, handle, &found);
	}
	if (result != CUDA_SUCCESS)
		return result;
	close(found.fd);
	device = sim_device_of_number(found.device);
	*pool_out = device ? sim_pool_new(device, place) : NULL;
	if (!*pool_out)
		return device ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
	(*pool_out)->is_imported = true;
	(*pool_out)->origin = found.file;
	return CUDA_SUCCESS;
}

static struct sim_alloc *exportable(CUdeviceptr address)
{
	struct sim_alloc *alloc = sim_memory_find(address);

	if (!alloc || alloc->base != address || !alloc->pool || !alloc->pool->handle_types)
		return NULL;
	return alloc;
}

CUresult sim_cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
	CUresult result = sim_ipc_share(ptr, exportable);
	const struct sim_alloc *alloc = exportable(ptr);

	if (result != CUDA_SUCCESS)
		return result;
	if (!shareData_out || !alloc)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_share_describe(SIM_SHARE_POINTER,
				  (struct sim_share){.fd = alloc->backing->file,
						     .device = alloc->pool->device->number,
						     .size_bytes = alloc->size_bytes,
						     .pool = file_of(alloc->pool)},
				  shareData_out);
}

/* The importer frees it by cuMemFree or cuMemFreeAsync, each time that it was imported. */
CUresult sim_cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
				    CUmemPoolPtrExportData *shareData)
{
	struct sim_alloc *alloc;
	struct sim_share found;
	CUresult result;

	if (!ptr_out || !shareData || !sim_handle_is(pool, SIM_KIND_POOL) || !pool->is_imported)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_share_find(SIM_SHARE_POINTER, shareData, &found);
	if (result != CUDA_SUCCESS)
		return result;
	if (found.pool != pool->origin) { /* of another pool */
		close(found.fd);
		return CUDA_ERROR_INVALID_VALUE;
	}
	alloc = sim_ipc_import(&found, pool->device, pool->place);
	if (!alloc)
		return CUDA_ERROR_OUT_OF_MEMORY;
	alloc->pool = pool; /* whose rights it has */
	pool->live_count++;
	*ptr_out = alloc->base;
	return CUDA_SUCCESS;
}
