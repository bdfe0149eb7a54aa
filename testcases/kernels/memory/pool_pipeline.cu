// Chunks that go through three streams at the same time, with memory from the stream's own pool
// (cudaMallocAsync), copies in both directions, and kernels; events order the reuse of the results.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int CHUNKS = 9, EACH = 1000, STREAMS = 3;

__host__ __device__ static float smoothed(const float *in, int i)
{
	float left = i ? in[i - 1] : in[i], right = i + 1 < EACH ? in[i + 1] : in[i];

	return 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

__global__ void smooth(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < EACH)
		out[i] = smoothed(in, i);
}

// Adds a chunk's numbers to a sum in whole units, so that the order does not matter.
__global__ void add_up(const float *in, unsigned long long *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < EACH)
		atomicAdd(sum, (unsigned long long)(in[i] * 16));
}

int main()
{
	need_kernels();
	const size_t bytes = EACH * sizeof(float);
	float *in = host_array<float>(CHUNKS * EACH), *got = host_array<float>(CHUNKS * EACH);
	float *want = host_array<float>(CHUNKS * EACH);
	unsigned long long *sum = host_array<unsigned long long>(1), expected = 0;
	unsigned long long *d_sum = device_zeros<unsigned long long>(1);
	cudaStream_t streams[STREAMS];
	cudaEvent_t done[STREAMS];
	unsigned state = 127;

	for (int i = 0; i < CHUNKS * EACH; i++)
		in[i] = (float)(random_next(&state) % 1024);
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamCreate(&streams[i]));
		CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < CHUNKS; i++) {
		cudaStream_t stream = streams[i % STREAMS];
		float *d_in, *d_out;

		CHECK(cudaMallocAsync(&d_in, bytes, stream));
		CHECK(cudaMallocAsync(&d_out, bytes, stream));
		CHECK(cudaMemcpyAsync(d_in, in + i * EACH, bytes, cudaMemcpyHostToDevice, stream));
		smooth<<<(EACH + 127) / 128, 128, 0, stream>>>(d_in, d_out);
		add_up<<<(EACH + 127) / 128, 128, 0, stream>>>(d_out, d_sum);
		CHECK(cudaMemcpyAsync(got + i * EACH, d_out, bytes, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaFreeAsync(d_in, stream));
		CHECK(cudaFreeAsync(d_out, stream));
	}
	for (int i = 1; i < STREAMS; i++) {
		CHECK(cudaEventRecord(done[i], streams[i]));
		CHECK(cudaStreamWaitEvent(streams[0], done[i]));
	}
	CHECK(cudaMemcpyAsync(sum, d_sum, sizeof(*sum), cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaStreamSynchronize(streams[0]));
	for (int i = 0; i < CHUNKS * EACH; i++) {
		want[i] = smoothed(in + i / EACH * EACH, i % EACH);
		expected += (unsigned long long)(want[i] * 16);
	}
	expect_equal("chunks", got, want, CHUNKS * EACH);
	expect_value("sum", *sum, expected);
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamDestroy(streams[i]));
		CHECK(cudaEventDestroy(done[i]));
	}
	free_device(d_sum);
	free_host(in, got, want, sum);
	return 0;
}
