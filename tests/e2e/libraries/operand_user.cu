// Products and collectives whose operands another stream uses: use(WAY) is one use of the
// libraries, and what stream b does beside it is wrong or right by the library's manual alone.
#include <errno.h>
#include "tests/e2e/libraries/operands.h"
#include "tests/e2e/libraries/sparse_user.h"
#include "tests/e2e/libraries/two_streams.h"

#define EDGE	 32
#define MATRIX	 (EDGE * EDGE)
#define MATRICES 40   // in one block, as frameworks have it
#define NUMBER	 7    // of a float for NCCL
#define COMPLEX	 0x29 // transforms of cuFFT: between complex numbers,
#define REAL	 0x2a // and of real ones

static float *block;
static cublasHandle_t handle;
static ncclComm_t communicator;

static float *matrix(int number)
{
	return block + number * MATRIX;
}

static void must_be(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "%s\n", what);
	exit(EXIT_WRONG);
}

static bool is(const char *way, const char *name)
{
	return !strcmp(way, name);
}

// What stream b does meanwhile: it fills a matrix.
static void refill(float *data)
{
	CHECK(cudaMemsetAsync(data, 0, MATRIX * sizeof(float), b));
}

// matrix 2 = matrix 0 * matrix 1, with `depth` elements to a sum.
static void multiply(int depth)
{
	const float alpha = 1, beta = 0;

	must(cublasSgemm_v2(handle, 0, 0, EDGE, EDGE, depth, &alpha, matrix(0), EDGE, matrix(20),
			    depth, &beta, matrix(2), EDGE));
}

static void product_on_device(void)
{
	float *one = on_device(sizeof(*one));

	must(cublasSetPointerMode_v2(handle, 1));
	must(cublasSgemm_v2(handle, 0, 0, EDGE, EDGE, EDGE, one, matrix(0), EDGE, matrix(1), EDGE,
			    one, matrix(2), EDGE));
	refill(matrix(0));
}

// Columns of matrix 2 have a gap of a column's length between them.
static void product_with_gaps(void)
{
	const float alpha = 1, beta = 0;

	must(cublasSgemm_v2(handle, 0, 0, EDGE, EDGE, EDGE, &alpha, matrix(0), EDGE, matrix(1),
			    EDGE, &beta, matrix(2), 2 * EDGE));
	CHECK(cudaMemsetAsync(matrix(2) + EDGE, 0, EDGE * sizeof(float), b));
}

static void batch(int batches)
{
	const float alpha = 1, beta = 1;

	must(cublasSgemmStridedBatched(handle, 0, 0, EDGE, EDGE, EDGE, &alpha, matrix(0), EDGE,
				       MATRIX, matrix(5), EDGE, 0, &beta, matrix(10), EDGE,
				       2 * MATRIX, batches));
}

// A call that ends by an exception is over, and the next one counts.
static void after_a_throw(void)
{
	try {
		multiply(THROWN_DEPTH);
		must(-1);
	} catch (int depth) {
		must_be(depth == THROWN_DEPTH, "another exception than the library's");
	}
	CHECK(cudaDeviceSynchronize());
	multiply(EDGE);
	refill(matrix(0));
}

// Both read one matrix, and both get pointers into one block; each handle has its scratch memory.
static void two_products(void)
{
	const float alpha = 1, beta = 0;
	cublasHandle_t other;

	must(cublasCreate_v2(&other));
	must(cublasSetStream_v2(other, b));
	multiply(EDGE);
	must(cublasSgemm_v2(other, 0, 0, EDGE, EDGE, EDGE, &alpha, matrix(0), EDGE, matrix(1), EDGE,
			    &beta, matrix(3), EDGE));
	CHECK(cudaDeviceSynchronize());
	must(cublasDestroy_v2(other));
}

// A call that the library refuses says nothing of what came before it, nor of what comes.
static void refused(void)
{
	const float alpha = 1, beta = 0;

	must_be(cublasSgemm_v2(handle, 0, 0, EDGE, EDGE, EDGE, &alpha, matrix(0), 1, matrix(1),
			       EDGE, &beta, matrix(2), EDGE) == 1,
		"the library's answer is not what the program got");
	refill(matrix(0));
}

// The parameters of a node may be changed after it was captured: what the call said is over then.
static void change(cudaGraph_t graph)
{
	cudaKernelNodeParams params;
	cudaGraphNode_t node;
	size_t count = 1;

	CHECK(cudaGraphGetNodes(graph, &node, &count));
	CHECK(cudaGraphKernelNodeGetParams(node, &params));
	params.gridDim.x = 2;
	CHECK(cudaGraphKernelNodeSetParams(node, &params));
}

static void captured(bool is_changed, int depth, int refilled)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
	multiply(depth);
	CHECK(cudaStreamEndCapture(a, &graph));
	if (is_changed)
		change(graph);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, a));
	refill(matrix(refilled));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

