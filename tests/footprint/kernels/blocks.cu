/* Threads together: reductions, scans, histograms, warps; and what depends on data. */
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
