/* Tensor maps: descriptions of tensors and their tiles, for the copies that kernels make. */
#include <string.h>

#include "ptx/isa.h"
#include "simulator/driver/api.h"
#include "simulator/driver/call.h"
#include "simulator/executor/tensor.h"

#define STRIDE_MOST (UINT64_C(1) << 40)

/* The elements of each type: bytes, and as kernels compute with them; no bytes: not supported. */
static const struct {
	uint8_t bytes, type;
	bool is_float;
} elements[] = {
	[CU_TENSOR_MAP_DATA_TYPE_UINT8] = {1, SC_TYPE_U8, 0},
	[CU_TENSOR_MAP_DATA_TYPE_UINT16] = {2, SC_TYPE_U16, 0},
	[CU_TENSOR_MAP_DATA_TYPE_UINT32] = {4, SC_TYPE_U32, 0},
	[CU_TENSOR_MAP_DATA_TYPE_INT32] = {4, SC_TYPE_S32, 0},
	[CU_TENSOR_MAP_DATA_TYPE_UINT64] = {8, SC_TYPE_U64, 0},
	[CU_TENSOR_MAP_DATA_TYPE_INT64] = {8, SC_TYPE_S64, 0},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = {2, SC_TYPE_F16, 1},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = {4, SC_TYPE_F32, 1},
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = {8, SC_TYPE_F64, 1},
	[CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = {2, SC_TYPE_BF16, 1},
};

static const char *missing(CUtensorMapDataType type, CUtensorMapInterleave interleave,
			   CUtensorMapSwizzle swizzle)
{
	if ((unsigned)type >= sizeof(elements) / sizeof(*elements))
		return "tensor maps of this type of elements";
	if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
		return "tensor maps with interleaved layouts";
	if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
		return "tensor maps with this kind of swizzle";
	return NULL;
}

/* The tensor; false: it is none. */
static bool set_tensor(struct exec_tensor *t, const cuuint64_t *dim, const cuuint64_t *strides)
{
	if (t->address % EXEC_TENSOR_PIECE)
		return false;
	for (unsigned d = 0; d < t->rank; d++) {
		if (!dim[d] || dim[d] > UINT64_C(1) << 32)
			return false;
		t->last[d] = (uint32_t)(dim[d] - 1);
		if (!d)
			continue;
		if (strides[d - 1] % EXEC_TENSOR_PIECE || strides[d - 1] >= STRIDE_MOST)
			return false;
		t->stride[d - 1] = strides[d - 1];
	}
	return true;
}

/* Its tile. The first dimension has no steps, whatever is asked for. */
static bool set_box(struct exec_tensor *t, const cuuint32_t *box, const cuuint32_t *steps)
{
	for (unsigned d = 0; d < t->rank; d++) {
		if (!box[d] || box[d] > 256 || !steps[d] || steps[d] > 8)
			return false;
		t->box[d] = (uint16_t)box[d];
		t->step[d] = d ? (uint8_t)steps[d] : 1;
	}
	return box[0] * t->element_bytes % EXEC_TENSOR_PIECE == 0;
}

/* Rows that are shorter than what is swizzled would leave gaps, of which nothing is known. */
static CUresult check_rows(const struct exec_tensor *t)
{
	uint32_t row = (uint32_t)t->box[0] * t->element_bytes;
	uint32_t most = (UINT32_C(1) << t->swizzle) * EXEC_TENSOR_PIECE;

	if (t->swizzle && row > most)
		return CUDA_ERROR_INVALID_VALUE;
	if (t->swizzle && row < most)
		return sim_call_unsupported("tensor maps with rows shorter than their swizzle");
	return exec_tensor_is_good(t) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
				    cuuint32_t tensorRank, void *globalAddress,
				    const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
				    const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
				    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				    CUtensorMapL2promotion l2Promotion,
				    CUtensorMapFloatOOBfill oobFill)
{
	struct exec_tensor t = {.magic = EXEC_TENSOR_MAGIC,
				.address = (uintptr_t)globalAddress,
				.rank = (uint8_t)tensorRank,
				.swizzle = (uint8_t)swizzle};
	const char *what;
	CUresult result;

	if (!tensorMap || (uintptr_t)tensorMap % 64 || !tensorRank ||
	    tensorRank > EXEC_TENSOR_RANK || !globalDim || (tensorRank > 1 && !globalStrides) ||
	    !boxDim || !elementStrides || l2Promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
		return CUDA_ERROR_INVALID_VALUE;
	what = missing(tensorDataType, interleave, swizzle);
	if (what)
		return sim_call_unsupported(what);
	t.type = elements[tensorDataType].type;
	t.element_bytes = elements[tensorDataType].bytes;
	t.fills_ones = oobFill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
	if ((t.fills_ones && !elements[tensorDataType].is_float) ||
	    !set_tensor(&t, globalDim, globalStrides) || !set_box(&t, boxDim, elementStrides))
		return CUDA_ERROR_INVALID_VALUE;
	result = check_rows(&t);
	if (result == CUDA_SUCCESS)
		memcpy(tensorMap, &t, sizeof(t));
	return result;
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