static bool product(const char *way)
{
	if (is(way, "product") || is(way, "product_ordered")) {
		errno = 0;
		multiply(EDGE);
		must_be(errno == EDOM, "errno is not the library's");
		if (is(way, "product_ordered"))
			order();
		refill(matrix(0));
	} else if (is(way, "product_elsewhere")) {
		multiply(EDGE);
		refill(matrix(1));
	} else if (is(way, "product_split") || is(way, "product_copied")) {
		multiply(is(way, "product_split") ? SPLIT_DEPTH : COPIED_DEPTH);
		refill(matrix(20));
	} else if (is(way, "product_on_device")) {
		product_on_device();
	} else if (is(way, "product_with_gaps")) {
		product_with_gaps();
	} else if (is(way, "after_a_throw")) {
		after_a_throw();
	} else if (is(way, "two_products")) {
		two_products();
	} else if (is(way, "batch") || is(way, "batch_between") || is(way, "nested")) {
		batch(is(way, "nested") ? 1 : 2);
		refill(matrix(is(way, "batch_between") ? 11 : is(way, "batch") ? 12 : 10));
	} else if (is(way, "scratch")) {
		must(cublasSetWorkspace_v2(handle, matrix(30), MATRIX * sizeof(float)));
		multiply(EDGE);
		refill(matrix(30));
	} else if (is(way, "refused")) {
		refused();
	} else if (is(way, "captured") || is(way, "captured_changed")) {
		captured(is(way, "captured_changed"), EDGE, 0);
	} else if (is(way, "captured_elsewhere")) {
		captured(false, EDGE, 1);
	} else if (is(way, "captured_split")) {
		captured(false, SPLIT_DEPTH, 20);
	} else {
		return false;
	}
	return true;
}

// A matrix of cublasLt: type, order, rows, columns, distance of columns, matrices.
static described layout(void)
{
	return {{0, 0, EDGE, EDGE, EDGE, 1}};
}

// matrix 3 = matrix 0 * matrix 1 + matrix 2, and a bias to each column.
static void light(int refilled)
{
	const float alpha = 1, beta = 1;
	const described matrix_layout = layout();
	described product = {};

	product.attribute[6] = 2; // all of the result
	product.attribute[7] = 4; // with a bias
	product.attribute[8] = (int64_t)matrix(4);
	product.attribute[26] = -1; // of the result's type
	must(cublasLtMatmul(NULL, &product, &alpha, matrix(0), &matrix_layout, matrix(1),
			    &matrix_layout, &beta, matrix(2), &matrix_layout, matrix(3),
			    &matrix_layout, NULL, matrix(6), MATRIX * sizeof(float), a));
	if (refilled == 4) // behind the bias
		CHECK(cudaMemsetAsync(matrix(4) + EDGE, 0, EDGE * sizeof(float), b));
	else
		refill(matrix(refilled));
}

static void grouped(bool is_apart, int operation)
{
	must(ncclGroupStart());
	must(ncclAllReduce(matrix(0), matrix(1), MATRIX, NUMBER, operation, communicator, a));
	must(ncclGroupStart());
	must(ncclAllReduce(matrix(2), matrix(3), MATRIX, NUMBER, operation, communicator, b));
	must(ncclGroupEnd());
	must(ncclAllReduce(matrix(4), matrix(5), MATRIX, NUMBER, operation, communicator, a));
	must(ncclGroupEnd());
	refill(matrix(is_apart ? 3 : 5)); // of b, or of a
}

static bool collective(const char *way)
{
	if (is(way, "reduced") || is(way, "reduced_ordered")) {
		must(ncclAllReduce(matrix(0), matrix(1), MATRIX, NUMBER, 0, communicator, a));
		if (is(way, "reduced_ordered"))
			order();
		refill(matrix(1));
	} else if (is(way, "gathered") || is(way, "gathered_elsewhere")) {
		must(ncclAllGather(matrix(0), matrix(1), MATRIX, NUMBER, communicator, a));
		refill(matrix(is(way, "gathered") ? 2 : 3)); // there are two ranks
	} else if (is(way, "gathered_by_root") || is(way, "gathered_by_other")) {
		must(ncclGather(matrix(0), matrix(1), MATRIX, NUMBER, is(way, "gathered_by_root"),
				communicator, a));
		refill(matrix(2));
	} else if (is(way, "put") ||
		   is(way, "put_beside")) { // its window has the matrices from 4 on
		must(ncclPutSignal(matrix(0), MATRIX, NUMBER, 1, matrix(4), 0, 0, 0, 0,
				   communicator, a));
		refill(matrix(is(way, "put") ? 0 : 1));
	} else if (is(way, "received")) { // this rank is not the root
		must(ncclBroadcast(matrix(0), matrix(1), MATRIX, NUMBER, 0, communicator, a));
		refill(matrix(0));
	} else if (is(way, "grouped") || is(way, "grouped_apart")) {
		grouped(is(way, "grouped_apart"), 0);
	} else if (is(way, "grouped_in_one_stream")) {
		grouped(true, JOINED);
	} else {
		return false;
	}
	return true;
}

