/* The memset functions. */
#include "simulator/driver/copy/fill.h"

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/stream/stream.h"

static bool extent_of(const struct sim_fill_spec *spec, size_t *size)
{
	size_t rows, row;

	return !__builtin_mul_overflow(spec->width, spec->element_bytes, &row) &&
	       !__builtin_mul_overflow(spec->height - 1, spec->pitch_bytes, &rows) &&
	       !__builtin_add_overflow(rows, row, size) &&
	       (spec->height == 1 || spec->pitch_bytes >= row);
}

CUresult sim_fill_resolve(const struct sim_fill_spec *spec, struct sim_fill *fill)
{
	struct sim_alloc *alloc;
	size_t size;

	*fill = (struct sim_fill){.value = spec->value,
				  .element_bytes = spec->element_bytes,
				  .width = spec->width,
				  .height = spec->height};
	if (!spec->width || !spec->height) {
		fill->height = 0;
		return CUDA_SUCCESS;
	}
	alloc = sim_memory_find(spec->dst);
	if (!alloc || !extent_of(spec, &size) || spec->dst % spec->element_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_memory_covers(alloc, spec->dst, size, true))
		return CUDA_ERROR_INVALID_VALUE;
	sim_memory_get(alloc);
	fill->dst = (struct sim_operand){.alloc = alloc,
					 .place = alloc->place,
					 .address = spec->dst,
					 .bytes = sim_memory_bytes(alloc, spec->dst),
					 .pitch_bytes = spec->pitch_bytes};
	return CUDA_SUCCESS;
}

/* The host waits only for a synchronous fill of pinned host memory, or with SYNC_MEMOPS. */
static bool waits_when_sync(const struct sim_fill *fill, CUcontext context)
{
	if (fill->dst.place == SIM_PLACE_PINNED || fill->dst.place == SIM_PLACE_REGISTERED)
		return true;
	return (context->flags & CU_CTX_SYNC_MEMOPS) ||
	       (fill->dst.alloc && fill->dst.alloc->sync_memops);
}

static CUresult fill_sync(const struct sim_fill_spec *spec)
{
	struct sim_work work = {.kind = SIM_WORK_FILL};
	CUstream stream;
	bool waits;
	CUresult result = sim_stream_get(NULL, &stream);

	if (result == CUDA_SUCCESS)
		result = sim_capture_check_wait(stream);
	if (result == CUDA_SUCCESS)
		result = sim_fill_resolve(spec, &work.fill);
	if (result != CUDA_SUCCESS)
		return result;
	waits = waits_when_sync(&work.fill, stream->context);
	result = sim_stream_submit(stream, &work);
	if (result != CUDA_SUCCESS || !waits)
		return result;
	sim_schedule_wait(stream->tail);
	return stream->context->error;
}

static CUresult fill_async(const struct sim_fill_spec *spec, CUstream handle)
{
	struct sim_work work = {.kind = SIM_WORK_FILL};
	CUstream stream;
	CUresult result = sim_stream_get_for_work(handle, &stream);

	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return sim_graph_capture_fill(stream, spec);
	result = sim_fill_resolve(spec, &work.fill);
	return result == CUDA_SUCCESS ? sim_stream_submit(stream, &work) : result;
}

/* The four functions of one element size. */
#define FILL_FUNCTIONS(bits, type)                                                                 \
	CUresult sim_cuMemsetD##bits##_v2(CUdeviceptr dstDevice, type value, size_t N)             \
	{                                                                                          \
		struct sim_fill_spec spec = {dstDevice, 0, value, bits / 8, N, 1};                 \
                                                                                                   \
		return fill_sync(&spec);                                                           \
	}                                                                                          \
                                                                                                   \
	CUresult sim_cuMemsetD##bits##Async(CUdeviceptr dstDevice, type value, size_t N,           \
					    CUstream hStream)                                      \
	{                                                                                          \
		struct sim_fill_spec spec = {dstDevice, 0, value, bits / 8, N, 1};                 \
                                                                                                   \
		return fill_async(&spec, hStream);                                                 \
	}                                                                                          \
                                                                                                   \
	CUresult sim_cuMemsetD2D##bits##_v2(CUdeviceptr dstDevice, size_t dstPitch, type value,    \
					    size_t Width, size_t Height)                           \
	{                                                                                          \
		struct sim_fill_spec spec = {dstDevice, dstPitch, value, bits / 8, Width, Height}; \
                                                                                                   \
		return fill_sync(&spec);                                                           \
	}                                                                                          \
                                                                                                   \
	CUresult sim_cuMemsetD2D##bits##Async(CUdeviceptr dstDevice, size_t dstPitch, type value,  \
					      size_t Width, size_t Height, CUstream hStream)       \
	{                                                                                          \
		struct sim_fill_spec spec = {dstDevice, dstPitch, value, bits / 8, Width, Height}; \
                                                                                                   \
		return fill_async(&spec, hStream);                                                 \
	}

FILL_FUNCTIONS(8, unsigned char)
FILL_FUNCTIONS(16, unsigned short)
FILL_FUNCTIONS(32, unsigned int)
