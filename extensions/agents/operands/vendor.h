/* Numbers of cuBLAS, cublasLt, NCCL and cuFFT that their documented functions are called with.
 *
 * Their headers are not needed to build; where they are installed, a test compares these with them
 * (tests/e2e/libraries/vendor.cu).
 */
#pragma once

#include <stdint.h>

/* VENDOR_TYPE(id, name in cudaDataType, number, bytes of an element, number of its kind) */
enum sc_number {
	SC_NUMBER_OTHER,
	SC_NUMBER_INTEGER,
	SC_NUMBER_HALF,
	SC_NUMBER_SINGLE,
	SC_NUMBER_DOUBLE
};

#define VENDOR_TYPES(ROW)                                      \
	ROW(R_32F, CUDA_R_32F, 0, 4, SC_NUMBER_SINGLE)         \
	ROW(R_64F, CUDA_R_64F, 1, 8, SC_NUMBER_DOUBLE)         \
	ROW(R_16F, CUDA_R_16F, 2, 2, SC_NUMBER_HALF)           \
	ROW(R_8I, CUDA_R_8I, 3, 1, SC_NUMBER_OTHER)            \
	ROW(C_32F, CUDA_C_32F, 4, 8, SC_NUMBER_SINGLE)         \
	ROW(C_64F, CUDA_C_64F, 5, 16, SC_NUMBER_DOUBLE)        \
	ROW(C_16F, CUDA_C_16F, 6, 4, SC_NUMBER_HALF)           \
	ROW(C_8I, CUDA_C_8I, 7, 2, SC_NUMBER_OTHER)            \
	ROW(R_8U, CUDA_R_8U, 8, 1, SC_NUMBER_OTHER)            \
	ROW(C_8U, CUDA_C_8U, 9, 2, SC_NUMBER_OTHER)            \
	ROW(R_32I, CUDA_R_32I, 10, 4, SC_NUMBER_INTEGER)       \
	ROW(R_16BF, CUDA_R_16BF, 14, 2, SC_NUMBER_OTHER)       \
	ROW(C_16BF, CUDA_C_16BF, 15, 4, SC_NUMBER_OTHER)       \
	ROW(R_16U, CUDA_R_16U, 22, 2, SC_NUMBER_OTHER)         \
	ROW(R_64I, CUDA_R_64I, 24, 8, SC_NUMBER_OTHER)         \
	ROW(R_8F_E4M3, CUDA_R_8F_E4M3, 28, 1, SC_NUMBER_OTHER) \
	ROW(R_8F_E5M2, CUDA_R_8F_E5M2, 29, 1, SC_NUMBER_OTHER)

enum sc_vendor_type {
#define ROW(id, name, number, bytes, kind) SC_TYPE_##id = (number),
	VENDOR_TYPES(ROW)
#undef ROW
		SC_TYPE_UNKNOWN = -1
};

enum sc_vendor_operation { SC_VENDOR_PLAIN, SC_VENDOR_TRANSPOSED, SC_VENDOR_CONJUGATED };
enum sc_vendor_side { SC_VENDOR_LEFT, SC_VENDOR_RIGHT };
enum sc_vendor_pointers { SC_VENDOR_HOST, SC_VENDOR_DEVICE };

/* In which type a product is computed (cublasComputeType_t): ROW(name, number, type of scalars). */
#define VENDOR_COMPUTES(ROW)                         \
	ROW(CUBLAS_COMPUTE_16F, 64, R_16F)           \
	ROW(CUBLAS_COMPUTE_16F_PEDANTIC, 65, R_16F)  \
	ROW(CUBLAS_COMPUTE_32F, 68, R_32F)           \
	ROW(CUBLAS_COMPUTE_32F_PEDANTIC, 69, R_32F)  \
	ROW(CUBLAS_COMPUTE_64F, 70, R_64F)           \
	ROW(CUBLAS_COMPUTE_64F_PEDANTIC, 71, R_64F)  \
	ROW(CUBLAS_COMPUTE_32I, 72, R_32I)           \
	ROW(CUBLAS_COMPUTE_32I_PEDANTIC, 73, R_32I)  \
	ROW(CUBLAS_COMPUTE_32F_FAST_16F, 74, R_32F)  \
	ROW(CUBLAS_COMPUTE_32F_FAST_16BF, 75, R_32F) \
	ROW(CUBLAS_COMPUTE_32F_FAST_TF32, 77, R_32F)

/* What cublasLt answers about a matrix (cublasLtMatrixLayoutAttribute_t) … */
enum sc_vendor_layout {
	SC_LAYOUT_TYPE = 0,
	SC_LAYOUT_ORDER = 1,
	SC_LAYOUT_ROWS = 2,
	SC_LAYOUT_COLUMNS = 3,
	SC_LAYOUT_LD = 4,
	SC_LAYOUT_BATCHES = 5,
	SC_LAYOUT_STRIDE = 6,
	SC_LAYOUT_PLANE = 7,
	SC_LAYOUT_BATCH_MODE = 8
};
enum sc_vendor_order { SC_ORDER_COLUMN, SC_ORDER_ROW };

/* … and about a product (cublasLtMatmulDescAttributes_t). */
enum sc_vendor_product {
	SC_PRODUCT_SCALAR_TYPE = 1,
	SC_PRODUCT_POINTERS = 2,
	SC_PRODUCT_FILL = 6,
	SC_PRODUCT_EPILOGUE = 7,
	SC_PRODUCT_BIAS = 8,
	SC_PRODUCT_BIAS_STRIDE = 10,
	SC_PRODUCT_AUX = 11,
	SC_PRODUCT_A_SCALE = 17,
	SC_PRODUCT_B_SCALE = 18,
	SC_PRODUCT_C_SCALE = 19,
	SC_PRODUCT_D_SCALE = 20,
	SC_PRODUCT_AMAX = 21,
	SC_PRODUCT_AUX_SCALE = 23,
	SC_PRODUCT_AUX_AMAX = 24,
	SC_PRODUCT_BIAS_TYPE = 26,
	SC_PRODUCT_A_SCALE_MODE = 31,
	SC_PRODUCT_D_OUT_SCALE = 36
};
enum sc_vendor_fill { SC_FILL_ALL = 2 };
/* Bits of what is done to the product; with others it touches more than is known here. */
enum sc_vendor_epilogue {
	SC_EPILOGUE_NONE = 1,
	SC_EPILOGUE_RELU = 2,
	SC_EPILOGUE_BIAS = 4,
	SC_EPILOGUE_GELU = 32
};

/* ncclUniqueId, which is passed by value. */
struct sc_nccl_id {
	uint64_t word[16];
};

/* Transforms of cuFFT (cufftType): ROW(name, number, types of input and output). */
#define VENDOR_TRANSFORMS(ROW)                             \
	ROW(CUFFT_R2C, 0x2a, SC_TYPE_R_32F, SC_TYPE_C_32F) \
	ROW(CUFFT_C2R, 0x2c, SC_TYPE_C_32F, SC_TYPE_R_32F) \
	ROW(CUFFT_C2C, 0x29, SC_TYPE_C_32F, SC_TYPE_C_32F) \
	ROW(CUFFT_D2Z, 0x6a, SC_TYPE_R_64F, SC_TYPE_C_64F) \
	ROW(CUFFT_Z2D, 0x6c, SC_TYPE_C_64F, SC_TYPE_R_64F) \
	ROW(CUFFT_Z2Z, 0x69, SC_TYPE_C_64F, SC_TYPE_C_64F)