static int line(int type, int batch)
{
	int plan;

	must(cufftPlan1d(&plan, EDGE, type, batch));
	must(cufftSetStream(plan, a));
	return plan;
}

// EDGE complex numbers of matrix 0 become those of matrix 2, `batch` times.
static void transform(int batch)
{
	int plan = line(COMPLEX, batch);

	must(cufftExecC2C(plan, matrix(0), matrix(2), -1));
	must(cufftDestroy(plan));
}

// EDGE rows of matrix 0, each with a gap of its own length behind it.
static void transform_with_gaps(void)
{
	int plan, n[] = {EDGE}, embed[] = {EDGE};

	must(cufftPlanMany(&plan, 1, n, embed, 1, 2 * EDGE, embed, 1, EDGE, COMPLEX, EDGE / 4));
	must(cufftSetStream(plan, a));
	must(cufftExecC2C(plan, matrix(0), matrix(10), -1));
	CHECK(cudaMemsetAsync(matrix(0) + 2 * EDGE, 0, 2 * EDGE * sizeof(float), b));
}

// The plan has the number of one that was destroyed, and another size.
static void transform_by_second_plan(void)
{
	int first = line(COMPLEX, EDGE / 2), second;

	must(cufftDestroy(first));
	second = line(COMPLEX, 1);
	must_be(first == second, "numbers of plans do not come again");
	must(cufftExecC2C(second, matrix(0), matrix(2), -1));
	CHECK(cudaMemsetAsync(matrix(0) + 2 * EDGE, 0, sizeof(float), b)); // behind it
}

static void transform_with_callback(void)
{
	int plan = line(COMPLEX, 1);
	void *routine = &plan;

	must(cufftXtSetCallback(plan, &routine, 0, NULL));
	must(cufftExecC2C(plan, matrix(0), matrix(2), -1));
	refill(matrix(0));
}

// Real numbers in place: what they become is two numbers longer.
static void transform_in_place(void)
{
	int plan = line(REAL, 1);

	must(cufftExecR2C(plan, matrix(0), matrix(0)));
	CHECK(cudaMemsetAsync(matrix(0) + EDGE + 1, 0, sizeof(float), b));
}

static void draw(int refilled)
{
	cudaStream_t stream_of_generator;

	must(curandSetStream(&stream_of_generator, a));
	must(curandGenerateNormal(&stream_of_generator, matrix(0), MATRIX, 1.5f, 0.25f));
	refill(matrix(refilled));
}

static bool transformed(const char *way)
{
	if (is(way, "transform") || is(way, "transform_ordered")) {
		transform(1);
		if (is(way, "transform_ordered"))
			order();
		refill(matrix(2));
	} else if (is(way, "transform_elsewhere")) {
		transform(1);
		CHECK(cudaMemsetAsync(matrix(0) + 2 * EDGE, 0, sizeof(float), b));
	} else if (is(way, "transform_batch")) {
		transform(2);
		CHECK(cudaMemsetAsync(matrix(0) + 2 * EDGE, 0, sizeof(float), b));
	} else if (is(way, "transform_with_gaps")) {
		transform_with_gaps();
	} else if (is(way, "transform_by_second_plan")) {
		transform_by_second_plan();
	} else if (is(way, "transform_with_callback")) {
		transform_with_callback();
	} else if (is(way, "transform_in_place")) {
		transform_in_place();
	} else if (is(way, "drawn") || is(way, "drawn_elsewhere")) {
		draw(is(way, "drawn") ? 0 : 1);
	} else {
		return false;
	}
	return true;
}

static bool light_way(const char *way)
{
	static const char *const ways[] = {"light_a", "light_c", "light_d", "light_bias_end",
					   "light_scratch"};
	static const int refilled[] = {0, 2, 3, 4, 6};

	for (int i = 0; i < 5; i++) {
		if (!is(way, ways[i]))
			continue;
		light(refilled[i]);
		return true;
	}
	return false;
}

extern "C" int use(const char *way)
{
	block = on_device(MATRICES * MATRIX * sizeof(float));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	must(cublasCreate_v2(&handle));
	must(cublasSetStream_v2(handle, a));
	must(ncclFake(&communicator, 1, 2));
	must_be(product(way) || light_way(way) || collective(way) || transformed(way) ||
			sparse_or_solver(way, a, b),
		"no such way");
	CHECK(cudaDeviceSynchronize());
	must(cublasDestroy_v2(handle));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
