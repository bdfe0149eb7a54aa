// Double precision with what is no number: which operand's bits a result keeps. The checksums must
// be those of an H100.
// expect: clean
#include "testcases/common.h"

#include <cstdint>

#define VALUES 12
#define ALL    (VALUES * VALUES * VALUES)

__device__ static const uint64_t values[VALUES] = {
	0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001, 0xFFF8000000000002,
	0x7FF0000000000003, 0xFFF0000000000004, 0x3FF0000000000000, 0xBFF0000000000000,
	0x0000000000000000, 0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0x0000000000000005};

// One operation of up to three of the values; the instruction is written out, as a compiler may
// change operands.
#define OPERATION(name, text)                                                                   \
	__global__ void name(uint64_t *out)                                                     \
	{                                                                                       \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                  \
		uint64_t a, b, c, d;                                                            \
                                                                                                \
		if (i >= ALL)                                                                   \
			return;                                                                 \
		a = values[i % VALUES];                                                         \
		b = values[i / VALUES % VALUES];                                                \
		c = values[i / VALUES / VALUES];                                                \
		asm volatile("{.reg .f64 a, b, c, d; .reg .f32 f; .reg .f16 h; mov.b64 a, %1; " \
			     "mov.b64 b, %2; mov.b64 c, %3; " text " mov.b64 %0, d;}"           \
			     : "=l"(d)                                                          \
			     : "l"(a), "l"(b), "l"(c));                                         \
		out[i] = d;                                                                     \
	}

// DO(name, checksum on an H100, instructions)
#define EACH(DO)                                                                     \
	DO(add, 0x24a6b147a5e7d075, "add.f64 d, a, b;")                              \
	DO(subtract, 0xa2efe62531b5f44e, "sub.f64 d, a, b;")                         \
	DO(multiply, 0x79147c627e796f73, "mul.f64 d, a, b;")                         \
	DO(divide, 0xcf4583f79e923914, "div.rn.f64 d, a, b;")                        \
	DO(fuse, 0xc051ee64bb36645b, "fma.rn.f64 d, a, b, c;")                       \
	DO(fuse_down, 0x93837cdb64a359b2, "fma.rm.f64 d, a, b, c;")                  \
	DO(fuse_negated, 0x28a6dd34a480477f, "neg.f64 a, a; fma.rn.f64 d, a, b, c;") \
	DO(smaller, 0x05172b55f982abcf, "min.f64 d, a, b;")                          \
	DO(larger, 0xba880bb7c3cb2c5f, "max.f64 d, a, b;")                           \
	DO(root, 0x484943fbbe38d6ab, "sqrt.rn.f64 d, a;")                            \
	DO(reciprocal, 0x0085bce26de48c82, "rcp.rn.f64 d, a;")                       \
	DO(rounded, 0x5e9c05bb57a8c63d, "cvt.rni.f64.f64 d, a;")                     \
	DO(magnitude, 0x85b3b7007faadf74, "abs.f64 d, a;")                           \
	DO(negative, 0x2be685567de11006, "neg.f64 d, a;")                            \
	DO(narrow, 0xca26a791ab63a375, "cvt.rn.f32.f64 f, a; cvt.f64.f32 d, f;")     \
	DO(half, 0x136c0f6aa2ce215b, "cvt.rn.f16.f64 h, a; cvt.f64.f16 d, h;")       \
	DO(chosen, 0x1c728a7be927801a, "{.reg .pred p; setp.ltu.f64 p, a, b; selp.f64 d, a, b, p;}")
#define DEFINE(name, sum, text) OPERATION(name, text)
EACH(DEFINE)

static uint64_t mix(uint64_t a)
{
	a = (a ^ a >> 31) * 0xBF58476D1CE4E5B9ull;
	a = (a ^ a >> 29) * 0x94D049BB133111EBull;
	return a ^ a >> 32;
}

static int is_wrong(const char *name, void (*kernel)(uint64_t *), uint64_t on_gpu)
{
	uint64_t *device = NULL, *host = NULL, sum = 0;

	CHECK(cudaMalloc(&device, ALL * sizeof(*device)));
	CHECK(cudaMallocHost(&host, ALL * sizeof(*host)));
	kernel<<<(ALL + 127) / 128, 128>>>(device);
	CHECK(cudaMemcpy(host, device, ALL * sizeof(*host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < ALL; i++)
		sum = mix(sum + host[i]);
	if (sum != on_gpu)
		fprintf(stderr, "%s: 0x%016llx\n", name, (unsigned long long)sum);
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(host));
	return sum != on_gpu;
}

int main()
{
	int wrong = 0;

#define RUN(name, sum, text) wrong += is_wrong(#name, name, sum);
	EACH(RUN)
	return runs_kernels() && wrong ? EXIT_WRONG : 0;
}
