/* What the recorder has of cuSPARSE and cuSOLVER without their headers (library/vendor_sparse.h,
 * operand.def) against the headers: numbers, and the kinds of the functions' parameters, also of
 * the questions that descriptors are asked. It compiles, or it fails. */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cusolverDn.h>
#include <cusparse.h>
#include "extensions/agents/operands/vendor_sparse.h"
#include "tests/e2e/libraries/alike.h"

SAME(SC_SPARSE_CSR, CUSPARSE_FORMAT_CSR);
SAME(SC_SPARSE_CSC, CUSPARSE_FORMAT_CSC);
SAME(SC_SPARSE_COO, CUSPARSE_FORMAT_COO);
SAME(SC_SPARSE_BLOCKED_ELL, CUSPARSE_FORMAT_BLOCKED_ELL);
SAME(SC_INDEX_16U, CUSPARSE_INDEX_16U);
SAME(SC_INDEX_32I, CUSPARSE_INDEX_32I);
SAME(SC_INDEX_64I, CUSPARSE_INDEX_64I);
SAME(SC_SPARSE_COLUMNS, CUSPARSE_ORDER_COL);
SAME(SC_SPARSE_ROWS, CUSPARSE_ORDER_ROW);
SAME(SC_SOLVER_WITHOUT, CUSOLVER_EIG_MODE_NOVECTOR);
SAME(SC_SOLVER_VECTORS, CUSOLVER_EIG_MODE_VECTOR);
/* SC_VENDOR_…: operations, sides and pointer modes are numbered as those of cuBLAS. */
SAME(CUBLAS_OP_N, CUSPARSE_OPERATION_NON_TRANSPOSE);
SAME(CUBLAS_OP_T, CUSPARSE_OPERATION_TRANSPOSE);
SAME(CUBLAS_OP_C, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
SAME(CUBLAS_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_HOST);
SAME(CUBLAS_POINTER_MODE_DEVICE, CUSPARSE_POINTER_MODE_DEVICE);

#define ALIKE(name, parameters)                                                               \
	namespace its_##name                                                                  \
	{                                                                                     \
		using ours = int(*) parameters;                                               \
		using theirs = std::decay_t<decltype(name)>;                                  \
		static_assert(are_alike<ours, theirs>::value, #name " has other parameters"); \
	}
#define NOTED_SPARSE(name, parameters, arguments, ...)	   ALIKE(name, parameters)
#define PREPARING_SPARSE(name, parameters, arguments, ...) ALIKE(name, parameters)
#define NOTED_ROOM(name, parameters, arguments, of, owner) ALIKE(name, parameters)
#define NOTED_SOLVER(name, parameters, arguments, ...)	   ALIKE(name, parameters)
#include "extensions/agents/operands/conversion_forms.h"
#include "extensions/agents/operands/spectrum_forms.h"
#define SPARSE(name, form)		   form(name)
#define ROOM(name, form)		   form(name)
#define SOLVER(name, form, type, its_real) form(name, , )
#include "extensions/agents/operands/operand.def"

#define QUESTION(name, parameters) ALIKE(name, parameters)
SC_SPARSE_QUESTIONS(QUESTION)
/* The question that an LU factorization's scratch memory takes, in all its types. */
#define ROOM_OF_LU (void *h, int m, int n, const void *a, int lda, int *room)
ALIKE(cusolverDnSgetrf_bufferSize, ROOM_OF_LU)
ALIKE(cusolverDnDgetrf_bufferSize, ROOM_OF_LU)
ALIKE(cusolverDnCgetrf_bufferSize, ROOM_OF_LU)
ALIKE(cusolverDnZgetrf_bufferSize, ROOM_OF_LU)

int main()
{
	std::puts("the headers say the same");
	return 0;
}
