/* What the recorder has of cuBLAS, cublasLt, NCCL, cuFFT and cuRAND without their headers
 * (library/vendor.h, operand.def) against the headers: numbers, and the kinds of the functions'
 * parameters. It compiles, or it fails. */
#include <cstdio>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufftXt.h>
#include <curand.h>
#include <nccl.h>
#include "extensions/agents/nccl/calls.h"
#include "extensions/agents/operands/vendor.h"
#include "tests/e2e/libraries/alike.h"

/* ---- numbers ---- */

#define ROW(id, name, number, bytes, kind) SAME(SC_TYPE_##id, name);
VENDOR_TYPES(ROW)
#undef ROW
#define ROW(name, number, scalars) SAME(number, name);
VENDOR_COMPUTES(ROW)
#undef ROW
#define NCCL_TYPE(name, number, bytes) SAME(number, name);
#define NCCL_REDUCTION(name, number)   SAME(number, name);
#include "trace/nccl.def"
#define ROW(name, number, in, out) SAME(number, name);
VENDOR_TRANSFORMS(ROW)
#undef ROW
SAME(SC_VENDOR_PLAIN, CUBLAS_OP_N);
SAME(SC_VENDOR_TRANSPOSED, CUBLAS_OP_T);
SAME(SC_VENDOR_CONJUGATED, CUBLAS_OP_C);
SAME(SC_VENDOR_LEFT, CUBLAS_SIDE_LEFT);
SAME(SC_VENDOR_RIGHT, CUBLAS_SIDE_RIGHT);
SAME(SC_VENDOR_HOST, CUBLAS_POINTER_MODE_HOST);
SAME(SC_VENDOR_DEVICE, CUBLAS_POINTER_MODE_DEVICE);
SAME(SC_VENDOR_HOST, CUBLASLT_POINTER_MODE_HOST);
SAME(SC_VENDOR_DEVICE, CUBLASLT_POINTER_MODE_DEVICE);
SAME(SC_LAYOUT_TYPE, CUBLASLT_MATRIX_LAYOUT_TYPE);
SAME(SC_LAYOUT_ORDER, CUBLASLT_MATRIX_LAYOUT_ORDER);
SAME(SC_LAYOUT_ROWS, CUBLASLT_MATRIX_LAYOUT_ROWS);
SAME(SC_LAYOUT_COLUMNS, CUBLASLT_MATRIX_LAYOUT_COLS);
SAME(SC_LAYOUT_LD, CUBLASLT_MATRIX_LAYOUT_LD);
SAME(SC_LAYOUT_BATCHES, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(SC_LAYOUT_STRIDE, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(SC_LAYOUT_PLANE, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET);
SAME(SC_ORDER_COLUMN, CUBLASLT_ORDER_COL);
SAME(SC_ORDER_ROW, CUBLASLT_ORDER_ROW);
SAME(SC_PRODUCT_SCALAR_TYPE, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
SAME(SC_PRODUCT_POINTERS, CUBLASLT_MATMUL_DESC_POINTER_MODE);
SAME(SC_PRODUCT_FILL, CUBLASLT_MATMUL_DESC_FILL_MODE);
SAME(SC_PRODUCT_EPILOGUE, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(SC_PRODUCT_BIAS, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(SC_PRODUCT_BIAS_STRIDE, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
SAME(SC_PRODUCT_AUX, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
SAME(SC_PRODUCT_A_SCALE, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
SAME(SC_PRODUCT_B_SCALE, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
SAME(SC_PRODUCT_C_SCALE, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER);
SAME(SC_PRODUCT_D_SCALE, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
SAME(SC_PRODUCT_AMAX, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER);
SAME(SC_PRODUCT_AUX_SCALE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER);
SAME(SC_PRODUCT_AUX_AMAX, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER);
SAME(SC_PRODUCT_BIAS_TYPE, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
#if CUBLAS_VERSION >= 130000
SAME(SC_LAYOUT_BATCH_MODE, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE);
SAME(SC_PRODUCT_A_SCALE_MODE, CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
SAME(SC_PRODUCT_D_OUT_SCALE, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER);
#endif
SAME(SC_FILL_ALL, CUBLAS_FILL_MODE_FULL);
SAME(SC_EPILOGUE_NONE, CUBLASLT_EPILOGUE_DEFAULT);
SAME(SC_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU);
SAME(SC_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_BIAS);
SAME(SC_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU);

/* ---- parameters ---- */

/* The header has an inline function of the same name for C++ beside each of these two. */
using gemm_ex = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
				   int, const void *, const void *, cudaDataType, int, const void *,
				   cudaDataType, int, const void *, void *, cudaDataType, int,
				   cublasComputeType_t, cublasGemmAlgo_t);
using gemm_strided_ex = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
					   int, int, int, const void *, const void *, cudaDataType,
					   int, long long, const void *, cudaDataType, int,
					   long long, const void *, void *, cudaDataType, int,
					   long long, int, cublasComputeType_t, cublasGemmAlgo_t);
static constexpr gemm_ex sc_cublasGemmEx = &::cublasGemmEx;
static constexpr gemm_strided_ex sc_cublasGemmStridedBatchedEx = &::cublasGemmStridedBatchedEx;

#define ALIKE(name, parameters)                                                               \
	namespace its_##name                                                                  \
	{                                                                                     \
		constexpr auto cublasGemmEx = sc_cublasGemmEx;                                \
		constexpr auto cublasGemmStridedBatchedEx = sc_cublasGemmStridedBatchedEx;    \
		using ours = int(*) parameters;                                               \
		using theirs = std::decay_t<decltype(name)>;                                  \
		static_assert(are_alike<ours, theirs>::value, #name " has other parameters"); \
	}

/* NCCL's parameters are whole registers, of which the rows say what is in which. */
template <class... P> constexpr bool agree(ncclResult_t (*)(P...), const sc_nccl_row &row)
{
	constexpr bool is_send[] = {true, std::is_convertible_v<P, const void *>...};
	constexpr bool is_receive[] = {true, std::is_same_v<P, void *>...};
	constexpr bool is_count[] = {true, std::is_same_v<P, size_t>...};
	constexpr bool is_type[] = {true, std::is_same_v<P, ncclDataType_t>...};
	constexpr bool is_operation[] = {true, std::is_same_v<P, ncclRedOp_t>...};
	constexpr bool is_root[] = {true, std::is_same_v<P, int>...};
	constexpr bool is_communicator[] = {false, std::is_same_v<P, ncclComm_t>...};
	constexpr bool is_stream[] = {false, std::is_same_v<P, cudaStream_t>...};

	return row.parameters == sizeof...(P) && ((sizeof(P) <= 8) && ...) && is_send[row.send] &&
	       is_receive[row.receive] && is_count[row.count] && is_type[row.type] &&
	       is_operation[row.operation] && is_root[row.root] &&
	       is_communicator[row.communicator] && is_stream[row.stream];
}

#define NOTED_BLAS(name, parameters, arguments, ...)	ALIKE(name, parameters)
#define NOTED_BIRTH(name, parameters, arguments, birth) ALIKE(name, parameters)
#define NOTED_TOGETHER(name, parameters, arguments)	ALIKE(name, parameters)
#define NOTED_PART(name, parameters, arguments, ...)	ALIKE(name, parameters)
#define NOTED_PLAN(name, parameters, arguments, ...)	ALIKE(name, parameters)
#define NOTED_TRANSFORM(name, parameters, arguments)	ALIKE(name, parameters)
#define NOTED_RANDOM(name, parameters, arguments)	ALIKE(name, parameters)
#include "extensions/agents/nccl/communicator_forms.h"
#include "extensions/agents/operands/forms.h"
#include "extensions/agents/operands/plan_forms.h"
#include "extensions/agents/operands/random_forms.h"
#define BLAS(name, form, number, type, scalar) form(name, number, , )
#define COLLECTIVE(name, count, form, sends, receives) \
	static_assert(agree(name, {.parameters = count, SC_NCCL_##form}), #name);
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 29, 0)
#define NEWER_COLLECTIVE(name, count, form, sends, receives)
#endif
#define COMMUNICATOR(name, form) form(name)
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 29, 0)
#define NEWER_COMMUNICATOR(name, form)
#endif
#define PLAN(name, form)	 form(name)
#define TRANSFORM(name, form)	 form(name)
#define RANDOM(name, form, type) form(name, type)
#include "extensions/agents/operands/operand.def"

int main()
{
	std::puts("the headers say the same");
	return 0;
}
