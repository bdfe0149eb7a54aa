// A signal is refilled in another stream while cuFFT may read it, or numbers are drawn into it
// (-DDRAWN): what the closed kernels touch is known by the plan, and by the call. With an event
// (-DFIXED), or where bytes behind the signal are filled (-DAPART), that is right. Also looks that
// a transform writes its rows and nothing of the gaps between them.
//
// nvcc: -lcufft -lcurand
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[DRAWN]: SC-105 at=refill proven order=no_event
#include <cufft.h>
#include <curand.h>
#include "testcases/common.h"

static const int N = 1024, ROWS = 16;
static const float UNTOUCHED = 7;

static cudaStream_t a, b;
static cufftHandle plan;
static curandGenerator_t generator;

static void must(int status)
{
	if (!status)
		return;
	fprintf(stderr, "the library answered %d\n", status);
	exit(1);
}

// ROWS transforms; the rows of the result have gaps of their own length.
static void make_plan(void)
{
	int n[] = {N}, embed[] = {N};

	must(cufftPlanMany(&plan, 1, n, embed, 1, N, embed, 1, 2 * N, CUFFT_C2C, ROWS));
	must(cufftSetStream(plan, a));
	must(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
	must(curandSetStream(generator, a));
}

static void work(cufftComplex *in, cufftComplex *out)
{
#ifdef DRAWN
	(void)out;
	must(curandGenerateNormal(generator, (float *)in, (size_t)2 * N * ROWS, 0, 1));
#else
	must(cufftExecC2C(plan, in, out, CUFFT_FORWARD));
#endif
}

static void verify_rows(const cufftComplex *out)
{
	const size_t row = (size_t)2 * N;
	float *host = pinned(2 * row * ROWS * sizeof(float));

	CHECK(cudaMemcpy(host, out, 2 * row * ROWS * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < ROWS; i++) {
#ifndef DRAWN
		verify(host + 2 * row * i, 0, (int)row);
#endif
		verify(host + 2 * row * i + row, UNTOUCHED, (int)row);
	}
	CHECK(cudaFreeHost(host));
}

int main()
{
	const size_t in_bytes = sizeof(cufftComplex) * N * ROWS, out_bytes = 2 * in_bytes;
	char *block = (char *)on_device(in_bytes + out_bytes + N * sizeof(float));
	cufftComplex *in = (cufftComplex *)block, *out = (cufftComplex *)(block + in_bytes);
	float *host = pinned(out_bytes), *refilled = (float *)in;
	cudaEvent_t done;

	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMemset(in, 0, in_bytes));
	fill(host, UNTOUCHED, (int)(out_bytes / sizeof(float)));
	CHECK(cudaMemcpy(out, host, out_bytes, cudaMemcpyHostToDevice));
	make_plan();
	work(in, out); // the first one loads code, which waits for the device
	CHECK(cudaDeviceSynchronize());

	work(in, out);
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
#ifdef APART
	refilled = (float *)(block + in_bytes + out_bytes);
#endif
	CHECK(cudaMemsetAsync(refilled, 0, N * sizeof(float), b)); // @refill
	CHECK(cudaDeviceSynchronize());
	verify_rows(out);

	must(cufftDestroy(plan));
	must(curandDestroyGenerator(generator));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaFreeHost(host));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
