// Arithmetic of 64 and 128 bits: powers modulo a prime, the hash FNV-1a, greatest
// common divisors, and the product of large numbers of many words with carries.
// expect: clean
#include "testcases/compute.h"

typedef unsigned long long wide;

static const int N = 192, WORDS = 8;

// By additions, without numbers of 128 bits: the modulus has 61 bits.
__host__ __device__ static wide product(wide a, wide b, wide modulus)
{
	wide sum = 0;

	for (a %= modulus; b; b >>= 1) {
		if (b & 1)
			sum = (sum + a) % modulus;
		a = (a + a) % modulus;
	}
	return sum;
}

__host__ __device__ static wide power(wide base, wide exponent, wide modulus)
{
	wide result = 1;

	for (base %= modulus; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = product(result, base, modulus);
		base = product(base, base, modulus);
	}
	return result;
}

__host__ __device__ static wide common_divisor(wide a, wide b)
{
	while (b) {
		wide rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

__host__ __device__ static wide hash(wide a)
{
	wide value = 14695981039346656037ull;

	for (int i = 0; i < 8; i++)
		value = (value ^ (a >> 8 * i & 255)) * 1099511628211ull;
	return value;
}

// out has twice as many words as a and b.
__host__ __device__ static void multiply(const unsigned *a, const unsigned *b, unsigned *out)
{
	for (int i = 0; i < 2 * WORDS; i++)
		out[i] = 0;
	for (int i = 0; i < WORDS; i++) {
		wide carry = 0;

		for (int k = 0; k < WORDS; k++) {
			wide sum = (wide)a[i] * b[k] + out[i + k] + carry;

			out[i + k] = (unsigned)sum;
			carry = sum >> 32;
		}
		out[i + WORDS] = (unsigned)carry;
	}
}

__host__ __device__ static wide all_of(wide i)
{
	const wide prime = 2305843009213693951ull; // 2^61 - 1
	unsigned a[WORDS], b[WORDS], out[2 * WORDS];
	wide result = power(i + 2, prime / (i + 3), prime) * 3;

	result ^= common_divisor(hash(i) >> 20, (i + 1) * 5040);
	result += hash(i * i + 7);
	result ^= (wide)((long long)hash(i) / (long long)(i + 11)) + hash(i) % (i * 977 + 1);
	for (int k = 0; k < WORDS; k++) {
		a[k] = (unsigned)hash(i + k);
		b[k] = (unsigned)(hash(i * k) >> 32);
	}
	multiply(a, b, out);
	for (int k = 0; k < 2 * WORDS; k++)
		result = result * 31 + out[k];
	return result;
}

__global__ void compute(wide *out)
{
	wide i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = all_of(i);
}

// Sums of 128 bits: the carries of the words.
__global__ void add_up(unsigned __int128 *out)
{
	unsigned __int128 sum = threadIdx.x + 1;

	for (int i = 0; i < 30; i++)
		sum = sum + (sum << 3) + (sum >> 5) - hash(i);
	out[threadIdx.x] = sum;
}

int main()
{
	need_kernels();
	wide *got = host_array<wide>(N), *want = host_array<wide>(N),
	     *d_out = device_array<wide>(N);

	compute<<<N / 64, 64>>>(d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = all_of(i);
	expect_equal("numbers", got, want, N);
	add_up<<<1, N / 2>>>((unsigned __int128 *)d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N / 2; i++) {
		unsigned __int128 sum = i + 1;

		for (int k = 0; k < 30; k++)
			sum = sum + (sum << 3) + (sum >> 5) - hash(k);
		memcpy(want + 2 * i, &sum, sizeof(sum));
	}
	expect_equal("128 bits", got, want, N);
	free_device(d_out);
	free_host(got, want);
	return 0;
}
