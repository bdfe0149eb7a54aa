/* Kernels whose footprints are compared with the truth: the idioms that programs are made of. */
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void
#define X      (blockIdx.x * blockDim.x + threadIdx.x)
#define Y      (blockIdx.y * blockDim.y + threadIdx.y)
#define Z      (blockIdx.z * blockDim.z + threadIdx.z)

struct vectors {
	float *a;
	int n;
	const float *b;
	short step;
};

struct image {
	unsigned char *pixels;
	size_t pitch;
	int width, height;
};

__device__ int counter;
__device__ float table[256];
__constant__ float weights[16];

/* Element by element */
KERNEL vadd(float *c, const float *a, const float *b, int n)
{
	int i = X;
	if (i < n)
		c[i] = a[i] + b[i];
}
KERNEL saxpy(int n, float f, const float *x, float *y)
{
	int i = X;
	if (i < n)
		y[i] = f * x[i] + y[i];
}
KERNEL unguarded(float *a)
{
	a[X] = 1;
}
KERNEL early_return(float *a, int n)
{
	int i = X;
	if (i >= n)
		return;
	a[i] *= 2;
	if (i >= n / 2)
		return;
	a[i + n] = 1;
}
KERNEL unsigned_index(float *a, unsigned n)
{
	unsigned i = X;
	if (i < n)
		a[n - 1 - i] = 1;
}
KERNEL size_index(float *a, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] = 1;
}
KERNEL offset_by_block(float *a, int chunk)
{
	float *mine = a + blockIdx.x * chunk;
	for (int i = threadIdx.x; i < chunk; i += blockDim.x)
		mine[i] = i;
}
KERNEL grid_stride(float *a, const float *b, int n)
{
	for (int i = X; i < n; i += gridDim.x * blockDim.x)
		a[i] = b[i];
}
KERNEL grid_stride_size(double *a, size_t n)
{
	for (size_t i = X; i < n; i += (size_t)gridDim.x * blockDim.x)
		a[i] += 1;
}
KERNEL grid_stride_from(float *a, int first, int last)
{
	for (int i = first + X; i < last; i += gridDim.x * blockDim.x)
		a[i] = 0;
}
KERNEL reversed(float *a, const float *b, int n)
{
	int i = X;
	if (i < n)
		a[n - 1 - i] = b[i];
}
KERNEL negative_stride(float *a, int n)
{
	int i = X;
	if (i < n)
		a[-2 * i] = 1;
}
KERNEL even_elements(float *a, int n)
{
	int i = 2 * X;
	if (i < n)
		a[i] = 1;
}
KERNEL odd_threads(float *a, int n)
{
	int i = X;
	if (i < n && (i & 1))
		a[i] = 1;
}
KERNEL halves(float *a, int n)
{
	int i = X;
	if (i < n / 2) {
		a[i] = 0;
		a[i + n / 2] = 1;
	}
}
KERNEL one_half(float *a, int n, int which)
{
	int i = X;
	if (i < n / 2)
		a[which * (n / 2) + i] = 1;
}
KERNEL interleaved(float *a, int n, int columns, int column)
{
	int i = X;
	if (i < n)
		a[i * columns + column] = 1;
}
KERNEL either(float *a, float *b, int n, int pick)
{
	int i = X;
	float *p = pick ? a : b;
	if (i < n)
		p[i] = 1;
}
KERNEL and_or(float *a, int n, int m)
{
	int i = X;
	if ((i > 3 && i < n) || i == m)
		a[i] = 1;
}
KERNEL not_equal(float *a, int n, int hole)
{
	int i = X;
	if (i < n && i != hole)
		a[i] = 1;
}
KERNEL if_else(float *a, float *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = 1;
	else
		b[i - n] = 2;
}
KERNEL nested_if(float *a, int n, int m)
{
	int i = X;
	if (i < n) {
		if (i >= m)
			a[i] = 1;
		a[i + n] = 3;
	}
}
KERNEL nothing(float *a, int n)
{
	if (n < 0)
		a[X] = 1;
}
KERNEL same_base(float *a, const float *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = b[i];
}

/* Types and vectors */
KERNEL copy_float4(float4 *a, const float4 *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = b[i];
}
KERNEL float2_parts(float2 *a, int n)
{
	int i = X;
	if (i < n)
		a[i].y = a[i].x;
}
KERNEL copy_bytes(unsigned char *a, const signed char *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = b[i];
}
KERNEL copy_shorts(short *a, const unsigned short *b, int n)
{
	int i = X;
	if (i < n)
		a[2 * i + 1] = b[i];
}
KERNEL add_half2(__half2 *a, const __half2 *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = __hadd2(a[i], b[i]);
}
KERNEL short_parameter(int *a, short n, unsigned char start)
{
	int i = X;
	if (i >= start && i < n)
		a[i] = 1;
}
KERNEL struct_argument(vectors v)
{
	int i = X;
	if (i < v.n)
		v.a[i * v.step] = v.b[i];
}
KERNEL array_of_structs(vectors *s, int n)
{
	int i = X;
	if (i < n)
		s[i].n = i;
}

