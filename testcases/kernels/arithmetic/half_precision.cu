// Half precision and bfloat16: arithmetic of pairs, comparisons, conversions with rounding, and
// sums by atomics. The numbers are small, so that every result is exact; the host compares them.
// expect: clean
// nvcc: -arch=sm_90
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "testcases/common.h"

#define N 4096

__global__ void halves(const float *x, float *y, __half *total, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	__half h = __float2half(x[i]);
	__half2 pair = __floats2half2_rn(x[i], -x[i]);
	__half2 product = __hfma2(pair, __float2half2_rn(2), __float2half2_rn(0.5f));

	// 2x + 0.5 and -2x + 0.5, of which the larger one counts.
	h = __hmax(__low2half(product), __high2half(product));
	if (__hgt(h, __float2half(16)))
		h = __hsub(h, __float2half(16));
	y[i] = __half2float(h);
	if (i < 32)
		atomicAdd(total, __float2half(0.25f));
}

__global__ void brains(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	__nv_bfloat16 b = __float2bfloat16_rn(x[i]);
	__nv_bfloat162 pair = __halves2bfloat162(b, __hneg(b));

	pair = __hmul2(pair, pair);
	y[i] = __bfloat162float(__low2bfloat16(pair)) - __bfloat162float(__high2bfloat16(pair)) +
	       __bfloat162float(__habs(b));
}

// 257 lies in the middle between two numbers of bfloat16, 2049 between two of half precision.
__global__ void roundings(float *out)
{
	out[0] = __bfloat162float(__float2bfloat16_rn(257));
	out[1] = __bfloat162float(__float2bfloat16_rz(259));
	out[2] = __half2float(__float2half_rn(2049));
	out[3] = __half2float(__float2half_ru(2049));
	out[4] = (float)__half2int_rn(__float2half(2.5f));
	out[5] = __half2float(__float2half(70000));
}

HOST_LOOP float expected_half(float x)
{
	float larger = x > 0 ? 2 * x + 0.5f : -2 * x + 0.5f;

	return larger > 16 ? larger - 16 : larger;
}

HOST_LOOP int count_wrong(const float *x, const float *halves, const float *brains)
{
	int wrong = 0;

	for (int i = 0; i < N; i++) {
		wrong += halves[i] != expected_half(x[i]);
		wrong += brains[i] != (x[i] < 0 ? -x[i] : x[i]);
	}
	return wrong;
}

HOST_LOOP bool is_rounded(const float *r)
{
	return r[0] == 256 && r[1] == 258 && r[2] == 2048 && r[3] == 2050 && r[4] == 2 &&
	       r[5] > 1e30f;
}

int main()
{
	const size_t bytes = N * sizeof(float);
	float *h_x = pinned(bytes), *h_y = pinned(bytes), *h_z = pinned(bytes);
	float *h_rounded = pinned(6 * sizeof(float));
	float *d_x = on_device(bytes), *d_y = on_device(bytes), *d_z = on_device(bytes);
	float *d_rounded = on_device(6 * sizeof(float)), *d_total = on_device(sizeof(float));
	__half total;

	for (int i = 0; i < N; i++)
		h_x[i] = (float)(i % 33 - 16) / 2;
	CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(d_total, 0, sizeof(float)));
	halves<<<N / 128, 128>>>(d_x, d_y, (__half *)d_total, N);
	brains<<<N / 128, 128>>>(d_x, d_z, N);
	roundings<<<1, 1>>>(d_rounded);
	CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(h_z, d_z, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(h_rounded, d_rounded, 6 * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&total, d_total, sizeof(total), cudaMemcpyDeviceToHost));
	if (runs_kernels() &&
	    (count_wrong(h_x, h_y, h_z) || !is_rounded(h_rounded) || __half2float(total) != 8))
		return EXIT_WRONG;
	CHECK(cudaFree(d_x));
	CHECK(cudaFree(d_y));
	CHECK(cudaFree(d_z));
	CHECK(cudaFree(d_rounded));
	CHECK(cudaFree(d_total));
	CHECK(cudaFreeHost(h_x));
	CHECK(cudaFreeHost(h_y));
	CHECK(cudaFreeHost(h_z));
	CHECK(cudaFreeHost(h_rounded));
	return 0;
}
