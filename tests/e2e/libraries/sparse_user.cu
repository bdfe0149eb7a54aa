// Sparse products and solvers whose operands another stream uses: the ways of operand_user.cu that
// are about cuSPARSE and cuSOLVER.
#include "tests/e2e/libraries/sparse.h"
#include "tests/e2e/libraries/sparse_user.h"
#include "tests/e2e/libraries/two_streams.h"

#define ROWS	32
#define COUNT	64	  // elements of the sparse matrix
#define INT32	2	  // indices of cuSPARSE
#define FLOAT	0	  // elements
#define COLUMNS 1	  // order of a dense matrix
#define PLACE	(1 << 10) // elements from one array to the next, in one block

enum place { OFFSETS, INDICES, VALUES, X, Y, BUFFER, A, PIVOTS, SCRATCH, INFO, OTHER, PLACES };

static float *block;

static float *place(int number)
{
	return block + number * PLACE;
}

static void fill_in_b(float *at, size_t bytes)
{
	CHECK(cudaMemsetAsync(at, 0, bytes, b));
}

// ---- cuSPARSE ----

static cusparseHandle_t sparse;
static descriptor *matrix;

static void make_matrix(void)
{
	must(cusparseCreate(&sparse));
	must(cusparseSetStream(sparse, a));
	must(cusparseCreateCsr(&matrix, ROWS, ROWS, COUNT, place(OFFSETS), place(INDICES),
			       place(VALUES), INT32, INT32, 0, FLOAT));
}

struct factors {
	float alpha, beta;
	bool asks, prepares;
};

static void multiply(const factors &f)
{
	descriptor *x, *y;
	size_t bytes;

	must(cusparseCreateDnVec(&x, ROWS, place(X), FLOAT));
	must(cusparseCreateDnVec(&y, ROWS, place(Y), FLOAT));
	if (f.asks)
		must(cusparseSpMV_bufferSize(sparse, 0, &f.alpha, matrix, x, &f.beta, y, FLOAT, 0,
					     &bytes));
	if (f.prepares)
		must(cusparseSpMV_preprocess(sparse, 0, &f.alpha, matrix, x, &f.beta, y, FLOAT, 0,
					     place(BUFFER)));
	must(cusparseSpMV(sparse, 0, &f.alpha, matrix, x, &f.beta, y, FLOAT, 0, place(BUFFER)));
}

// Columns of the result have a gap of their own length between them.
static void multiply_matrix(void)
{
	const float alpha = 1, beta = 0;
	descriptor *in, *out;

	must(cusparseCreateDnMat(&in, ROWS, 4, ROWS, place(X), FLOAT, COLUMNS));
	must(cusparseCreateDnMat(&out, ROWS, 4, 2 * ROWS, place(Y), FLOAT, COLUMNS));
	must(cusparseSpMM(sparse, 0, 0, &alpha, matrix, in, &beta, out, FLOAT, 0, NULL));
}

// What the matrix had is kept by the analysis, after which the values may be read no more.
static void solve(void)
{
	const float alpha = 1;
	analyzed *state;
	descriptor *x, *y;
	size_t bytes;

	must(cusparseCreateDnVec(&x, ROWS, place(X), FLOAT));
	must(cusparseCreateDnVec(&y, ROWS, place(Y), FLOAT));
	must(cusparseSpSV_createDescr(&state));
	must(cusparseSpSV_bufferSize(sparse, 0, &alpha, matrix, x, y, FLOAT, 0, state, &bytes));
	must(cusparseSpSV_analysis(sparse, 0, &alpha, matrix, x, y, FLOAT, 0, state,
				   place(BUFFER)));
	must(cusparseSpSV_solve(sparse, 0, &alpha, matrix, x, y, FLOAT, 0, state));
}

// The transposed matrix becomes arrays of its own: offsets at Y, rows at X, values at A.
static void transpose(void)
{
	size_t bytes;

	must(cusparseCsr2cscEx2_bufferSize(sparse, ROWS, ROWS, COUNT, place(VALUES),
					   (int *)place(OFFSETS), (int *)place(INDICES), place(A),
					   (int *)place(Y), (int *)place(X), FLOAT, 1, 0, 1,
					   &bytes));
	must(cusparseCsr2cscEx2(sparse, ROWS, ROWS, COUNT, place(VALUES), (int *)place(OFFSETS),
				(int *)place(INDICES), place(A), (int *)place(Y), (int *)place(X),
				FLOAT, 1, 0, 1, place(BUFFER)));
}

static void compress(void)
{
	must(cusparseXcoo2csr(sparse, (int *)place(X), COUNT, ROWS, (int *)place(Y), 0));
}

static const struct {
	const char *way;
	void (*work)(void);
	int place, first, count; // elements
} others[] = {
	{"sparse_compressed", compress, Y, ROWS, 1},
	{"sparse_behind_compressed", compress, Y, ROWS + 1, 1},
	{"sparse_solved", solve, X, 0, ROWS},
	{"sparse_solved_matrix", solve, VALUES, 0, COUNT},
	{"sparse_solved_buffer", solve, BUFFER, ROWS - 1, 1},
	{"sparse_behind_solved_buffer", solve, BUFFER, ROWS, 1},
	{"sparse_transposed", transpose, X, COUNT - 1, 1},
	{"sparse_behind_transposed", transpose, Y, ROWS + 1, 1},
	{"sparse_transposed_buffer", transpose, BUFFER, 2 * ROWS - 1, 1},
};

