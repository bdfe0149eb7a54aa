/* Turns copies of boxes into the driver's calls, and the driver's form back. */
#include "simulator/runtime/copy3d.h"

#include "simulator/runtime/array.h"
#include "simulator/runtime/context.h"
#include "simulator/runtime/copy2d.h"

/* One side of a box copy, whichever public structure it comes from. */
struct side {
	cudaArray_t array; /* NULL for memory */
	struct cudaPos position;
	struct cudaPitchedPtr memory;
	CUmemorytype type;    /* of the memory */
	size_t element_bytes; /* of the array, 1 for memory */
};

static CUresult measure(const struct rt_calls *cu, struct side *side)
{
	side->element_bytes = 1;
	if (side->array && side->memory.ptr)
		return CUDA_ERROR_INVALID_VALUE;
	return side->array ? rt_array_element_bytes(cu, side->array, &side->element_bytes)
			   : CUDA_SUCCESS;
}

static void set_source(CUDA_MEMCPY3D_PEER *driver, const struct side *from)
{
	driver->srcXInBytes = from->position.x * from->element_bytes;
	driver->srcY = from->position.y;
	driver->srcZ = from->position.z;
	driver->srcMemoryType = from->array ? CU_MEMORYTYPE_ARRAY : from->type;
	if (from->array)
		driver->srcArray = (CUarray)(void *)from->array;
	else if (from->type == CU_MEMORYTYPE_HOST)
		driver->srcHost = from->memory.ptr;
	else
		driver->srcDevice = rt_address(from->memory.ptr);
	driver->srcPitch = from->array ? 0 : from->memory.pitch;
	driver->srcHeight = from->array ? 0 : from->memory.ysize;
}

static void set_target(CUDA_MEMCPY3D_PEER *driver, const struct side *to)
{
	driver->dstXInBytes = to->position.x * to->element_bytes;
	driver->dstY = to->position.y;
	driver->dstZ = to->position.z;
	driver->dstMemoryType = to->array ? CU_MEMORYTYPE_ARRAY : to->type;
	if (to->array)
		driver->dstArray = (CUarray)(void *)to->array;
	else if (to->type == CU_MEMORYTYPE_HOST)
		driver->dstHost = to->memory.ptr;
	else
		driver->dstDevice = rt_address(to->memory.ptr);
	driver->dstPitch = to->array ? 0 : to->memory.pitch;
	driver->dstHeight = to->array ? 0 : to->memory.ysize;
}

static CUresult encode(const struct rt_calls *cu, struct side *to, struct side *from,
		       struct cudaExtent extent, CUDA_MEMCPY3D_PEER *driver)
{
	size_t unit;
	CUresult err = measure(cu, to);

	if (!err)
		err = measure(cu, from);
	if (err)
		return err;
	if (to->array && from->array && to->element_bytes != from->element_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	unit = to->array ? to->element_bytes : from->element_bytes;
	if (__builtin_mul_overflow(extent.width, unit, &driver->WidthInBytes))
		return CUDA_ERROR_INVALID_VALUE;
	driver->Height = extent.height;
	driver->Depth = extent.depth;
	set_source(driver, from);
	set_target(driver, to);
	return CUDA_SUCCESS;
}

/* The two structures differ only in where the contexts stand: reserved words in the plain one. */
_Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER),
	       "a peer copy without contexts is a plain copy");

CUresult rt_copy_3d_encode(const struct rt_calls *cu, const struct cudaMemcpy3DParms *copy,
			   CUDA_MEMCPY3D *driver)
{
	struct side to, from;
	CUDA_MEMCPY3D_PEER peer = {0};
	CUresult err;

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	to = (struct side){.array = copy->dstArray, copy->dstPos, copy->dstPtr};
	from = (struct side){.array = copy->srcArray, copy->srcPos, copy->srcPtr};
	err = rt_copy_types(copy->kind, &to.type, &from.type);
	if (!err)
		err = encode(cu, &to, &from, copy->extent, &peer);
	if (!err)
		__builtin_memcpy(driver, &peer, sizeof(*driver));
	return err;
}

