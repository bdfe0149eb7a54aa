// Calls of cuBLAS, cublasLt, cuFFT and cuRAND with parameters by chance, one after the other in one
// stream, for operands.py: what the manuals say that each touches is compared with what patches on
// the GPU saw its kernels touch. All matrices lie in one allocation, with gaps between them.
//
// usage: sweep CALLS SEED
// nvcc: -lcublas -lcublasLt -lcufft -lcurand
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <curand.h>
#include "tests/gpu/operands/arena.h"

static cublasHandle_t blas;
static cublasLtHandle_t light;
static int accepted, refused; // of its products

// Room for n elements that are used in pairs.
template <class T> static T *pairs(size_t n)
{
	struct pair {
		T first, second;
	};

	return (T *)room<pair>((long long)n / 2);
}

template <class T> static T number(int value)
{
	T result = {};

	if constexpr (sizeof(T) > sizeof(double) || std::is_same_v<T, cuComplex>)
		result.x = value;
	else
		result = (T)(float)value;
	return result;
}

template <class T> static T scalar(void)
{
	return number<T>(upto(0, 2));
}

// A matrix as columns, with a leading dimension that leaves gaps or none.
template <class T> struct matrix {
	T *at;
	int ld;
	long long stride;

	matrix(int rows, int columns, int batches = 1)
	{
		ld = rows + (maybe() ? upto(1, 40) : 0);
		stride = (long long)ld * columns + (maybe() ? upto(0, 100) : 0);
		at = room<T>(stride * batches);
	}
};

struct shape {
	int m = upto(1, 300), n = upto(1, 300), k = upto(1, 200);
	cublasOperation_t a = maybe() ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t b = maybe() ? CUBLAS_OP_T : CUBLAS_OP_N;

	int rows_a() const
	{
		return a == CUBLAS_OP_N ? m : k;
	}
	int columns_a() const
	{
		return a == CUBLAS_OP_N ? k : m;
	}
	int rows_b() const
	{
		return b == CUBLAS_OP_N ? k : n;
	}
	int columns_b() const
	{
		return b == CUBLAS_OP_N ? n : k;
	}
};

template <class T, class F> static void gemm(F f)
{
	const shape s;
	const matrix<T> a(s.rows_a(), s.columns_a()), b(s.rows_b(), s.columns_b()), c(s.m, s.n);
	const T alpha = scalar<T>(), beta = scalar<T>();

	MUST(f(blas, s.a, s.b, s.m, s.n, s.k, &alpha, a.at, a.ld, b.at, b.ld, &beta, c.at, c.ld));
}

template <class T, class F> static void gemm_strided(F f)
{
	const shape s;
	const int batches = upto(1, 6);
	const matrix<T> a(s.rows_a(), s.columns_a(), batches),
		b(s.rows_b(), s.columns_b(), batches), c(s.m, s.n, batches);
	const T alpha = scalar<T>(), beta = scalar<T>();

	MUST(f(blas, s.a, s.b, s.m, s.n, s.k, &alpha, a.at, a.ld, a.stride, b.at, b.ld, b.stride,
	       &beta, c.at, c.ld, c.stride, batches));
}

static void gemm_ex(void)
{
	const shape s;
	const matrix<__half> a(s.rows_a(), s.columns_a()), b(s.rows_b(), s.columns_b());
	const matrix<float> c(s.m, s.n);
	const float alpha = scalar<float>(), beta = scalar<float>();

	MUST(cublasGemmEx(blas, s.a, s.b, s.m, s.n, s.k, &alpha, a.at, CUDA_R_16F, a.ld, b.at,
			  CUDA_R_16F, b.ld, &beta, c.at, CUDA_R_32F, c.ld, CUBLAS_COMPUTE_32F,
			  CUBLAS_GEMM_DEFAULT));
}

// A vector with a step of either sign: its elements lie from the address on either way.
template <class T> struct steps {
	T *at;
	int by;

	explicit steps(int n)
	{
		by = upto(1, 3) * (maybe() ? 1 : -1);
		at = room<T>((long long)n * abs(by));
	}
};

template <class T, class F> static void gemv(F f)
{
	const shape s;
	const int in = s.a == CUBLAS_OP_N ? s.n : s.m, out = s.a == CUBLAS_OP_N ? s.m : s.n;
	const matrix<T> a(s.m, s.n);
	const steps<T> x(in), y(out);
	const T alpha = scalar<T>(), beta = scalar<T>();

	MUST(f(blas, s.a, s.m, s.n, &alpha, a.at, a.ld, x.at, x.by, &beta, y.at, y.by));
}

template <class T, class F> static void ger(F f)
{
	const shape s;
	const matrix<T> a(s.m, s.n);
	const steps<T> x(s.m), y(s.n);
	const T alpha = scalar<T>();

	MUST(f(blas, s.m, s.n, &alpha, x.at, x.by, y.at, y.by, a.at, a.ld));
}

template <class T, class F> static void axpy(F f)
{
	const int n = upto(1, 5000);
	const steps<T> x(n), y(n);
	const T alpha = scalar<T>();

	MUST(f(blas, n, &alpha, x.at, x.by, y.at, y.by));
}

