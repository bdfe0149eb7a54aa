// Bits: counts, positions, reversals, bytes chosen and shifted (__byte_perm, funnel shifts), sums
// of bytes side by side (SIMD in a word), Gray codes, and Morton codes and back.
// expect: clean
#include "testcases/compute.h"

static const int N = 1024, KINDS = 14;

__global__ void tricks(const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned a = in[i], b = in[(i + 1) % N];
	unsigned long long both = (unsigned long long)a << 32 | b;

	out += i * KINDS;
	out[0] = __popc(a) + 100 * __popcll(both);
	out[1] = __clz(a) + 100 * __clzll(both >> i % 64);
	out[2] = __ffs(a) + 100 * __ffsll(both << i % 64);
	out[3] = __brev(a);
	out[4] = (unsigned)(__brevll(both) >> 16);
	out[5] = __byte_perm(a, b, 0x3715);
	out[6] = __funnelshift_l(a, b, i);
	out[7] = __funnelshift_rc(a, b, i % 40);
	out[8] = __vadd4(a, b);
	out[9] = __vabsdiffu2(a, b);
	out[10] = __vmaxs4(a, b);
	out[11] = __sad((int)a, (int)b, 17u);
	out[12] = __umulhi(a, b) ^ (unsigned)__mulhi((int)a, (int)b);
	out[13] = __uhadd(a, b) + 3 * __rhadd((int)a, (int)b);
}

static unsigned byte_of(unsigned word, int i)
{
	return word >> 8 * i & 255;
}

static unsigned reversed(unsigned a)
{
	unsigned out = 0;

	for (int i = 0; i < 32; i++)
		out |= (a >> i & 1) << (31 - i);
	return out;
}

static int leading(unsigned long long a)
{
	return a ? __builtin_clzll(a) : 64;
}

// The same in plain words.
HOST_LOOP void on_host(unsigned a, unsigned b, int i, unsigned *out)
{
	unsigned long long both = (unsigned long long)a << 32 | b;
	unsigned long long reversed_both = (unsigned long long)reversed(b) << 32 | reversed(a);

	out[0] = __builtin_popcount(a) + 100 * __builtin_popcountll(both);
	out[1] = leading(a) - 32 + 100 * leading(both >> i % 64);
	out[2] = __builtin_ffs(a) + 100 * __builtin_ffsll(both << i % 64);
	out[3] = reversed(a);
	out[4] = (unsigned)(reversed_both >> 16);
	out[5] = byte_of(b, 1) | byte_of(a, 1) << 8 | byte_of(b, 3) << 16 | byte_of(a, 3) << 24;
	out[6] = i % 32 ? b << i % 32 | a >> (32 - i % 32) : b;
	out[7] = i % 40 >= 32 ? b : (unsigned)(((unsigned long long)b << 32 | a) >> i % 40);
	out[8] = out[9] = out[10] = 0;
	for (int k = 0; k < 4; k++) {
		signed char x = (signed char)byte_of(a, k), y = (signed char)byte_of(b, k);

		out[8] |= ((byte_of(a, k) + byte_of(b, k)) & 255) << 8 * k;
		out[10] |= (unsigned)(unsigned char)(x > y ? x : y) << 8 * k;
	}
	for (int k = 0; k < 2; k++) {
		int x = a >> 16 * k & 0xffff, y = b >> 16 * k & 0xffff;

		out[9] |= (unsigned)abs(x - y) << 16 * k;
	}
	long long distance = (long long)(int)a - (int)b;
	out[11] = (unsigned)(distance < 0 ? -distance : distance) + 17u;
	out[12] = (unsigned)((unsigned long long)a * b >> 32) ^
		  (unsigned)((unsigned long long)((long long)(int)a * (int)b) >> 32);
	out[13] = (unsigned)(((unsigned long long)a + b) >> 1) +
		  3 * (unsigned)(((long long)(int)a + (int)b + 1) >> 1);
}

__host__ __device__ static unsigned spread(unsigned a)
{
	a = (a | a << 8) & 0x00ff00ff;
	a = (a | a << 4) & 0x0f0f0f0f;
	a = (a | a << 2) & 0x33333333;
	return (a | a << 1) & 0x55555555;
}

__global__ void codes(unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, gray = i ^ i >> 1, back = gray;

	for (int shift = 16; shift; shift /= 2)
		back ^= back >> shift;
	out[i] = spread(i % 37) | spread(i / 37) << 1 | (back == i ? 0x80000000 : 0);
}

int main()
{
	need_kernels();
	unsigned *in = host_array<unsigned>(N), *got = host_array<unsigned>(N * KINDS), state = 79;
	unsigned *want = host_array<unsigned>(N * KINDS),
		 *d_out = device_array<unsigned>(N * KINDS);

	for (int i = 0; i < N; i++)
		in[i] = i % 9 ? random_next(&state) << i % 9 : (i % 2 ? 0 : 0x80000000 >> i % 32);
	unsigned *d_in = device_copy(in, N);

	tricks<<<N / 128, 128>>>(d_in, d_out);
	read_back(got, d_out, N * KINDS);
	for (int i = 0; i < N; i++)
		on_host(in[i], in[(i + 1) % N], i, want + i * KINDS);
	expect_equal("tricks", got, want, N * KINDS);
	codes<<<N / 128, 128>>>(d_out);
	read_back(got, d_out, N);
	for (unsigned i = 0; i < N; i++)
		want[i] = spread(i % 37) | spread(i / 37) << 1 | 0x80000000;
	expect_equal("codes", got, want, N);
	free_device(d_in, d_out);
	free_host(in, got, want);
	return 0;
}
