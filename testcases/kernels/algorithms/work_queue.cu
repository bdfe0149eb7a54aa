// A queue of work from which persistent blocks take tiles of a picture by an atomic; the picture is
// a Julia set, whose pixels need very different times. How many tiles a block takes is luck, their
// sum is not.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int SIDE = 64, TILE = 8, TILES = SIDE / TILE * (SIDE / TILE), MOST = 120, BLOCKS = 7;

__host__ __device__ static int turns(int pixel_x, int pixel_y)
{
	float x = 3.0f * (float)pixel_x / SIDE - 1.5f, y = 3.0f * (float)pixel_y / SIDE - 1.5f;
	int i = 0;

	for (; i < MOST && x * x + y * y < 4; i++) {
		float next = x * x - y * y - 0.4f;

		y = 2 * x * y + 0.6f;
		x = next;
	}
	return i;
}

__global__ void take_tiles(int *queue, int *picture, int *taken)
{
	__shared__ int tile;

	for (;;) {
		if (threadIdx.x == 0 && threadIdx.y == 0)
			tile = atomicAdd(queue, 1);
		__syncthreads();
		int mine = tile;
		__syncthreads();
		if (mine >= TILES)
			break;
		int x = mine % (SIDE / TILE) * TILE + threadIdx.x;
		int y = mine / (SIDE / TILE) * TILE + threadIdx.y;

		picture[y * SIDE + x] = turns(x, y);
		if (threadIdx.x == 0 && threadIdx.y == 0)
			taken[blockIdx.x]++;
	}
}

int main()
{
	need_kernels();
	const int N = SIDE * SIDE;
	int *got = host_array<int>(N), *want = host_array<int>(N), *taken = host_array<int>(BLOCKS);
	int *d_queue = device_zeros<int>(1), *d_picture = device_zeros<int>(N);
	int *d_taken = device_zeros<int>(BLOCKS), tiles = 0;

	take_tiles<<<BLOCKS, dim3(TILE, TILE)>>>(d_queue, d_picture, d_taken);
	read_back(got, d_picture, N);
	for (int i = 0; i < N; i++)
		want[i] = turns(i % SIDE, i / SIDE);
	expect_equal("picture", got, want, N);
	read_back(taken, d_taken, BLOCKS);
	for (int i = 0; i < BLOCKS; i++)
		tiles += taken[i];
	expect_value("tiles", tiles, TILES);
	free_device(d_queue, d_picture, d_taken);
	free_host(got, want, taken);
	return 0;
}
