/* Two and three dimensions, matrices, stencils. */
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
