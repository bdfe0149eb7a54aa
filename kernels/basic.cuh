// The kernels that test cases launch: each thread has one element.
#pragma once

#define SC_KERNEL static __global__ __attribute__((unused)) void

// out[i] = 2 * in[i]
SC_KERNEL double_into(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[i] * 2.0f;
}

// data[i] *= factor
SC_KERNEL scale(float *data, float factor, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= factor;
}

// data[i] += value
SC_KERNEL add(float *data, float value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += value;
}

static const int threads = 256;

// Blocks for n elements.
static inline int blocks_for(int n)
{
	return (n + threads - 1) / threads;
}
