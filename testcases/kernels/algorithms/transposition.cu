// Transposes a matrix in tiles of shared memory, whose rows are padded against bank conflicts;
// blocks of 32 by 8 threads, each thread moves four elements. Two element types by a template.
// expect: clean
#include "testcases/compute.h"

static const int TILE = 32, ROWS_A_TURN = 8, WIDTH = 150, HEIGHT = 75;

template <typename T> __global__ void transpose(const T *from, T *to)
{
	__shared__ T tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	for (int i = 0; i < TILE; i += ROWS_A_TURN)
		if (x < WIDTH && y + i < HEIGHT)
			tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * WIDTH + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int i = 0; i < TILE; i += ROWS_A_TURN)
		if (x < HEIGHT && y + i < WIDTH)
			to[(y + i) * HEIGHT + x] = tile[threadIdx.x][threadIdx.y + i];
}

template <typename T> void try_type(const char *what)
{
	const int N = WIDTH * HEIGHT;
	T *from = host_array<T>(N), *got = host_array<T>(N), *want = host_array<T>(N);
	unsigned state = 3;

	for (int i = 0; i < N; i++) {
		from[i] = (T)random_next(&state);
		want[i % WIDTH * HEIGHT + i / WIDTH] = from[i];
	}
	T *d_from = device_copy(from, N), *d_to = device_array<T>(N);
	dim3 grid((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE);

	transpose<<<grid, dim3(TILE, ROWS_A_TURN)>>>(d_from, d_to);
	read_back(got, d_to, N);
	expect_equal(what, got, want, N);
	free_device(d_from, d_to);
	free_host(from, got, want);
}

int main()
{
	need_kernels();
	try_type<unsigned char>("bytes");
	try_type<short>("shorts");
	try_type<float>("floats");
	try_type<double>("doubles");
	return 0;
}
