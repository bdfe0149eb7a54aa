// y = a * x + y, with a bounds check, and every element compared. Read before a synchronization,
// the result is stale: under `lazy` always, under the other schedules by chance.
// expect: clean
// expect[EARLY]: SC-101 at=read proven order=none
#include "testcases/common.h"

__global__ void saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

// Elements that are not 2 * i + 1.
HOST_LOOP int count_wrong(const float *y, int n)
{
	int wrong = 0;

	for (int i = 0; i < n; i++)
		wrong += y[i] != 2 * (float)i + 1;
	return wrong;
}

int main()
{
	const int N = 50001; // no multiple of the block
	const size_t bytes = N * sizeof(float);
	float *h_x = pinned(bytes), *h_y = pinned(bytes);
	float *d_x = on_device(bytes), *d_y = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < N; i++)
		h_x[i] = (float)i;
	fill(h_y, 1, N);
	CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
	saxpy<<<(N + 255) / 256, 256, 0, stream>>>(2, d_x, d_y, N);
	CHECK(cudaMemcpyAsync(h_y, d_y, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef EARLY
	const char *schedule = getenv("STREAMCHECK_SIM_SCHEDULE");
	int stale = count_wrong(h_y, N); // @read
	if (is_simulated() && schedule && !strcmp(schedule, "lazy") && stale != N - 1)
		return EXIT_WRONG;
#endif
	CHECK(cudaStreamSynchronize(stream));
	if (runs_kernels() && count_wrong(h_y, N))
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_x));
	CHECK(cudaFree(d_y));
	CHECK(cudaFreeHost(h_x));
	CHECK(cudaFreeHost(h_y));
	return 0;
}