CUresult rt_copy_3d(const struct rt_calls *cu, const struct cudaMemcpy3DParms *copy,
		    struct rt_when when)
{
	CUDA_MEMCPY3D driver = {0};
	CUresult err = rt_copy_3d_encode(cu, copy, &driver);

	if (err)
		return err;
	if (when.is_async)
		return cu->cuMemcpy3DAsync(&driver, when.stream);
	return cu->cuMemcpy3D(&driver);
}

CUresult rt_copy_3d_peer(const struct rt_calls *cu, const struct cudaMemcpy3DPeerParms *copy,
			 struct rt_when when)
{
	struct side to, from;
	CUDA_MEMCPY3D_PEER driver = {0};
	CUresult err;

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	to = (struct side){.array = copy->dstArray, copy->dstPos, copy->dstPtr};
	from = (struct side){.array = copy->srcArray, copy->srcPos, copy->srcPtr};
	to.type = from.type = CU_MEMORYTYPE_DEVICE;
	err = encode(cu, &to, &from, copy->extent, &driver);
	if (!err)
		err = rt_context_primary(copy->dstDevice, &driver.dstContext);
	if (!err)
		err = rt_context_primary(copy->srcDevice, &driver.srcContext);
	if (err)
		return err;
	if (when.is_async)
		return cu->cuMemcpy3DPeerAsync(&driver, when.stream);
	return cu->cuMemcpy3DPeer(&driver);
}

static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
	bool to_host = to == CU_MEMORYTYPE_HOST, from_host = from == CU_MEMORYTYPE_HOST;

	if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
		return cudaMemcpyDefault;
	if (to_host)
		return from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
	return from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

static struct cudaPitchedPtr pitched(const void *host, CUdeviceptr device, CUmemorytype type,
				     size_t pitch, size_t height)
{
	struct cudaPitchedPtr memory = {.pitch = pitch, .xsize = pitch, .ysize = height};

	if (type != CU_MEMORYTYPE_ARRAY)
		memory.ptr = type == CU_MEMORYTYPE_HOST ? (void *)host : (void *)device;
	return memory;
}

CUresult rt_copy_3d_decode(const struct rt_calls *cu, const CUDA_MEMCPY3D *driver,
			   struct cudaMemcpy3DParms *copy)
{
	size_t to_unit = 1, from_unit = 1;
	CUresult err = CUDA_SUCCESS;

	*copy = (struct cudaMemcpy3DParms){
		.srcArray = (cudaArray_t)(void *)driver->srcArray,
		.dstArray = (cudaArray_t)(void *)driver->dstArray,
		.kind = kind_of(driver->dstMemoryType, driver->srcMemoryType),
	};
	copy->srcPtr = pitched(driver->srcHost, driver->srcDevice, driver->srcMemoryType,
			       driver->srcPitch, driver->srcHeight);
	copy->dstPtr = pitched(driver->dstHost, driver->dstDevice, driver->dstMemoryType,
			       driver->dstPitch, driver->dstHeight);
	if (copy->srcArray)
		err = rt_array_element_bytes(cu, copy->srcArray, &from_unit);
	if (!err && copy->dstArray)
		err = rt_array_element_bytes(cu, copy->dstArray, &to_unit);
	if (err)
		return err;
	copy->srcPos =
		(struct cudaPos){driver->srcXInBytes / from_unit, driver->srcY, driver->srcZ};
	copy->dstPos = (struct cudaPos){driver->dstXInBytes / to_unit, driver->dstY, driver->dstZ};
	copy->extent =
		(struct cudaExtent){driver->WidthInBytes / (copy->dstArray ? to_unit : from_unit),
				    driver->Height, driver->Depth};
	return CUDA_SUCCESS;
}
