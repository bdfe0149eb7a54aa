// Random sums of products by tensor cores, of each type and of four kinds of operands, bit by bit:
// their checksums must be those of an H100.
// expect: clean
// nvcc: -arch=sm_90
#include "testcases/common.h"

#include <cstdint>

#define WARPS  64
#define ROUNDS 16

// Numbers near one; of all exponents, also subnormal ones; half of them zeros of both signs; some
// infinities and NaNs, or, where a format lacks them, its largest numbers.
enum kind { NEAR, ALL, ZEROS, SPECIAL, KINDS };

struct format {
	int exponent, mantissa; // bits
};
__device__ constexpr format HALF = {5, 10}, BRAIN = {8, 7}, SINGLE = {8, 23}, E4M3 = {4, 3},
			    E5M2 = {5, 2}, DOUBLE = {11, 52};

__device__ static uint64_t mix(uint64_t a)
{
	a = (a ^ a >> 31) * 0xBF58476D1CE4E5B9ull;
	a = (a ^ a >> 29) * 0x94D049BB133111EBull;
	return a ^ a >> 32;
}

__device__ static uint64_t number(format f, int kind, uint64_t random)
{
	int most = (1 << f.exponent) - 2, middle = most / 2, exponent;
	uint64_t mantissa = mix(random) & ((1ull << f.mantissa) - 1), pick = random >> 8 & 63;

	exponent = kind == ALL ? (random >> 16) % (most + 1) : middle + (random >> 16) % 13 - 6;
	if (kind == SPECIAL && !pick)
		exponent = most + 1;
	if (kind == ZEROS && pick < 32)
		exponent = mantissa = 0;
	return (random & 1) << (f.exponent + f.mantissa) | (uint64_t)exponent << f.mantissa |
	       mantissa;
}

// A register full of numbers.
template <typename T> __device__ static T filled(format f, int kind, uint64_t &seed)
{
	int bits = f.exponent + f.mantissa + 1;
	uint64_t all = 0;

	for (unsigned at = 0; at < 8 * sizeof(T); at += bits)
		all |= number(f, kind, mix(seed += 0x9E3779B97F4A7C15ull)) << at;
	return (T)all;
}

#define LIST1(r, x) r(x[0])
#define LIST2(r, x) LIST1(r, x), r(x[1])
#define LIST4(r, x) LIST2(r, x), r(x[2]), r(x[3])
#define LIST8(r, x) LIST4(r, x), r(x[4]), r(x[5]), r(x[6]), r(x[7])

