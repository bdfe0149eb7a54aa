/* Kernels as users write them, for bench/executor; plain.c computes the same. */
extern "C" {

__global__ void saxpy(int n, float *y, const float *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2.5f * x[i] + y[i];
}

__global__ void reduce(int n, float *sum, const float *x)
{
	__shared__ float part[256];
	float mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		mine += x[i];
	part[threadIdx.x] = mine;
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd(sum, part[0]);
}

/* n times n numbers. */
__global__ void matrix(int n, float *c, const float *a, const float *b)
{
	__shared__ float as[16][16], bs[16][16];
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;

	for (int at = 0; at < n; at += 16) {
		as[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
		__syncthreads();
		for (int k = 0; k < 16; k++)
			sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

__global__ void histogram(int n, unsigned *bins, const unsigned char *data)
{
	__shared__ unsigned mine[256];

	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[data[i]], 1);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* Steps of Collatz until 1. */
__global__ void divergent(int n, unsigned *steps)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i + 1, count = 0;

	if (i >= n)
		return;
	while (x != 1) {
		if (x % 2)
			x = 3 * x + 1;
		else
			x /= 2;
		count++;
	}
	steps[i] = count;
}

__device__ __noinline__ float mean(const float *around, int reach)
{
	float sum = 0;

	for (int k = -reach; k <= reach; k++)
		sum += around[k];
	return sum / (2 * reach + 1);
}

/* Calls with addresses of shared memory. */
__global__ void calls(int n, float *y, const float *x)
{
	__shared__ float tile[258];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float value;

	tile[threadIdx.x + 1] = x[i];
	if (threadIdx.x < 2)
		tile[threadIdx.x * 257] = 0;
	__syncthreads();
	for (int turn = 0; turn < 16; turn++) {
		value = mean(tile + threadIdx.x + 1, 1);
		__syncthreads();
		tile[threadIdx.x + 1] = value;
		__syncthreads();
	}
	y[i] = value;
}
}
