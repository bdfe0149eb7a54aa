/* Turns copies and fills of rectangles into the driver's calls. */
#include "simulator/runtime/copy2d.h"

#include "simulator/runtime/array.h"
#include "simulator/runtime/copy3d.h"

CUresult rt_copy_types(enum cudaMemcpyKind kind, CUmemorytype *to, CUmemorytype *from)
{
	static const struct {
		CUmemorytype to, from;
	} types[] = {
		[cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
		[cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
		[cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
		[cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
		[cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
	};

	if ((unsigned int)kind > cudaMemcpyDefault)
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	*to = types[kind].to;
	*from = types[kind].from;
	return CUDA_SUCCESS;
}

/* One side of a rectangle copy between pitched memories. */
static void set_pitched(CUDA_MEMCPY2D *copy, const struct rt_plane *to, CUmemorytype to_type,
			const struct rt_plane *from, CUmemorytype from_type)
{
	copy->srcMemoryType = from_type;
	copy->srcHost = from_type == CU_MEMORYTYPE_HOST ? from->memory : NULL;
	copy->srcDevice = from_type == CU_MEMORYTYPE_HOST ? 0 : rt_address(from->memory);
	copy->srcPitch = from->pitch;
	copy->dstMemoryType = to_type;
	copy->dstHost = to_type == CU_MEMORYTYPE_HOST ? (void *)to->memory : NULL;
	copy->dstDevice = to_type == CU_MEMORYTYPE_HOST ? 0 : rt_address(to->memory);
	copy->dstPitch = to->pitch;
}

static CUresult copy_pitched(const struct rt_calls *cu, const struct rt_plane *to,
			     const struct rt_plane *from, size_t width, size_t height,
			     enum cudaMemcpyKind kind, struct rt_when when)
{
	CUDA_MEMCPY2D copy = {.WidthInBytes = width, .Height = height};
	CUmemorytype to_type, from_type;
	CUresult err = rt_copy_types(kind, &to_type, &from_type);

	if (err)
		return err;
	set_pitched(&copy, to, to_type, from, from_type);
	if (when.is_async)
		return cu->cuMemcpy2DAsync(&copy, when.stream);
	return cu->cuMemcpy2DUnaligned(&copy);
}

/* A position in an array is counted in elements, a position in memory is not used. */
static CUresult measure(const struct rt_calls *cu, const struct rt_plane *plane, size_t *unit)
{
	return plane->is_array ? rt_array_element_bytes(cu, (cudaArray_t)plane->array, unit)
			       : CUDA_SUCCESS;
}

/* Where an array takes part, the rectangle is a box of one layer. */
static CUresult copy_box(const struct rt_calls *cu, const struct rt_plane *to,
			 const struct rt_plane *from, size_t width, size_t height,
			 enum cudaMemcpyKind kind, struct rt_when when)
{
	struct cudaMemcpy3DParms box = {.kind = kind};
	size_t unit = 1;
	CUresult err = measure(cu, from, &unit);

	if (!err)
		err = measure(cu, to, &unit);
	if (err)
		return err;
	if (width % unit || to->x_bytes % unit || from->x_bytes % unit)
		return CUDA_ERROR_INVALID_VALUE;
	box.extent = (struct cudaExtent){width / unit, height, 1};
	box.dstArray = (cudaArray_t)to->array;
	box.dstPos = (struct cudaPos){to->x_bytes / unit, to->y, 0};
	box.dstPtr = (struct cudaPitchedPtr){(void *)to->memory, to->pitch, width, height};
	box.srcArray = (cudaArray_t)from->array;
	box.srcPos = (struct cudaPos){from->x_bytes / unit, from->y, 0};
	box.srcPtr = (struct cudaPitchedPtr){(void *)from->memory, from->pitch, width, height};
	return rt_copy_3d(cu, &box, when);
}

static bool is_too_wide(const struct rt_plane *plane, size_t width)
{
	return !plane->is_array && width > plane->pitch;
}

static bool is_null_array(const struct rt_plane *plane)
{
	return plane->is_array && !plane->array;
}

CUresult rt_copy_2d(const struct rt_calls *cu, struct rt_plane to, struct rt_plane from,
		    size_t width, size_t height, enum cudaMemcpyKind kind, struct rt_when when)
{
	if (is_null_array(&to) || is_null_array(&from))
		return CUDA_ERROR_INVALID_VALUE;
	if (!width || !height)
		return CUDA_SUCCESS;
	if (height > 1 && (is_too_wide(&to, width) || is_too_wide(&from, width)))
		return rt_fail(cudaErrorInvalidPitchValue);
	if (to.is_array || from.is_array)
		return copy_box(cu, &to, &from, width, height, kind, when);
	return copy_pitched(cu, &to, &from, width, height, kind, when);
}

/* One rectangle of a run of bytes in an array that is width bytes wide. */
struct piece {
	size_t offset, width, height;
};

/*
 * Cuts the next rectangle off a run that begins at byte x of a row: the rest of a row begun, then
 * all whole rows, then the beginning of the last.
 */
static struct piece cut(size_t x, size_t row_bytes, size_t offset, size_t left)
{
	if (x || left < row_bytes)
		return (struct piece){offset, left < row_bytes - x ? left : row_bytes - x, 1};
	return (struct piece){offset, row_bytes, left / row_bytes};
}

static void advance(struct rt_plane *array, const struct piece *piece, size_t row_bytes)
{
	array->x_bytes += piece->width;
	if (array->x_bytes < row_bytes)
		return;
	array->x_bytes = 0;
	array->y += piece->height;
}

static CUresult copy_run(const struct rt_calls *cu, struct rt_plane array, const char *memory,
			 size_t count, enum cudaMemcpyKind kind, struct rt_when when, bool is_to)
{
	size_t row_bytes = 0;
	CUresult err = rt_array_row_bytes(cu, (cudaArray_t)array.array, &row_bytes);

	if (!err && array.x_bytes >= row_bytes)
		err = CUDA_ERROR_INVALID_VALUE;
	for (size_t done = 0; !err && done < count;) {
		struct piece piece = cut(array.x_bytes, row_bytes, done, count - done);
		struct rt_plane linear = RT_PITCHED(memory + done, piece.width);

		err = rt_copy_2d(cu, is_to ? array : linear, is_to ? linear : array, piece.width,
				 piece.height, kind, when);
		advance(&array, &piece, row_bytes);
		done += piece.width * piece.height;
	}
	return err;
}

CUresult rt_copy_to_array(const struct rt_calls *cu, struct rt_plane to, const void *from,
			  size_t count, enum cudaMemcpyKind kind, struct rt_when when)
{
	return copy_run(cu, to, from, count, kind, when, true);
}

CUresult rt_copy_from_array(const struct rt_calls *cu, void *to, struct rt_plane from, size_t count,
			    enum cudaMemcpyKind kind, struct rt_when when)
{
	return copy_run(cu, from, to, count, kind, when, false);
}

/* The two arrays may break rows at different places, so the bytes go through linear memory, as they
 * do in NVIDIA's runtime (seen on an H200). */
CUresult rt_copy_array_to_array(const struct rt_calls *cu, struct rt_plane to, struct rt_plane from,
				size_t count, enum cudaMemcpyKind kind)
{
	CUdeviceptr run = 0;
	CUresult err;

	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	if (!count)
		return CUDA_SUCCESS;
	err = cu->cuMemAlloc(&run, count);
	if (err)
		return err;
	err = rt_copy_from_array(cu, (void *)run, from, count, kind, RT_SYNC);
	if (!err)
		err = rt_copy_to_array(cu, to, (void *)run, count, kind, RT_SYNC);
	(void)cu->cuMemFree(run);
	return err;
}

CUresult rt_fill_2d(const struct rt_calls *cu, struct rt_plane memory, int value, size_t width,
		    size_t height, struct rt_when when)
{
	CUdeviceptr to = rt_address(memory.memory);
	unsigned char byte = (unsigned char)value;

	if (!width || !height)
		return CUDA_SUCCESS;
	if (when.is_async)
		return cu->cuMemsetD2D8Async(to, memory.pitch, byte, width, height, when.stream);
	return cu->cuMemsetD2D8(to, memory.pitch, byte, width, height);
}

/* Slices that lie without gaps are one tall rectangle; otherwise each slice is filled alone. */
CUresult rt_fill_3d(const struct rt_calls *cu, struct cudaPitchedPtr memory, int value,
		    struct cudaExtent extent, struct rt_when when)
{
	size_t slice_bytes = memory.pitch * memory.ysize;
	struct rt_plane plane = RT_PITCHED(memory.ptr, memory.pitch);
	CUresult err = CUDA_SUCCESS;

	if (extent.height == memory.ysize || extent.depth == 1)
		return rt_fill_2d(cu, plane, value, extent.width, extent.height * extent.depth,
				  when);
	for (size_t z = 0; z < extent.depth && !err; z++) {
		err = rt_fill_2d(cu, plane, value, extent.width, extent.height, when);
		plane.memory = (const char *)plane.memory + slice_bytes;
	}
	return err;
}
