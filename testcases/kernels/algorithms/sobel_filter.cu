// Edges of a picture: pixels of four bytes (uchar4) become gray, then Sobel's filter finds edges;
// the rows have a pitch (cudaMallocPitch).
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int WIDTH = 101, HEIGHT = 67;

__host__ __device__ static unsigned char gray_of(uchar4 c)
{
	return (unsigned char)((c.x * 77 + c.y * 150 + c.z * 29) >> 8);
}

__host__ __device__ static unsigned char edge(const unsigned char *gray, size_t pitch, int x, int y)
{
	int across = 0, down = 0;

	for (int d = -1; d <= 1; d++) {
		int weight = d ? 1 : 2;

		across += weight * (gray[(y + d) * pitch + x + 1] - gray[(y + d) * pitch + x - 1]);
		down += weight * (gray[(y + 1) * pitch + x + d] - gray[(y - 1) * pitch + x + d]);
	}
	float length = sqrtf((float)(across * across + down * down));

	return length > 255 ? 255 : (unsigned char)length;
}

__global__ void to_gray(const uchar4 *in, size_t in_pitch, unsigned char *gray, size_t pitch)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < WIDTH && y < HEIGHT)
		gray[y * pitch + x] =
			gray_of(((const uchar4 *)((const char *)in + y * in_pitch))[x]);
}

__global__ void find_edges(const unsigned char *gray, unsigned char *edges, size_t pitch)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x > 0 && x < WIDTH - 1 && y > 0 && y < HEIGHT - 1)
		edges[y * pitch + x] = edge(gray, pitch, x, y);
}

int main()
{
	need_kernels();
	const int N = WIDTH * HEIGHT;
	uchar4 *in = host_array<uchar4>(N), *d_in;
	unsigned char *got = host_array<unsigned char>(N), *want = host_array<unsigned char>(N);
	unsigned char *gray = host_array<unsigned char>(N), *d_gray, *d_edges;
	size_t in_pitch, pitch;
	unsigned state = 107;

	for (int i = 0; i < N; i++) {
		int x = i % WIDTH, y = i / WIDTH, noise = random_next(&state) % 20;
		bool inside = (x - 40) * (x - 40) + (y - 30) * (y - 30) < 400;

		in[i] = make_uchar4(inside ? 200 + noise : 2 * x, 3 * y, x * y % 250, 255);
		gray[i] = gray_of(in[i]);
	}
	CHECK(cudaMallocPitch(&d_in, &in_pitch, WIDTH * sizeof(*in), HEIGHT));
	CHECK(cudaMallocPitch(&d_gray, &pitch, WIDTH, HEIGHT));
	CHECK(cudaMalloc(&d_edges, pitch * HEIGHT));
	CHECK(cudaMemset2D(d_edges, pitch, 0, WIDTH, HEIGHT));
	CHECK(cudaMemcpy2D(d_in, in_pitch, in, WIDTH * sizeof(*in), WIDTH * sizeof(*in), HEIGHT,
			   cudaMemcpyHostToDevice));
	dim3 block(16, 8), grid((WIDTH + 15) / 16, (HEIGHT + 7) / 8);

	to_gray<<<grid, block>>>(d_in, in_pitch, d_gray, pitch);
	find_edges<<<grid, block>>>(d_gray, d_edges, pitch);
	CHECK(cudaMemcpy2D(got, WIDTH, d_edges, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
	for (int y = 1; y < HEIGHT - 1; y++)
		for (int x = 1; x < WIDTH - 1; x++)
			want[y * WIDTH + x] = edge(gray, WIDTH, x, y);
	expect_equal("edges", got, want, N);
	free_device(d_in, d_gray, d_edges);
	free_host(in, got, want, gray);
	return 0;
}
