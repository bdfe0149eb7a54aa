/* Tensor maps: descriptions of tensors and their tiles, for the copies that kernels make. */
#include <string.h>

#include "ptx/isa.h"
#include "simulator/driver/api.h"
#include "simulator/driver/call.h"
#include "simulator/executor/texture/tensor.h"

#define STRIDE_MOST (UINT64_C(1) << 40)

/* The elements of each type: bytes, and as kernels compute with them. */
static const struct {
	uint8_t bytes, type;
	bool is_float, rounds, flushes;
} elements[] = {
	[CU_TENSOR_MAP_DATA_TYPE_UINT8] = {1, SC_TYPE_U8, 0, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_UINT16] = {2, SC_TYPE_U16, 0, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_UINT32] = {4, SC_TYPE_U32, 0, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_INT32] = {4, SC_TYPE_S32, 0, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_UINT64] = {8, SC_TYPE_U64, 0, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_INT64] = {8, SC_TYPE_S64, 0, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = {2, SC_TYPE_F16, 1, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = {4, SC_TYPE_F32, 1, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = {8, SC_TYPE_F64, 1, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = {2, SC_TYPE_BF16, 1, 0, 0},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = {4, SC_TYPE_F32, 1, 0, 1},
	[CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = {4, SC_TYPE_F32, 1, 1, 0},
	[CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = {4, SC_TYPE_F32, 1, 1, 1},
};

/* What both kinds of maps are asked for; the device has no packed types of 4 and 6 bits, and no
 * swizzle of larger pieces. */
struct asked {
	CUtensorMap *map;
	CUtensorMapDataType type;
	cuuint32_t rank;
	void *address;
	const cuuint64_t *dims, *strides;
	const cuuint32_t *steps;
	CUtensorMapInterleave interleave;
	CUtensorMapSwizzle swizzle;
	CUtensorMapL2promotion promotion;
	CUtensorMapFloatOOBfill fill;
};

static bool is_known(const struct asked *a)
{
	return a->map && a->rank && a->rank <= EXEC_TENSOR_RANK && a->dims &&
	       (a->rank == 1 || a->strides) && a->steps &&
	       (unsigned)a->type < sizeof(elements) / sizeof(*elements) &&
	       a->interleave <= CU_TENSOR_MAP_INTERLEAVE_32B &&
	       (a->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE || a->rank >= 3) &&
	       a->swizzle <= CU_TENSOR_MAP_SWIZZLE_128B &&
	       a->promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
	       a->fill <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA &&
	       (a->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || elements[a->type].is_float);
}

/* The tensor; false: it is none. */
static bool set_extents(struct exec_tensor *t, const struct asked *a)
{
	if (t->address % EXEC_TENSOR_PIECE)
		return false;
	for (unsigned d = 0; d < t->rank; d++) {
		if (!a->dims[d] || a->dims[d] > UINT64_C(1) << 32)
			return false;
		t->last[d] = (uint32_t)(a->dims[d] - 1);
		if (!d)
			continue;
		if (a->strides[d - 1] % EXEC_TENSOR_PIECE || a->strides[d - 1] >= STRIDE_MOST)
			return false;
		t->stride[d - 1] = a->strides[d - 1];
	}
	return true;
}

/* The first dimension has no steps, whatever is asked for. */
static bool set_steps(struct exec_tensor *t, const cuuint32_t *steps)
{
	for (unsigned d = 0; d < t->rank; d++) {
		if (!steps[d] || steps[d] > 8)
			return false;
		t->step[d] = d ? (uint8_t)steps[d] : 1;
	}
	return true;
}

static CUresult set_tensor(struct exec_tensor *t, const struct asked *a)
{
	if (!is_known(a))
		return CUDA_ERROR_INVALID_VALUE;
	if (a->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
		return sim_call_unsupported("tensor maps with interleaved layouts");
	*t = (struct exec_tensor){.magic = EXEC_TENSOR_MAGIC,
				  .address = (uintptr_t)a->address,
				  .rank = (uint8_t)a->rank,
				  .type = elements[a->type].type,
				  .element_bytes = elements[a->type].bytes,
				  .rounds = elements[a->type].rounds,
				  .flushes = elements[a->type].flushes,
				  .swizzle = (uint8_t)a->swizzle,
				  .fills_nan = a->fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
	return set_extents(t, a) && set_steps(t, a->steps) ? CUDA_SUCCESS
							   : CUDA_ERROR_INVALID_VALUE;
}

static CUresult give(const struct exec_tensor *t, CUtensorMap *map)
{
	if (!exec_tensor_is_good(t))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(map, t, sizeof(*t));
	return CUDA_SUCCESS;
}

CUresult sim_cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
				    cuuint32_t tensorRank, void *globalAddress,
				    const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
				    const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
				    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				    CUtensorMapL2promotion l2Promotion,
				    CUtensorMapFloatOOBfill oobFill)
{
	const struct asked asked = {tensorMap, tensorDataType, tensorRank,     globalAddress,
				    globalDim, globalStrides,  elementStrides, interleave,
				    swizzle,   l2Promotion,    oobFill};
	struct exec_tensor t;
	CUresult result = set_tensor(&t, &asked);

	if (result != CUDA_SUCCESS)
		return result;
	for (unsigned d = 0; d < t.rank; d++) {
		if (!boxDim || !boxDim[d] || boxDim[d] > 256)
			return CUDA_ERROR_INVALID_VALUE;
		t.box[d] = (uint16_t)boxDim[d];
	}
	return give(&t, tensorMap);
}

/* Corners of the box of pixels: numbers of so many bits that a word has room for all. */
static bool set_corners(struct exec_tensor *t, const int *first, const int *last)
{
	static const int16_t most[] = {[3] = INT16_MAX, [4] = 127, [5] = 15};

	for (unsigned d = 0; d + 2U < t->rank; d++) {
		int bound = most[t->rank];

		if (first[d] < -bound - 1 || first[d] > bound || last[d] < -bound - 1 ||
		    last[d] > bound || (int64_t)t->last[d + 1] + last[d] < first[d])
			return false;
		t->lower[d] = (int16_t)first[d];
		t->upper[d] = (int16_t)last[d];
	}
	return true;
}

CUresult sim_cuTensorMapEncodeIm2col(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
				     cuuint32_t tensorRank, void *globalAddress,
				     const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
				     const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
				     cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
				     const cuuint32_t *elementStrides,
				     CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				     CUtensorMapL2promotion l2Promotion,
				     CUtensorMapFloatOOBfill oobFill)
{
	const struct asked asked = {tensorMap, tensorDataType, tensorRank,     globalAddress,
				    globalDim, globalStrides,  elementStrides, interleave,
				    swizzle,   l2Promotion,    oobFill};
	struct exec_tensor t;
	CUresult result = tensorRank < 3 ? CUDA_ERROR_INVALID_VALUE : set_tensor(&t, &asked);

	if (result != CUDA_SUCCESS)
		return result;
	if (!pixelBoxLowerCorner || !pixelBoxUpperCorner || !channelsPerPixel ||
	    channelsPerPixel > 256 || pixelsPerColumn > EXEC_TENSOR_PIXELS_MOST ||
	    !set_corners(&t, pixelBoxLowerCorner, pixelBoxUpperCorner))
		return CUDA_ERROR_INVALID_VALUE;
	t.kind = EXEC_TENSOR_PIXELS;
	t.box[0] = (uint16_t)channelsPerPixel;
	t.pixels = (uint16_t)pixelsPerColumn;
	return give(&t, tensorMap);
}

CUresult sim_cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress)
{
	struct exec_tensor t;

	if (!tensorMap || (uintptr_t)globalAddress % EXEC_TENSOR_PIECE)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&t, tensorMap, sizeof(t));
	if (!exec_tensor_is_good(&t))
		return CUDA_ERROR_INVALID_VALUE;
	t.address = (uintptr_t)globalAddress;
	memcpy(tensorMap, &t, sizeof(t));
	return CUDA_SUCCESS;
}