template <class T, class S, class F> static void scal(F f)
{
	const int n = upto(1, 5000), by = upto(1, 3);
	const S alpha = scalar<S>();

	MUST(f(blas, n, &alpha, room<T>((long long)n * by), by));
}

template <class T, class F> static void copy(F f)
{
	const int n = upto(1, 5000);
	const steps<T> x(n), y(n);

	MUST(f(blas, n, x.at, x.by, y.at, y.by));
}

// Results go to device memory half of the time.
template <class R, class F> static void into_result(F f)
{
	R host, *result = &host;
	const bool is_device = maybe();

	if (is_device) {
		result = room<R>(1);
		MUST(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
	}
	MUST(f(result));
	MUST(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
}

template <class T, class F> static void dot(F f)
{
	const int n = upto(1, 5000);
	const steps<T> x(n), y(n);

	into_result<T>([&](T *result) { return f(blas, n, x.at, x.by, y.at, y.by, result); });
}

template <class T, class R, class F> static void norm(F f)
{
	const int n = upto(1, 5000), by = upto(1, 3);
	const T *x = room<T>((long long)n * by);

	into_result<R>([&](R *result) { return f(blas, n, x, by, result); });
}

template <class T, class F> static void trsm(F f)
{
	const shape s;
	const bool is_left = maybe();
	const int order = is_left ? s.m : s.n;
	const matrix<T> a(order, order), b(s.m, s.n);
	const T alpha = scalar<T>();

	MUST(f(blas, is_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
	       maybe() ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, s.a,
	       maybe() ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, s.m, s.n, &alpha, a.at, a.ld,
	       b.at, b.ld));
}

static void light_matmul(void)
{
	is_aligned = true; // as cublasLt takes for granted

	const shape s;
	const matrix<float> a(s.rows_a(), s.columns_a()), b(s.rows_b(), s.columns_b()), c(s.m, s.n);
	float *d = maybe() ? c.at : room<float>(c.stride); // D has C's layout
	const float alpha = scalar<float>(), beta = scalar<float>(), *bias = room<float>(s.m);
	const cublasLtEpilogue_t epilogue =
		maybe() ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t la, lb, lc;

	MUST(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	MUST(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &s.a,
					    sizeof(s.a)));
	MUST(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &s.b,
					    sizeof(s.b)));
	MUST(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
					    sizeof(epilogue)));
	MUST(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
					    sizeof(bias)));
	MUST(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, s.rows_a(), s.columns_a(), a.ld));
	MUST(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, s.rows_b(), s.columns_b(), b.ld));
	MUST(cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, s.m, s.n, c.ld));
	// Which shapes it has kernels for is not said in advance; of a refused one nothing is
	// documented.
	if (cublasLtMatmul(light, product, &alpha, a.at, la, b.at, lb, &beta, c.at, lc, d, lc, NULL,
			   NULL, 0, stream))
		refused++;
	else
		accepted++;
	for (cublasLtMatrixLayout_t layout : {la, lb, lc})
		MUST(cublasLtMatrixLayoutDestroy(layout));
	MUST(cublasLtMatmulDescDestroy(product));
	is_aligned = false;
}

// A plan of one to three dimensions, with rows that are longer than they need be, or plain.
static void transform(void)
{
	static const int LENGTHS[] = {4, 6, 8, 15, 32, 49, 64, 77};
	const int rank = upto(1, 3), kind = upto(0, 2), batches = upto(1, 4), step = upto(1, 2);
	const bool is_plain = maybe(), is_in_place = kind == 0 && maybe();
	int n[3], in_embed[3], out_embed[3];
	long long in_size = step, out_size = step;
	cufftHandle plan;

	for (int i = 0; i < rank; i++) {
		const int half = i == rank - 1 ? LENGTHS[0] : 0;

		n[i] = LENGTHS[upto(0, 7)];
		in_embed[i] = n[i] + (is_plain || is_in_place ? 0 : upto(0, 3)) + half;
		out_embed[i] =
			is_in_place ? in_embed[i] : n[i] + (is_plain ? 0 : upto(0, 3)) + half;
		in_size *= in_embed[i];
		out_size *= out_embed[i];
	}
	MUST(cufftPlanMany(&plan, rank, n, in_embed, step, (int)in_size, out_embed, step,
			   (int)out_size,
			   kind == 0   ? CUFFT_C2C
			   : kind == 1 ? CUFFT_R2C
				       : CUFFT_C2R,
			   batches));
	MUST(cufftSetStream(plan, stream));
	if (kind == 0) {
		cufftComplex *in = room<cufftComplex>(in_size * batches);
		cufftComplex *out = is_in_place ? in : room<cufftComplex>(out_size * batches);

		MUST(cufftExecC2C(plan, in, out, maybe() ? CUFFT_FORWARD : CUFFT_INVERSE));
	} else if (kind == 1) {
		cufftReal *in = pairs<cufftReal>((size_t)(2 * in_size * batches));

		MUST(cufftExecR2C(plan, in, room<cufftComplex>(out_size * batches)));
	} else {
		cufftComplex *in = room<cufftComplex>(in_size * batches);

		MUST(cufftExecC2R(plan, in, pairs<cufftReal>((size_t)(2 * out_size * batches))));
	}
	CHECK(cudaStreamSynchronize(stream));
	MUST(cufftDestroy(plan));
}