// A kernel: name, instruction, type of a register and its letter, formats of factors and of sums,
// numbers of registers of results, first and second factors, and their places in the text.
#define KERNEL(name, text, T, letter, first, second, third, nd, na, nb, places)  \
	__global__ void name(unsigned long long *out, int kind)                  \
	{                                                                        \
		uint64_t seed = mix(blockIdx.x * 32 + threadIdx.x + 1), sum = 0; \
                                                                                 \
		for (int i = 0; i < ROUNDS; i++) {                               \
			T a[na], b[nb], c[nd], d[nd];                            \
                                                                                 \
			for (T & r : a)                                          \
				r = filled<T>(first, kind, seed);                \
			for (T & r : b)                                          \
				r = filled<T>(second, kind, seed);               \
			for (T & r : c)                                          \
				r = filled<T>(third, kind, seed);                \
			asm volatile("mma.sync.aligned." text " " places ";"     \
				     : LIST##nd("=" letter, d)                   \
				     : LIST##na(letter, a), LIST##nb(letter, b), \
				       LIST##nd(letter, c));                     \
			for (T & r : d)                                          \
				sum = mix(sum + r);                              \
		}                                                                \
		atomicAdd(out, sum);                                             \
	}

#define P442 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}"
#define P421 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}"
#define P242 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9}"
#define P221 "{%0, %1}, {%2, %3}, {%4}, {%5, %6}"
#define P211 "{%0, %1}, {%2}, {%3}, {%4, %5}"
#define P484                                                                                      \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, " \
	"%18, %19}"

// DO(name, instruction, register, letter, formats of factors and sums, registers, places)
#define EACH(DO)                                                                                   \
	DO(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", uint32_t, "r", HALF, HALF, SINGLE, 4, 4,   \
	   2, P442)                                                                                \
	DO(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", uint32_t, "r", HALF, HALF, SINGLE, 4, 2, 1,  \
	   P421)                                                                                   \
	DO(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", uint32_t, "r", BRAIN, BRAIN, SINGLE, 4, \
	   4, 2, P442)                                                                             \
	DO(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32", uint32_t, "r", BRAIN, BRAIN, SINGLE, 4,   \
	   2, 1, P421)                                                                             \
	DO(half_k16, "m16n8k16.row.col.f16.f16.f16.f16", uint32_t, "r", HALF, HALF, HALF, 2, 4, 2, \
	   P242)                                                                                   \
	DO(half_k8, "m16n8k8.row.col.f16.f16.f16.f16", uint32_t, "r", HALF, HALF, HALF, 2, 2, 1,   \
	   P221)                                                                                   \
	DO(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", uint32_t, "r", SINGLE, SINGLE, SINGLE, 4, \
	   4, 2, P442)                                                                             \
	DO(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", uint32_t, "r", SINGLE, SINGLE, SINGLE, 4, \
	   2, 1, P421)                                                                             \
	DO(e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", uint32_t, "r", E4M3, E4M3, SINGLE, 4, 4, 2, \
	   P442)                                                                                   \
	DO(e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", uint32_t, "r", E5M2, E5M2, SINGLE, 4, 4, 2, \
	   P442)                                                                                   \
	DO(e4m3_e5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32", uint32_t, "r", E4M3, E5M2, SINGLE, 4,  \
	   4, 2, P442)                                                                             \
	DO(f64_k4, "m8n8k4.row.col.f64.f64.f64.f64", uint64_t, "l", DOUBLE, DOUBLE, DOUBLE, 2, 1,  \
	   1, P211)                                                                                \
	DO(f64_k16, "m16n8k16.row.col.f64.f64.f64.f64", uint64_t, "l", DOUBLE, DOUBLE, DOUBLE, 4,  \
	   8, 4, P484)
EACH(KERNEL)

// What an H100 computes, near one, of all exponents, with zeros, with infinities and NaNs.
struct expected {
	const char *name;
	unsigned long long sums[KINDS];
};
static const struct expected table[] = {
	{"f16_k16",
	 {0xaea7d62dba4f3437, 0x6eaeb269539d0fe2, 0xd9536ffda850c3d4, 0x43b1006ef3dc1383}},
	{"f16_k8",
	 {0x63e1cf46b9b4c814, 0x43d8af4a4dbd3afb, 0xb889eac18ec81df5, 0x5bb77d9577a3599c}},
	{"bf16_k16",
	 {0x2640848c47a012d1, 0xc29f90b3bb41e625, 0x55fd50e0870e6a14, 0x529a2ec655fcce8e}},
	{"bf16_k8",
	 {0xa267fbd52b5ad377, 0xc72b1adce452f8ce, 0xf214571ad680832a, 0xa4a77e0ea247a2f2}},
	{"half_k16",
	 {0xc89007f7a43a47ee, 0xb648a69a09d74e43, 0x01a4ac2229dadc6c, 0x366e422a7e26212a}},
	{"half_k8",
	 {0x4015062d5536f5d0, 0x16979e0c3d5935ca, 0x0f49425a9c544afd, 0x67b539009971a77a}},
	{"tf32_k8",
	 {0xd6acacdfd1a8b73f, 0x0d9c8251f3728895, 0x2fd43c5c23f4e13e, 0x72a0a9605eb34288}},
	{"tf32_k4",
	 {0xec7a899bc65766ea, 0xbe776023421cc7fc, 0x5b9eb51970f12bf6, 0x6e9cc1ee42d52177}},
	{"e4m3", {0xe5da406f131633e1, 0x66b0e2f45826c25a, 0xa77e97c295a6b85f, 0xec604be9d606394d}},
	{"e5m2", {0xee6b3ace7130651f, 0x9d23ab588cc854e4, 0x1bcff55e124aa803, 0x51fea4cd3e17be9d}},
	{"e4m3_e5m2",
	 {0x362d45953ccaa51d, 0xa70eab52e49c1c38, 0x9ef7452f10b42a9a, 0x63568695b622e983}},
	{"f64_k4",
	 {0xac2b7b15b2ca234c, 0x1d489f2342dbb973, 0x589de758b51e782f, 0x9d038fb7a9639d76}},
	{"f64_k16",
	 {0xc6d91341c31ec0be, 0x99febd811e4e5bad, 0x67de60896e20788b, 0xb7c0d9e0b0774933}},
};

static int wrong_sums(void (*kernel)(unsigned long long *, int), const struct expected &e)
{
	unsigned long long *out, sum;
	int wrong = 0;

	CHECK(cudaMalloc(&out, sizeof(sum)));
	for (int kind = 0; kind < KINDS; kind++) {
		CHECK(cudaMemset(out, 0, sizeof(sum)));
		kernel<<<WARPS, 32>>>(out, kind);
		CHECK(cudaMemcpy(&sum, out, sizeof(sum), cudaMemcpyDeviceToHost));
		if (sum == e.sums[kind])
			continue;
		fprintf(stderr, "%s, kind %d: 0x%016llx\n", e.name, kind, sum);
		wrong++;
	}
	CHECK(cudaFree(out));
	return wrong;
}

int main()
{
	const struct expected *next = table;
	int wrong = 0;

#define SUM(name, ...) wrong += wrong_sums(name, *next++);
	EACH(SUM)
	return runs_kernels() && wrong ? EXIT_WRONG : 0;
}
