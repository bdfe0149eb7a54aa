// A Fourier transform by hand: radix 2 in shared memory, the order of the input reversed by __brev,
// the factors by sincospif. Compared with sums on the host, and with the way back.
// expect: clean
#include "testcases/compute.h"

static const int POINTS = 256, BITS = 8, SIGNALS = 6;

__device__ static float2 times(float2 a, float2 b)
{
	return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// One signal for each block; a thread computes a butterfly at each level.
__global__ void transform(const float2 *in, float2 *out, int direction)
{
	__shared__ float2 data[POINTS];
	int first = blockIdx.x * POINTS;

	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		data[__brev(i) >> (32 - BITS)] = in[first + i];
	for (int half = 1; half < POINTS; half *= 2) {
		int low = threadIdx.x / half * half * 2 + threadIdx.x % half;
		float2 factor;

		sincospif((float)direction * (threadIdx.x % half) / half, &factor.y, &factor.x);
		__syncthreads();
		float2 a = data[low], b = times(data[low + half], factor);
		data[low] = make_float2(a.x + b.x, a.y + b.y);
		data[low + half] = make_float2(a.x - b.x, a.y - b.y);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		out[first + i] = data[i];
}

HOST_LOOP void transform_on_host(const float2 *in, float2 *out)
{
	for (int k = 0; k < POINTS; k++) {
		double x = 0, y = 0;

		for (int i = 0; i < POINTS; i++) {
			double angle = -2 * M_PI * (i * k % POINTS) / POINTS;

			x += in[i].x * cos(angle) - in[i].y * sin(angle);
			y += in[i].x * sin(angle) + in[i].y * cos(angle);
		}
		out[k] = make_float2((float)x, (float)y);
	}
}

int main()
{
	need_kernels();
	const int N = POINTS * SIGNALS;
	float2 *in = host_array<float2>(N), *got = host_array<float2>(N);
	float2 *want = host_array<float2>(N);
	unsigned state = 13;

	for (int i = 0; i < N; i++)
		in[i] = make_float2(random_unit(&state) - 0.5f, random_unit(&state) - 0.5f);
	float2 *d_in = device_copy(in, N), *d_out = device_array<float2>(N);

	transform<<<SIGNALS, POINTS / 2>>>(d_in, d_out, -1);
	read_back(got, d_out, N);
	for (int i = 0; i < SIGNALS; i++)
		transform_on_host(in + i * POINTS, want + i * POINTS);
	expect_near("spectrum", &got->x, &want->x, 2 * N, 1e-4);
	transform<<<SIGNALS, POINTS / 2>>>(d_out, d_in, 1);
	read_back(got, d_in, N);
	for (int i = 0; i < N; i++)
		got[i] = make_float2(got[i].x / POINTS, got[i].y / POINTS);
	expect_near("and back", &got->x, &in->x, 2 * N, 1e-5);
	free_device(d_in, d_out);
	free_host(in, got, want);
	return 0;
}
