// The functions of CUDA's mathematics in single and double precision, over ordinary and extreme
// arguments (large angles, tiny numbers, infinities), against the host's.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int N = 600, KINDS = 26;

template <typename T> __host__ __device__ static void compute(T x, T y, T *out)
{
	T positive = fabs(x) + T(1e-3), small = x / (T(1) + fabs(x));
	T values[KINDS] = {sin(x),	    cos(x),
			   tan(small),	    asin(small),
			   acos(small),	    atan(x),
			   atan2(x, y),	    sinh(small),
			   cosh(small),	    tanh(x),
			   exp(small * 20), exp2(small * 20),
			   expm1(small),    log(positive),
			   log2(positive),  log10(positive),
			   log1p(positive), sqrt(positive),
			   cbrt(x),	    pow(positive, small),
			   hypot(x, y),	    erf(small),
			   erfc(small),	    tgamma(T(1) + positive / (1 + positive) * 4),
			   fmod(x, y),	    remainder(x, y)};

	for (int i = 0; i < KINDS; i++)
		out[i] = values[i];
}

// Exact in every implementation.
template <typename T> __host__ __device__ static T exact(T x, T y)
{
	int exponent;
	T whole, mantissa = frexp(x, &exponent), rest = modf(x, &whole);

	return mantissa * 3 + exponent * 5 + rest * 7 + floor(y) - ceil(x / 2) + trunc(y) +
	       rint(x) + fmin(x, y) - fmax(x, y) + copysign(T(2), x) + ldexp(x, 3) +
	       (signbit(y) ? 11 : 13) + (isfinite(x) ? 17 : 19) + fdim(x, y) + fma(x, y, T(1)) +
	       logb(fabs(x) + 1);
}

template <typename T> __global__ void kernel(const T *x, const T *y, T *out, T *exact_out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= N)
		return;
	compute(x[i], y[i], out + i * KINDS);
	exact_out[i] = exact(x[i], y[i]);
}

template <typename T> void try_type(const char *what, const char *exactly, double tolerance)
{
	T *x = host_array<T>(N), *y = host_array<T>(N), *got = host_array<T>(N * KINDS);
	T *want = host_array<T>(N * KINDS), *d_out = device_array<T>(N * KINDS);
	unsigned state = 131;

	for (int i = 0; i < N; i++) {
		x[i] = (T)((random_unit(&state) - 0.5f) * (i % 3 ? 8 : i % 2 ? 1e5 : 1e-4));
		y[i] = (T)((random_unit(&state) - 0.5f) * (i % 5 ? 20 : 0.125)) + (T)0.001;
	}
	T *d_x = device_copy(x, N), *d_y = device_copy(y, N), *d_exact = device_array<T>(N);

	kernel<<<(N + 63) / 64, 64>>>(d_x, d_y, d_out, d_exact);
	read_back(got, d_out, N * KINDS);
	for (int i = 0; i < N; i++)
		compute(x[i], y[i], want + i * KINDS);
	expect_near(what, got, want, N * KINDS, tolerance);
	read_back(got, d_exact, N);
	for (int i = 0; i < N; i++)
		want[i] = exact(x[i], y[i]);
	expect_equal(exactly, got, want, N);
	free_device(d_x, d_y, d_out, d_exact);
	free_host(x, y, got, want);
}

// What IEEE 754 says of infinities, zeros and NaN; bits of the answers.
__host__ __device__ static unsigned extremes(double zero)
{
	double infinite = 1 / zero, none = zero / zero;
	unsigned bits = 0;

	bits |= isnan(none) ? 1 : 0;
	bits |= isinf(infinite) ? 2 : 0;
	bits |= isnan(infinite - infinite) ? 4 : 0;
	bits |= fmax(none, 1.0) == 1 ? 8 : 0;
	bits |= exp(-infinite) == 0 ? 16 : 0;
	bits |= isnan(sqrt(-1.0 + zero)) ? 32 : 0;
	bits |= log(zero) == -infinite ? 64 : 0;
	bits |= pow(zero, 0.0) == 1 ? 128 : 0;
	bits |= atan(infinite) > 1.57 && atan(infinite) < 1.58 ? 256 : 0;
	bits |= none != none && !(none == none) && !(none < 1) ? 512 : 0;
	bits |= 1 / -zero < 0 ? 1024 : 0;
	bits |= 4.9e-324 + zero > 0 && 4.9e-324 * (0.5 + zero) == 0 ? 2048 : 0;
	bits |= isnan(sin(infinite)) ? 4096 : 0;
	bits |= (float)(1e300 + zero) == (float)infinite ? 8192 : 0;
	return bits;
}

__global__ void find_extremes(double zero, unsigned *out)
{
	*out = extremes(zero);
}

int main()
{
	need_kernels();
	unsigned *got = host_array<unsigned>(1), *d_out = device_array<unsigned>(1);

	try_type<float>("float", "exactly", 4e-5);
	try_type<double>("double", "exactly", 1e-12);
	find_extremes<<<1, 1>>>(0, d_out);
	read_back(got, d_out, 1);
	expect_value("extremes", *got, 16383u);
	free_device(d_out);
	free_host(got);
	return 0;
}
