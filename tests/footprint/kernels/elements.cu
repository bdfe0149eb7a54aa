/* Element by element, and types of elements. */
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
