// The game of life, the field in two halves on two streams: events hand over the generations, in
// which each half needs the edge of the other; two buffers for each half take turns.
// expect: clean
#include "testcases/compute.h"

static const int SIDE = 64, HALF = SIDE / 2, GENERATIONS = 12;

__host__ __device__ static bool lives(const unsigned char *field, int x, int y)
{
	int around = 0;

	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx || dy)
				around += field[(y + dy + SIDE) % SIDE * SIDE +
						(x + dx + SIDE) % SIDE];
	return around == 3 || (around == 2 && field[y * SIDE + x]);
}

__global__ void generation(const unsigned char *from, unsigned char *to, int first_row)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = first_row + blockIdx.y * blockDim.y + threadIdx.y;

	to[y * SIDE + x] = lives(from, x, y);
}

int main()
{
	need_kernels();
	const int N = SIDE * SIDE;
	unsigned char *got = host_array<unsigned char>(N), *d_field[2];
	unsigned char *want[2] = {host_array<unsigned char>(N), host_array<unsigned char>(N)};
	cudaStream_t streams[2];
	cudaEvent_t done[2];
	unsigned state = 73;

	for (int i = 0; i < N; i++)
		want[0][i] = random_next(&state) % 3 == 0;
	d_field[0] = device_copy(want[0], N);
	d_field[1] = device_zeros<unsigned char>(N);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamCreate(&streams[i]));
		CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
	}
	for (int turn = 0; turn < GENERATIONS; turn++) {
		// Before a half goes on, the other one has read and written its last generation.
		for (int i = 0; i < 2 && turn; i++)
			CHECK(cudaStreamWaitEvent(streams[i], done[1 - i]));
		for (int i = 0; i < 2; i++) {
			generation<<<dim3(SIDE / 32, HALF / 4), dim3(32, 4), 0, streams[i]>>>(
				d_field[turn % 2], d_field[1 - turn % 2], i * HALF);
			CHECK(cudaEventRecord(done[i], streams[i]));
		}
		for (int i = 0; i < N; i++)
			want[1 - turn % 2][i] = lives(want[turn % 2], i % SIDE, i / SIDE);
	}
	CHECK(cudaStreamWaitEvent(streams[0], done[1]));
	CHECK(cudaMemcpyAsync(got, d_field[GENERATIONS % 2], N, cudaMemcpyDeviceToHost,
			      streams[0]));
	CHECK(cudaStreamSynchronize(streams[0]));
	expect_equal("field", got, want[GENERATIONS % 2], N);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamDestroy(streams[i]));
		CHECK(cudaEventDestroy(done[i]));
	}
	free_device(d_field[0], d_field[1]);
	free_host(got, want[0], want[1]);
	return 0;
}
