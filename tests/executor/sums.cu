// Checksums of random sums of products by tensor cores, of each type and kind of operands. What a
// GPU prints, the simulated device must print, too:
//   nvcc -std=c++17 -arch=sm_90 -Itests/gpu/probes tests/executor/sums.cu -o sums -lcuda
#include "probe.h"

#include <string>

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

static void ask(void (*kernel)(unsigned long long *, int), const char *name)
{
	static const char *const kinds[] = {"near one", "all", "zeros", "special"};
	unsigned long long *out, sum;

	CHECK(cudaMalloc(&out, sizeof(sum)));
	for (int kind = 0; kind < KINDS; kind++) {
		std::string question = std::string("sums of ") + name + ", " + kinds[kind];
		char text[32];

		CHECK(cudaMemset(out, 0, sizeof(sum)));
		kernel<<<WARPS, 32>>>(out, kind);
		CHECK(cudaMemcpy(&sum, out, sizeof(sum), cudaMemcpyDeviceToHost));
		snprintf(text, sizeof(text), "0x%016llx", sum);
		fact(question.c_str(), text);
	}
	CHECK(cudaFree(out));
}

int main()
{
#define ASK(name, ...) ask(name, #name);
	EACH(ASK)
	return 0;
}