static void draw(void)
{
	static const curandRngType_t TYPES[] = {CURAND_RNG_PSEUDO_PHILOX4_32_10,
						CURAND_RNG_PSEUDO_XORWOW,
						CURAND_RNG_PSEUDO_MRG32K3A};
	static curandGenerator_t generators[3];
	const int which = upto(0, 2);
	const size_t n = 2 * (size_t)upto(1, 20000);

	if (!generators[which]) {
		MUST(curandCreateGenerator(&generators[which], TYPES[which]));
		MUST(curandSetStream(generators[which], stream));
	}
	const curandGenerator_t generator = generators[which];

	switch (upto(0, 6)) {
	case 0: MUST(curandGenerate(generator, pairs<unsigned>(n), n)); break;
	case 1: MUST(curandGenerateUniform(generator, pairs<float>(n), n)); break;
	case 2: MUST(curandGenerateUniformDouble(generator, pairs<double>(n), n)); break;
	case 3: MUST(curandGenerateNormal(generator, pairs<float>(n), n, 0, 1)); break;
	case 4: MUST(curandGenerateNormalDouble(generator, pairs<double>(n), n, 0, 1)); break;
	case 5: MUST(curandGenerateLogNormal(generator, pairs<float>(n), n, 0, 1)); break;
	default: MUST(curandGeneratePoisson(generator, pairs<unsigned>(n), n, 4));
	}
}

static const std::function<void()> CALLS[] = {
	[] { gemm<float>(cublasSgemm); },
	[] { gemm<double>(cublasDgemm); },
	[] { gemm<cuComplex>(cublasCgemm); },
	[] { gemm<cuDoubleComplex>(cublasZgemm); },
	[] { gemm<__half>(cublasHgemm); },
	[] { gemm_strided<float>(cublasSgemmStridedBatched); },
	[] { gemm_strided<double>(cublasDgemmStridedBatched); },
	[] { gemm_strided<cuComplex>(cublasCgemmStridedBatched); },
	[] { gemm_strided<cuDoubleComplex>(cublasZgemmStridedBatched); },
	[] { gemm_strided<__half>(cublasHgemmStridedBatched); },
	gemm_ex,
	[] { gemv<float>(cublasSgemv); },
	[] { gemv<double>(cublasDgemv); },
	[] { gemv<cuComplex>(cublasCgemv); },
	[] { gemv<cuDoubleComplex>(cublasZgemv); },
	[] { ger<float>(cublasSger); },
	[] { ger<double>(cublasDger); },
	[] { ger<cuComplex>(cublasCgeru); },
	[] { ger<cuDoubleComplex>(cublasZgerc); },
	[] { axpy<float>(cublasSaxpy); },
	[] { axpy<double>(cublasDaxpy); },
	[] { axpy<cuComplex>(cublasCaxpy); },
	[] { axpy<cuDoubleComplex>(cublasZaxpy); },
	[] { scal<float, float>(cublasSscal); },
	[] { scal<double, double>(cublasDscal); },
	[] { scal<cuComplex, cuComplex>(cublasCscal); },
	[] { scal<cuComplex, float>(cublasCsscal); },
	[] { scal<cuDoubleComplex, double>(cublasZdscal); },
	[] { copy<float>(cublasScopy); },
	[] { copy<double>(cublasDcopy); },
	[] { copy<cuComplex>(cublasCcopy); },
	[] { copy<cuDoubleComplex>(cublasZcopy); },
	[] { dot<float>(cublasSdot); },
	[] { dot<double>(cublasDdot); },
	[] { dot<cuComplex>(cublasCdotc); },
	[] { dot<cuDoubleComplex>(cublasZdotu); },
	[] { norm<float, float>(cublasSnrm2); },
	[] { norm<double, double>(cublasDasum); },
	[] { norm<cuComplex, float>(cublasScasum); },
	[] { norm<cuDoubleComplex, double>(cublasDznrm2); },
	[] { trsm<float>(cublasStrsm); },
	[] { trsm<double>(cublasDtrsm); },
	[] { trsm<cuComplex>(cublasCtrsm); },
	[] { trsm<cuDoubleComplex>(cublasZtrsm); },
	light_matmul,
	light_matmul,
	light_matmul,
	transform,
	transform,
	transform,
	transform,
	draw,
	draw,
	draw,
};

int main(int argc, char **argv)
{
	open_arena();
	MUST(cublasCreate(&blas));
	MUST(cublasSetStream(blas, stream));
	MUST(cublasLtCreate(&light));
	sweep(CALLS, argc, argv);
	printf("cublasLt refused %d of %d products\n", refused, refused + accepted);
	MUST(cublasLtDestroy(light));
	MUST(cublasDestroy(blas));
	close_arena();
	return accepted ? 0 : 1;
}