static bool is(const char *way, const char *name)
{
	return !strcmp(way, name);
}

// What stream b fills meanwhile.
static const struct {
	const char *way;
	factors f;
	int place, first, count; // elements
} products[] = {
	{"sparse_values", {1, 0, true, false}, VALUES, 0, COUNT},
	{"sparse_behind_values", {1, 0, true, false}, VALUES, COUNT, 1},
	{"sparse_offsets", {1, 0, true, false}, OFFSETS, ROWS, 1},
	{"sparse_behind_offsets", {1, 0, true, false}, OFFSETS, ROWS + 1, 1},
	{"sparse_offsets_prepared", {1, 0, true, true}, OFFSETS, 0, ROWS},
	{"sparse_in", {1, 0, true, false}, X, 0, ROWS},
	{"sparse_out", {1, 0, true, false}, Y, 0, ROWS},
	{"sparse_out_added", {1, 1, true, false}, Y, 0, ROWS},
	{"sparse_by_nothing", {0, 0, true, false}, VALUES, 0, COUNT},
	{"sparse_buffer", {1, 0, true, false}, BUFFER, 0, ROWS},
	{"sparse_behind_buffer", {1, 0, true, false}, BUFFER, ROWS, 1},
	{"sparse_unasked", {1, 0, false, false}, X, 0, ROWS},
};

static bool sparse_way(const char *way)
{
	make_matrix();
	for (const auto &p : products) {
		if (!is(way, p.way))
			continue;
		multiply(p.f);
		fill_in_b(place(p.place) + p.first, (size_t)p.count * sizeof(float));
		return true;
	}
	for (const auto &o : others) {
		if (!is(way, o.way))
			continue;
		o.work();
		fill_in_b(place(o.place) + o.first, (size_t)o.count * sizeof(float));
		return true;
	}
	if (is(way, "sparse_ordered")) {
		multiply({1, 0, true, false});
		order();
		fill_in_b(place(VALUES), COUNT * sizeof(float));
	} else if (is(way, "sparse_moved")) { // what it had before is free
		must(cusparseCsrSetPointers(matrix, place(OFFSETS), place(INDICES), place(OTHER)));
		multiply({1, 0, true, false});
		fill_in_b(place(VALUES), COUNT * sizeof(float));
	} else if (is(way, "sparse_matrix")) {
		multiply_matrix();
		fill_in_b(place(Y), ROWS * sizeof(float));
	} else if (is(way, "sparse_matrix_gap")) {
		multiply_matrix();
		fill_in_b(place(Y) + ROWS, ROWS * sizeof(float));
	} else {
		return false;
	}
	return true;
}

// ---- cuSOLVER ----

static cusolverDnHandle_t solver;

// Columns of the matrix have a gap of their own length between them.
static void factor(void)
{
	must(cusolverDnSgetrf(solver, ROWS / 2, ROWS / 2, place(A), ROWS, place(SCRATCH),
			      (int *)place(PIVOTS), (int *)place(INFO)));
}

static void factor_triangle(void)
{
	must(cusolverDnXpotrf(solver, NULL, 0, ROWS, FLOAT, place(A), ROWS, FLOAT, place(SCRATCH),
			      100, NULL, 0, (int *)place(INFO)));
}

static const struct {
	const char *way;
	void (*work)(void);
	int place, first, count; // elements
} factors_of[] = {
	{"solver_matrix", factor, A, 0, ROWS},
	{"solver_gap", factor, A, ROWS / 2, ROWS / 2},
	{"solver_pivots", factor, PIVOTS, 0, ROWS / 2},
	{"solver_behind_pivots", factor, PIVOTS, ROWS / 2, 1},
	{"solver_scratch", factor, SCRATCH, ROWS - 1, 1},
	{"solver_behind_scratch", factor, SCRATCH, ROWS, 1},
	{"solver_info", factor, INFO, 0, 1},
	{"solver_triangle", factor_triangle, A, 0, ROWS *ROWS},
	{"solver_triangle_inside", factor_triangle, A, ROWS + 1, 1},
	{"solver_behind_triangle", factor_triangle, A, ROWS *ROWS - ROWS + ROWS, 1},
};

static bool solver_way(const char *way)
{
	must(cusolverDnCreate(&solver));
	must(cusolverDnSetStream(solver, a));
	for (const auto &f : factors_of) {
		if (!is(way, f.way))
			continue;
		f.work();
		fill_in_b(place(f.place) + f.first, (size_t)f.count * sizeof(float));
		return true;
	}
	if (!is(way, "solver_waits") && !is(way, "solver_waits_apart"))
		return false;
	must(cusolverDnSsyevd(solver, 1, 0, ROWS, place(A), ROWS, place(X), place(SCRATCH), 100,
			      (int *)place(INFO)));
	fill_in_b(place(is(way, "solver_waits") ? A : OTHER), ROWS * sizeof(float));
	return true;
}

bool sparse_or_solver(const char *way, cudaStream_t first, cudaStream_t second)
{
	bool is_there;

	a = first;
	b = second;
	block = on_device(PLACES * PLACE * sizeof(float));
	is_there = sparse_way(way) || solver_way(way);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(block));
	return is_there;
}
