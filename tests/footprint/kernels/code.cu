/* Functions, symbols, loops. */
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

// What no linear form says, and a walk of the threads does.

KERNEL unsigned_quotient(float *out, unsigned n)
{
	unsigned i = X;

	if (i < n)
		out[i / 100 * 128 + i % 100] = 1;
}

KERNEL quotient_by_parameter(float *out, unsigned n, unsigned width)
{
	unsigned i = X;

	if (i < n)
		out[i / width * 128 + i % width] = 1;
}

KERNEL division_chain(float *out, int n, int a, int b, int c)
{
	for (int i = X; i < n; i += gridDim.x * blockDim.x) {
		int w = i % c, h = i / c % b, k = i / c / b % a;

		out[(k * b + h) * (c + 4) + w] = 1;
	}
}

KERNEL permuted(float *out, int n, int a, int b, int c)
{
	int i = X;

	if (i < n)
		out[(i % c * b + i / c % b) * a + i / c / b % a] = 1;
}

KERNEL packed_triangle(float *out, int n)
{
	int i = X;

	if (i < n)
		for (int j = 0; j <= i; j++)
			out[i * (i + 1) / 2 + j] = 1;
}

KERNEL counts_beside_branch(float *out, const float *in, const int *flags, int n)
{
	int before = 0;

	for (int i = X; i < n; i += gridDim.x * blockDim.x) {
		if (flags[i]) {
			before++;
			continue;
		}
		out[i] = in[i] + before;
	}
}

KERNEL breaks_out(int *out, const float *in, int n)
{
	int i = 0;

	while (i < n && in[X * n + i] <= 2)
		i++;
	out[X] = i;
}
