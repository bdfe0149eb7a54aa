// Calls of cuSPARSE and cuSOLVER with parameters by chance, one after the other in one stream, as
// sweep.cu has them of other libraries.
//
// usage: sweep_sparse CALLS SEED
// nvcc: -lcusparse -lcusolver
#include <algorithm>
#define DISABLE_CUSPARSE_DEPRECATED // warnings of functions that are still there
#include <cusolverDn.h>
#include <cusparse.h>
#include <vector>
#include "tests/gpu/operands/arena.h"

static cusparseHandle_t sparse;
static cusolverDnHandle_t solver;
static cusolverDnParams_t params;

static float scalar(void)
{
	return (float)upto(0, 2);
}

// ---- cuSPARSE ----

template <class T> static T *put(const std::vector<T> &values)
{
	T *at = room<T>((long long)values.size());

	CHECK(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
	return at;
}

static float *numbers(long long n)
{
	return put(std::vector<float>((size_t)n, 1));
}

// A sparse matrix whose rows have elements by chance, some of them none.
struct matrix {
	int rows, columns;
	std::vector<int> begins, row, column; // of rows; of elements
	cusparseSpMatDescr_t of = NULL;

	matrix(int its_rows, int its_columns) : rows(its_rows), columns(its_columns)
	{
		for (int i = 0; i < rows; i++) {
			begins.push_back((int)column.size());
			for (int j = 0; j < columns; j++)
				if (!upto(0, 7))
					add(i, j);
		}
		if (column.empty())
			add(rows - 1, columns - 1);
		begins.push_back((int)column.size());
	}
	~matrix()
	{
		if (of)
			MUST(cusparseDestroySpMat(of));
	}
	void add(int i, int j)
	{
		row.push_back(i);
		column.push_back(j);
	}
	int count() const
	{
		return (int)column.size();
	}
	// In one of the formats that a product takes.
	void describe(int format)
	{
		int *indices = put(column);
		float *values = numbers(count());

		if (format == 0)
			MUST(cusparseCreateCsr(&of, rows, columns, count(), put(begins), indices,
					       values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
					       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
		else if (format == 1) // the same arrays are those of the transposed matrix
			MUST(cusparseCreateCsc(&of, columns, rows, count(), put(begins), indices,
					       values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
					       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
		else
			MUST(cusparseCreateCoo(&of, rows, columns, count(), put(row), indices,
					       values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
					       CUDA_R_32F));
		if (format == 1)
			std::swap(rows, columns);
	}
};

struct vector {
	cusparseDnVecDescr_t of;

	explicit vector(int size)
	{
		MUST(cusparseCreateDnVec(&of, size, numbers(size), CUDA_R_32F));
	}
	~vector()
	{
		MUST(cusparseDestroyDnVec(of));
	}
};

// A dense matrix with gaps between its columns, or rows, or without.
struct dense {
	cusparseDnMatDescr_t of;

	dense(int rows, int columns)
	{
		const bool by_rows = maybe();
		const int ld = (by_rows ? columns : rows) + (maybe() ? upto(1, 20) : 0);

		MUST(cusparseCreateDnMat(
			&of, rows, columns, ld, numbers((long long)ld * (by_rows ? rows : columns)),
			CUDA_R_32F, by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
	}
	~dense()
	{
		MUST(cusparseDestroyDnMat(of));
	}
};

static void *memory(size_t bytes)
{
	return bytes ? room<char>((long long)bytes) : NULL;
}

static cusparseOperation_t operation(void)
{
	return maybe() ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

static bool is_plain(cusparseOperation_t op)
{
	return op == CUSPARSE_OPERATION_NON_TRANSPOSE;
}

static void vector_product(void)
{
	const cusparseOperation_t op = operation();
	const float alpha = scalar(), beta = scalar();
	matrix m(upto(1, 200), upto(1, 200));
	size_t bytes;

	m.describe(upto(0, 2));
	const vector x(is_plain(op) ? m.columns : m.rows), y(is_plain(op) ? m.rows : m.columns);

	MUST(cusparseSpMV_bufferSize(sparse, op, &alpha, m.of, x.of, &beta, y.of, CUDA_R_32F,
				     CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
	MUST(cusparseSpMV(sparse, op, &alpha, m.of, x.of, &beta, y.of, CUDA_R_32F,
			  CUSPARSE_SPMV_ALG_DEFAULT, memory(bytes)));
}

static void matrix_product(void)
{
	const cusparseOperation_t op = operation(), other = operation();
	const float alpha = scalar(), beta = scalar();
	const int columns = upto(1, 60);
	matrix m(upto(1, 200), upto(1, 200));
	size_t bytes;

	m.describe(upto(0, 2));
	const int depth = is_plain(op) ? m.columns : m.rows;
	const dense b(is_plain(other) ? depth : columns, is_plain(other) ? columns : depth),
		c(is_plain(op) ? m.rows : m.columns, columns);

	MUST(cusparseSpMM_bufferSize(sparse, op, other, &alpha, m.of, b.of, &beta, c.of, CUDA_R_32F,
				     CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
	MUST(cusparseSpMM(sparse, op, other, &alpha, m.of, b.of, &beta, c.of, CUDA_R_32F,
			  CUSPARSE_SPMM_ALG_DEFAULT, memory(bytes)));
}

static void sampled_product(void)
{
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	const float alpha = scalar(), beta = scalar();
	const int depth = upto(1, 60);
	matrix m(upto(1, 200), upto(1, 200));
	size_t bytes;

	m.describe(0);
	const dense a(m.rows, depth), b(depth, m.columns);

	MUST(cusparseSDDMM_bufferSize(sparse, plain, plain, &alpha, a.of, b.of, &beta, m.of,
				      CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
	MUST(cusparseSDDMM(sparse, plain, plain, &alpha, a.of, b.of, &beta, m.of, CUDA_R_32F,
			   CUSPARSE_SDDMM_ALG_DEFAULT, memory(bytes)));
}

static void expand(void)
{
	matrix m(upto(1, 200), upto(1, 200));
	size_t bytes;

	m.describe(upto(0, 2));
	const dense d(m.rows, m.columns);

	MUST(cusparseSparseToDense_bufferSize(sparse, m.of, d.of,
					      CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
	MUST(cusparseSparseToDense(sparse, m.of, d.of, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
				   memory(bytes)));
}

// All elements are there, and 1: their number is known without asking.
static void collect(void)
{
	const int rows = upto(1, 100), columns = upto(1, 100);
	const dense d(rows, columns);
	const long long count = (long long)rows * columns;
	cusparseSpMatDescr_t m;
	size_t bytes;

	void *offsets = room<int>(rows + 1);

	MUST(cusparseCreateCsr(&m, rows, columns, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I,
			       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	MUST(cusparseDenseToSparse_bufferSize(sparse, d.of, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
					      &bytes));
	void *buffer = memory(bytes);

	MUST(cusparseDenseToSparse_analysis(sparse, d.of, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
					    buffer));
	MUST(cusparseCsrSetPointers(m, offsets, room<int>(count), room<float>(count)));
	MUST(cusparseDenseToSparse_convert(sparse, d.of, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
					   buffer));
	MUST(cusparseDestroySpMat(m));
}

static void transpose(void)
{
	const matrix m(upto(1, 200), upto(1, 200));
	const cusparseAction_t action =
		maybe() ? CUSPARSE_ACTION_NUMERIC : CUSPARSE_ACTION_SYMBOLIC;
	int *begins = put(m.begins), *indices = put(m.column);
	int *to_begins = room<int>(m.columns + 1), *to_indices = room<int>(m.count());
	float *values = numbers(m.count()), *to_values = room<float>(m.count());
	size_t bytes;

	MUST(cusparseCsr2cscEx2_bufferSize(sparse, m.rows, m.columns, m.count(), values, begins,
					   indices, to_values, to_begins, to_indices, CUDA_R_32F,
					   action, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1,
					   &bytes));
	MUST(cusparseCsr2cscEx2(sparse, m.rows, m.columns, m.count(), values, begins, indices,
				to_values, to_begins, to_indices, CUDA_R_32F, action,
				CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, memory(bytes)));
}

static void compress(void)
{
	const matrix m(upto(1, 200), upto(1, 200));
	int *rows = put(m.row), *begins = room<int>(m.rows + 1);

	MUST(cusparseXcoo2csr(sparse, rows, m.count(), m.rows, begins, CUSPARSE_INDEX_BASE_ZERO));
	MUST(cusparseXcsr2coo(sparse, begins, m.count(), m.rows, room<int>(m.count()),
			      CUSPARSE_INDEX_BASE_ZERO));
}

// A sparse vector and a dense one: every third element.
static void vectors(int kind)
{
	const int count = upto(1, 2000), size = 3 * count + upto(0, 10);
	const float alpha = scalar(), beta = scalar();
	const vector y(size);
	std::vector<int> indices;
	cusparseSpVecDescr_t x;

	for (int i = 0; i < count; i++)
		indices.push_back(3 * i);
	MUST(cusparseCreateSpVec(&x, size, count, put(indices), numbers(count), CUSPARSE_INDEX_32I,
				 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	if (kind == 0)
		MUST(cusparseGather(sparse, y.of, x));
	else if (kind == 1)
		MUST(cusparseScatter(sparse, x, y.of));
	else
		MUST(cusparseAxpby(sparse, &alpha, x, &beta, y.of));
	MUST(cusparseDestroySpVec(x));
}

static void solve_triangle(void)
{
	const cusparseOperation_t op = operation();
	const float alpha = (float)upto(1, 2);
	const int n = upto(2, 200);
	const vector x(n), y(n);
	matrix m(1, 1); // of the diagonal and what is below it
	cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
	cusparseSpSVDescr_t state;
	size_t bytes;

	m.begins.clear();
	m.row.clear();
	m.column.clear();
	for (int i = 0; i < n; i++) {
		m.begins.push_back(m.count());
		for (int j = 0; j <= i; j++)
			if (i == j || !upto(0, 7))
				m.add(i, j);
	}
	m.begins.push_back(m.count());
	m.rows = m.columns = n;
	m.describe(0);
	MUST(cusparseSpMatSetAttribute(m.of, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
	MUST(cusparseSpSV_createDescr(&state));
	MUST(cusparseSpSV_bufferSize(sparse, op, &alpha, m.of, x.of, y.of, CUDA_R_32F,
				     CUSPARSE_SPSV_ALG_DEFAULT, state, &bytes));
	MUST(cusparseSpSV_analysis(sparse, op, &alpha, m.of, x.of, y.of, CUDA_R_32F,
				   CUSPARSE_SPSV_ALG_DEFAULT, state, memory(bytes)));
	MUST(cusparseSpSV_solve(sparse, op, &alpha, m.of, x.of, y.of, CUDA_R_32F,
				CUSPARSE_SPSV_ALG_DEFAULT, state));
	CHECK(cudaStreamSynchronize(stream));
	MUST(cusparseSpSV_destroyDescr(state));
}

// ---- cuSOLVER ----

// A matrix as columns with a gap between them, or none: large on the diagonal, and symmetric.
struct square {
	int rows, columns, ld;
	double *at;

	square(int its_rows, int its_columns) : rows(its_rows), columns(its_columns)
	{
		std::vector<double> values;

		ld = rows + (maybe() ? upto(1, 20) : 0);
		for (int j = 0; j < columns; j++)
			for (int i = 0; i < ld; i++)
				values.push_back(i == j ? 1000 : 1 + std::min(i, j) % 7);
		at = put(values);
	}
};

static int *info(void)
{
	return room<int>(1);
}

static void lu(void)
{
	const square a(upto(2, 120), upto(1, 120));
	const int n = upto(2, 120);
	const square b(n, n), c(n, upto(1, 40));
	int *pivots = room<int>(n), bytes;

	MUST(cusolverDnDgetrf_bufferSize(solver, a.rows, a.columns, a.at, a.ld, &bytes));
	MUST(cusolverDnDgetrf(solver, a.rows, a.columns, a.at, a.ld, room<double>(bytes),
			      maybe() ? room<int>(std::min(a.rows, a.columns)) : NULL, info()));
	MUST(cusolverDnDgetrf_bufferSize(solver, n, n, b.at, b.ld, &bytes));
	MUST(cusolverDnDgetrf(solver, n, n, b.at, b.ld, room<double>(bytes), pivots, info()));
	MUST(cusolverDnDgetrs(solver, maybe() ? CUBLAS_OP_T : CUBLAS_OP_N, n, c.columns, b.at, b.ld,
			      pivots, c.at, c.ld, info()));
}

static cublasFillMode_t triangle(void)
{
	return maybe() ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

static void cholesky(void)
{
	const int n = upto(1, 120);
	const cublasFillMode_t part = triangle();
	const square a(n, n), b(n, upto(1, 40));
	int bytes;

	MUST(cusolverDnDpotrf_bufferSize(solver, part, n, a.at, a.ld, &bytes));
	MUST(cusolverDnDpotrf(solver, part, n, a.at, a.ld, room<double>(bytes), bytes, info()));
	MUST(cusolverDnDpotrs(solver, part, n, b.columns, a.at, a.ld, b.at, b.ld, info()));
	MUST(cusolverDnDpotri_bufferSize(solver, part, n, a.at, a.ld, &bytes));
	MUST(cusolverDnDpotri(solver, part, n, a.at, a.ld, room<double>(bytes), bytes, info()));
}

static void qr(void)
{
	const int m = upto(2, 120), n = upto(1, m), columns = upto(1, 40);
	const square a(m, n), c(m, columns);
	double *tau = room<double>(n);
	int bytes;

	MUST(cusolverDnDgeqrf_bufferSize(solver, m, n, a.at, a.ld, &bytes));
	MUST(cusolverDnDgeqrf(solver, m, n, a.at, a.ld, tau, room<double>(bytes), bytes, info()));
	MUST(cusolverDnDormqr_bufferSize(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, columns, n, a.at,
					 a.ld, tau, c.at, c.ld, &bytes));
	MUST(cusolverDnDormqr(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, columns, n, a.at, a.ld, tau,
			      c.at, c.ld, room<double>(bytes), bytes, info()));
	MUST(cusolverDnDorgqr_bufferSize(solver, m, n, n, a.at, a.ld, tau, &bytes));
	MUST(cusolverDnDorgqr(solver, m, n, n, a.at, a.ld, tau, room<double>(bytes), bytes,
			      info()));
}

static cusolverEigMode_t mode(void)
{
	return maybe() ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

static void eigen(void)
{
	const int n = upto(8, 60);
	const cusolverEigMode_t vectors_too = mode();
	const cublasFillMode_t part = triangle();
	const square a(n, n);
	int bytes;

	MUST(cusolverDnDsyevd_bufferSize(solver, vectors_too, part, n, a.at, a.ld, room<double>(n),
					 &bytes));
	MUST(cusolverDnDsyevd(solver, vectors_too, part, n, a.at, a.ld, room<double>(n),
			      room<double>(bytes), bytes, info()));
}

static void svd(void)
{
	static const char LETTERS[] = "ASN";
	const int m = upto(8, 60), n = upto(8, m);
	const signed char u_letter = LETTERS[upto(0, 2)], v_letter = LETTERS[upto(0, 2)];
	const square a(m, n), u(m, m), v(n, n);
	int bytes;

	MUST(cusolverDnDgesvd_bufferSize(solver, m, n, &bytes));
	MUST(cusolverDnDgesvd(solver, u_letter, v_letter, m, n, a.at, a.ld, room<double>(n), u.at,
			      u.ld, v.at, v.ld, room<double>(bytes), bytes, room<double>(n),
			      info()));
}

static void svd_by_jacobi(void)
{
	const int m = upto(8, 60), n = upto(8, 60), economic = upto(0, 1);
	const cusolverEigMode_t vectors_too = mode();
	const square a(m, n), u(m, m), v(n, n);
	double *s = room<double>(std::min(m, n));
	gesvdjInfo_t settings;
	int bytes;

	MUST(cusolverDnCreateGesvdjInfo(&settings));
	MUST(cusolverDnDgesvdj_bufferSize(solver, vectors_too, economic, m, n, a.at, a.ld, s, u.at,
					  u.ld, v.at, v.ld, &bytes, settings));
	MUST(cusolverDnDgesvdj(solver, vectors_too, economic, m, n, a.at, a.ld, s, u.at, u.ld, v.at,
			       v.ld, room<double>(bytes), bytes, info(), settings));
	CHECK(cudaStreamSynchronize(stream));
	MUST(cusolverDnDestroyGesvdjInfo(settings));
}

// The functions with 64-bit sizes and types as parameters.
static void by_types(void)
{
	const int n = upto(8, 100);
	const square a(n, n), b(n, n), c(n, upto(1, 40));
	const cudaDataType type = CUDA_R_64F;
	int64_t *pivots = room<int64_t>(n);
	size_t bytes, host_bytes;

	MUST(cusolverDnXgetrf_bufferSize(solver, params, n, n, type, a.at, a.ld, type, &bytes,
					 &host_bytes));
	std::vector<char> lu_host(host_bytes + 1);

	MUST(cusolverDnXgetrf(solver, params, n, n, type, a.at, a.ld, pivots, type, memory(bytes),
			      bytes, lu_host.data(), host_bytes, info()));
	MUST(cusolverDnXgetrs(solver, params, CUBLAS_OP_N, n, c.columns, type, a.at, a.ld, pivots,
			      type, c.at, c.ld, info()));
	MUST(cusolverDnXpotrf_bufferSize(solver, params, CUBLAS_FILL_MODE_LOWER, n, type, b.at,
					 b.ld, type, &bytes, &host_bytes));
	std::vector<char> host(host_bytes + 1);

	MUST(cusolverDnXpotrf(solver, params, CUBLAS_FILL_MODE_LOWER, n, type, b.at, b.ld, type,
			      memory(bytes), bytes, host.data(), host_bytes, info()));
	CHECK(cudaStreamSynchronize(stream)); // host memory is used until then
}

static const std::function<void()> CALLS[] = {
	vector_product,
	matrix_product,
	sampled_product,
	expand,
	collect,
	transpose,
	compress,
	[] { vectors(0); },
	[] { vectors(1); },
	[] { vectors(2); },
	solve_triangle,
	lu,
	cholesky,
	qr,
	eigen,
	svd,
	svd_by_jacobi,
	by_types,
	vector_product,
	matrix_product,
};

int main(int argc, char **argv)
{
	open_arena();
	is_aligned = true;
	MUST(cusparseCreate(&sparse));
	MUST(cusparseSetStream(sparse, stream));
	MUST(cusolverDnCreate(&solver));
	MUST(cusolverDnSetStream(solver, stream));
	MUST(cusolverDnCreateParams(&params));
	sweep(CALLS, argc, argv);
	MUST(cusolverDnDestroyParams(params));
	MUST(cusolverDnDestroy(solver));
	MUST(cusparseDestroy(sparse));
	close_arena();
	return 0;
}