/* Two and three dimensions */
KERNEL fill_2d(float *a, int width, int height)
{
	int x = X, y = Y;
	if (x < width && y < height)
		a[y * width + x] = 1;
}
KERNEL fill_pitched(image m)
{
	int x = X, y = Y;
	if (x < m.width && y < m.height)
		m.pixels[y * m.pitch + x] = 7;
}
KERNEL sub_rectangle(float *a, int pitch, int x0, int y0, int width, int height)
{
	int x = X, y = Y;
	if (x < width && y < height)
		a[(y + y0) * pitch + x + x0] = 1;
}
KERNEL transpose(float *a, const float *b, int width, int height)
{
	int x = X, y = Y;
	if (x < width && y < height)
		a[x * height + y] = b[y * width + x];
}
KERNEL transpose_tiled(float *a, const float *b, int width, int height)
{
	__shared__ float tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (x < width && y < height)
		tile[threadIdx.y][threadIdx.x] = b[y * width + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	if (x < height && y < width)
		a[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
KERNEL fill_3d(float *a, int nx, int ny, int nz)
{
	int x = X, y = Y, z = Z;
	if (x < nx && y < ny && z < nz)
		a[(z * ny + y) * nx + x] = 1;
}
KERNEL inner_3d(float *a, const float *b, int nx, int ny, int nz)
{
	int x = X, y = Y;
	for (int z = 1; z < nz - 1; z++)
		if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
			int i = (z * ny + y) * nx + x;
			a[i] = b[i - 1] + b[i + 1] + b[i - nx] + b[i + nx] + b[i - nx * ny] +
			       b[i + nx * ny];
		}
}
KERNEL rows_of_index(float *a, int width, int n)
{
	int i = X;
	if (i < n)
		a[(i % width) * 64 + i / width] = 1;
}
KERNEL constant_divisor(float *a, int n)
{
	int i = X;
	if (i < n)
		a[(i % 24) * 50 + i / 24] = 1;
}
KERNEL row_per_block(float *a, const float *b, int width)
{
	int row = blockIdx.x;
	for (int i = threadIdx.x; i < width; i += blockDim.x)
		a[row * width + i] = b[row * width + i];
}
KERNEL row_per_thread(float *sums, const float *b, int width, int height)
{
	int row = X;
	float sum = 0;
	if (row >= height)
		return;
	for (int i = 0; i < width; i++)
		sum += b[row * width + i];
	sums[row] = sum;
}
KERNEL column_per_thread(float *a, int width, int height)
{
	int x = X;
	if (x < width)
		for (int y = 0; y < height; y++)
			a[y * width + x] = y;
}

/* Matrices */
KERNEL matmul(float *c, const float *a, const float *b, int n)
{
	int y = Y, x = X;
	float sum = 0;
	if (y < n && x < n) {
		for (int k = 0; k < n; k++)
			sum += a[y * n + k] * b[k * n + x];
		c[y * n + x] = sum;
	}
}
KERNEL matmul_tiled(float *c, const float *a, const float *b, int n)
{
	__shared__ float ta[8][8], tb[8][8];
	int y = blockIdx.y * 8 + threadIdx.y, x = blockIdx.x * 8 + threadIdx.x;
	float sum = 0;
	for (int t = 0; t < n; t += 8) {
		ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
		for (int k = 0; k < 8; k++)
			sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = sum;
}
KERNEL triangular(float *a, int n)
{
	int i = X;
	if (i < n)
		for (int j = 0; j <= i; j++)
			a[i * n + j] = 1;
}
KERNEL diagonal(float *a, int n)
{
	int i = X;
	if (i < n)
		a[i * (n + 1)] = 1;
}

/* Stencils */
KERNEL stencil3(float *a, const float *b, int n)
{
	int i = X;
	if (i > 0 && i < n - 1)
		a[i] = b[i - 1] + b[i] + b[i + 1];
}
KERNEL stencil_clamped(float *a, const float *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = b[max(i - 1, 0)] + b[min(i + 1, n - 1)];
}
KERNEL stencil_periodic(float *a, const float *b, int n)
{
	int i = X;
	if (i < n) {
		int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
		a[i] = b[left] + b[right];
	}
}
KERNEL stencil_shared(float *a, const float *b, int n)
{
	__shared__ float s[66];
	int i = X, t = threadIdx.x + 1;
	s[t] = i < n ? b[i] : 0;
	if (threadIdx.x == 0 && i > 0)
		s[0] = b[i - 1];
	if (threadIdx.x == blockDim.x - 1 && i + 1 < n)
		s[t + 1] = b[i + 1];
	__syncthreads();
	if (i < n)
		a[i] = s[t - 1] + s[t] + s[t + 1];
}
KERNEL convolution(float *a, const float *b, int n)
{
	int i = X;
	float sum = 0;
	for (int k = 0; k < 9; k++)
		if (i + k < n)
			sum += weights[k] * b[i + k];
	if (i < n)
		a[i] = sum;
}
KERNEL stencil_2d(float *a, const float *b, int width, int height)
{
	int x = X, y = Y;
	if (x >= 1 && y >= 1 && x < width - 1 && y < height - 1)
		a[y * width + x] = b[(y - 1) * width + x] + b[(y + 1) * width + x] +
				   b[y * width + x - 1] + b[y * width + x + 1];
}
KERNEL time_steps(float *a, float *b, int n, int steps)
{
	int i = X;
	for (int s = 0; s < steps; s++) {
		float *from = s % 2 ? b : a, *to = s % 2 ? a : b;
		if (i < n)
			to[i] = from[i];
		__syncthreads();
	}
}

/* Reductions, scans, histograms, warps */
KERNEL reduce_shared(float *out, const float *in, int n)
{
	__shared__ float s[128];
	int t = threadIdx.x, i = X;
	s[t] = i < n ? in[i] : 0;
	__syncthreads();
	for (int d = blockDim.x / 2; d > 0; d /= 2) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}
KERNEL reduce_two_loads(float *out, const float *in, unsigned n)
{
	extern __shared__ float s[];
	unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
	float sum = i < n ? in[i] : 0;
	if (i + blockDim.x < n)
		sum += in[i + blockDim.x];
	s[t] = sum;
	__syncthreads();
	if (!t)
		out[blockIdx.x] = s[0];
}
KERNEL reduce_warp(float *out, const float *in, int n)
{
	float v = 0;
	for (int i = X; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	for (int d = 16; d; d >>= 1)
		v += __shfl_down_sync(0xffffffff, v, d);
	if ((threadIdx.x & 31) == 0)
		out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
}
KERNEL reduce_atomic(float *out, const float *in, int n)
{
	int i = X;
	if (i < n)
		atomicAdd(out, in[i]);
}
KERNEL lane_zero(int *out)
{
	unsigned lane;
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	if (lane == 0)
		out[X / 32] = 1;
}
KERNEL warp_per_row(float *sums, const float *a, int width, int rows)
{
	int row = X / 32, lane = threadIdx.x % 32;
	float sum = 0;
	if (row >= rows)
		return;
	for (int i = lane; i < width; i += 32)
		sum += a[row * width + i];
	for (int d = 16; d; d >>= 1)
		sum += __shfl_xor_sync(0xffffffff, sum, d);
	if (!lane)
		sums[row] = sum;
}
KERNEL scan_block(int *a, int n)
{
	__shared__ int s[2][64];
	int t = threadIdx.x, i = X, turn = 0;
	s[0][t] = i < n ? a[i] : 0;
	__syncthreads();
	for (int d = 1; d < blockDim.x; d *= 2) {
		s[!turn][t] = s[turn][t] + (t >= d ? s[turn][t - d] : 0);
		turn = !turn;
		__syncthreads();
	}
	if (i < n)
		a[i] = s[turn][t];
}
KERNEL scan_global(int *to, const int *from, int n, int distance)
{
	int i = X;
	if (i < n)
		to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
}
KERNEL histogram(int *bins, const unsigned char *data, int n)
{
	for (int i = X; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[data[i] / 16], 1);
}
KERNEL histogram_shared(int *bins, const int *data, int n)
{
	__shared__ int s[64];
	for (int b = threadIdx.x; b < 64; b += blockDim.x)
		s[b] = 0;
	__syncthreads();
	for (int i = X; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&s[data[i] & 63], 1);
	__syncthreads();
	for (int b = threadIdx.x; b < 64; b += blockDim.x)
		atomicAdd(&bins[b], s[b]);
}
KERNEL bitonic(int *a, int j, int k)
{
	int i = X, other = i ^ j;
	if (other > i) {
		int x = a[i], y = a[other];
		if ((i & k) == 0 ? x > y : x < y) {
			a[i] = y;
			a[other] = x;
		}
	}
}
KERNEL butterfly(float *a, const float *b, int half)
{
	int i = X, low = i / half * 2 * half + i % half;
	a[low] = b[low] + b[low + half];
	a[low + half] = b[low] - b[low + half];
}

/* Irregular */
KERNEL gather(float *a, const float *b, const int *index, int n)
{
	int i = X;
	if (i < n)
		a[i] = b[index[i]];
}
KERNEL scatter(float *a, const float *b, const int *index, int n)
{
	int i = X;
	if (i < n)
		a[index[i]] = b[i];
}
KERNEL scatter_checked(float *a, const int *index, int n, int size)
{
	int i = X;
	if (i < n) {
		int at = index[i];
		if (at >= 0 && at < size)
			a[at] = 1;
	}
}
KERNEL sparse_rows(float *y, const int *rows, const int *columns, const float *x, int n)
{
	int i = X;
	if (i < n) {
		float sum = 0;
		for (int k = rows[i]; k < rows[i + 1]; k++)
			sum += x[columns[k]];
		y[i] = sum;
	}
}
KERNEL where_true(float *a, const int *flags, int n)
{
	int i = X;
	if (i < n && flags[i] > 60)
		a[i] = 1;
}
KERNEL search(int *out, const int *a, int n, int wanted)
{
	for (int i = 0; i < n; i++)
		if (a[i] == wanted) {
			out[X] = i;
			break;
		}
}
KERNEL compact(int *out, int *count, const int *in, int n)
{
	int i = X;
	if (i < n && in[i] > 64)
		out[atomicAdd(count, 1)] = in[i];
}
KERNEL squares(float *a, int n)
{
	int i = X;
	if (i * i < n)
		a[i * i] = 1;
}
KERNEL linked(int *out, const int *next, int start)
{
	int at = start;
	for (int i = 0; i < 4; i++)
		at = next[at];
	out[0] = at;
}

/* Functions, symbols, loops */
__device__ __noinline__ void store_at(float *p, int i, float v)
{
	p[i] = v;
}
__device__ __noinline__ float load_or_zero(const float *p, int i, int n)
{
	return i >= 0 && i < n ? p[i] : 0;
}
__device__ __noinline__ int flat_index(vectors v, int i)
{
	return v.n * i + v.step;
}
KERNEL calls_store(float *a, int n)
{
	int i = X;
	if (i < n)
		store_at(a + n, i, 1);
}
KERNEL calls_load(float *a, const float *b, int n)
{
	int i = X;
	if (i < n)
		a[i] = load_or_zero(b, i - 1, n) + load_or_zero(b, i + 1, n);
}
KERNEL calls_index(float *a, int n)
{
	vectors v = {a, 3, a, 1};
	int i = X;
	if (i < n)
		a[flat_index(v, i)] = 1;
}
KERNEL uses_symbols(float *a)
{
	a[threadIdx.x] = table[threadIdx.x] + weights[threadIdx.x % 4];
	if (threadIdx.x == 0)
		atomicAdd(&counter, 1);
}
KERNEL countdown(float *a, int n)
{
	for (int i = n - 1 - (int)threadIdx.x; i >= 0; i -= blockDim.x)
		a[i] = i;
}
KERNEL pointer_walk(float *a, int n)
{
	float *p = a + threadIdx.x, *end = a + n;
	for (; p < end; p += blockDim.x)
		*p = 1;
}
KERNEL powers(float *a, int n)
{
	if (threadIdx.x == 0)
		for (int i = 1; i < n; i *= 2)
			a[i] = 1;
}
KERNEL unrolled(float *a, int n)
{
	int i = X * 4;
	if (i + 3 < n) {
#pragma unroll
		for (int k = 0; k < 4; k++)
			a[i + k] = k;
	}
}
KERNEL nested_loops(float *a, int rows, int columns, int pitch)
{
	for (int y = blockIdx.x; y < rows; y += gridDim.x)
		for (int x = threadIdx.x; x < columns; x += blockDim.x)
			a[y * pitch + x] = 1;
}
KERNEL chunk_per_thread(float *a, int n, int chunk)
{
	int first = X * chunk, last = min(first + chunk, n);
	for (int i = first; i < last; i++)
		a[i] = 1;
}
KERNEL switched(float *a, int n, int mode)
{
	int i = X;
	if (i >= n)
		return;
	switch (mode) {
	case 0: a[i] = 1; break;
	case 1: a[2 * i] = 1; break;
	case 2: a[i + 64] = 1; break;
	case 5: a[3 * i + 1] = 1; break;
	default: a[0] = 1; break;
	}
}
KERNEL continued(float *a, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		if (i % 2)
			continue;
		a[i] = 1;
	}
}
KERNEL last_block(float *a, int n)
{
	if (blockIdx.x == gridDim.x - 1)
		a[threadIdx.x + n] = 1;
}
KERNEL local_array(float *a, const float *b, int n)
{
	float copy[8];
	int i = X;
	for (int k = 0; k < 8; k++)
		copy[(k * 3 + n) & 7] = b[i * 8 + k];
	a[i] = copy[n & 7];
}
