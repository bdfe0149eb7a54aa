// What instructions give where the PTX manual leaves it open: .ftz near the normal numbers, fma.oob
// with each NaN, products of numbers with 8 bits. It prints bits, for a GPU and the simulated
// device:
//   nvcc -std=c++17 -arch=sm_90 -Itests/gpu/probes tests/executor/rounding.cu -o rounding -lcuda
#include "probe.h"

#include <string>

#define RESULTS 64

__global__ void flush(uint32_t *out, uint32_t below, uint32_t least, uint32_t one, uint64_t wide)
{
	int i = 0;

#define TWO(text, a, b)                                                        \
	asm volatile("{.reg .f32 d, x, y; mov.b32 x, %1; mov.b32 y, %2; " text \
		     " d, x, y; mov.b32 %0, d;}"                               \
		     : "=r"(out[i++])                                          \
		     : "r"(a), "r"(b))
#define ONE(text, a)                                                                  \
	asm volatile("{.reg .f32 d, x; mov.b32 x, %1; " text " d, x; mov.b32 %0, d;}" \
		     : "=r"(out[i++])                                                 \
		     : "r"(a))
	TWO("mul.rn.ftz.f32", below, least); // 2^-126 (1 - 2^-24), which rounds to 2^-126
	TWO("mul.rp.ftz.f32", below, least);
	TWO("div.rn.ftz.f32", 0x00800000, one + 1); // 2^-126 (1 - 2^-23 + ...)
	TWO("div.rp.ftz.f32", 0x00800000, one + 1);
	TWO("div.rp.f32", 0x00800000, one + 1);
	ONE("rcp.rp.ftz.f32", 0x7E800001); // of 2^126 (1 + 2^-23)
	ONE("rcp.rp.f32", 0x7E800001);
	asm volatile("{.reg .f64 x; .reg .f32 d; mov.b64 x, %1; cvt.rn.ftz.f32.f64 d, x; "
		     "mov.b32 %0, d;}"
		     : "=r"(out[i++])
		     : "l"(wide)); // 2^-126 (1 - 2^-30)
	asm volatile("{.reg .f64 x; .reg .f32 d; mov.b64 x, %1; cvt.rp.ftz.f32.f64 d, x; "
		     "mov.b32 %0, d;}"
		     : "=r"(out[i++])
		     : "l"(wide));
	asm volatile("mul.rn.ftz.f16x2 %0, %1, %2;"
		     : "=r"(out[i++])
		     : "r"(0x3BFFBBFF), "r"(0x04000400));
	asm volatile("fma.rn.ftz.f16x2 %0, %1, %2, %3;"
		     : "=r"(out[i++])
		     : "r"(0x3BFFBBFF), "r"(0x04000400), "r"(0));
}

// For each of 65,536 numbers: what fma gives with it in one place, 1 and another number elsewhere.
template <int form> __global__ void outside(uint32_t *out, uint32_t one, uint32_t other, int place)
{
	uint32_t number = blockIdx.x * blockDim.x + threadIdx.x, pair = number | number << 16, d;
	uint32_t a = place == 0 ? pair : one, b = place == 1 ? pair : place == 0 ? one : other;
	uint32_t c = place == 2 ? pair : other;

	if (form == 0)
		asm volatile("fma.rn.oob.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	if (form == 1)
		asm volatile("fma.rn.oob.relu.f16x2 %0, %1, %2, %3;"
			     : "=r"(d)
			     : "r"(a), "r"(b), "r"(c));
	if (form == 2)
		asm volatile("fma.rn.oob.bf16x2 %0, %1, %2, %3;"
			     : "=r"(d)
			     : "r"(a), "r"(b), "r"(c));
	if (form == 3)
		asm volatile("fma.rn.oob.relu.bf16x2 %0, %1, %2, %3;"
			     : "=r"(d)
			     : "r"(a), "r"(b), "r"(c));
	out[number] = d & 0xFFFF;
}

// One row and column: the sum of 32 products of a lane's own four and its neighbours' numbers.
__global__ void eights(uint32_t *out, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d[4];

	asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, "
		     "{%4, %4, %4, %4}, {%5, %5}, {%6, %6, %6, %6};"
		     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
		     : "r"(a), "r"(b), "r"(c));
	if (!threadIdx.x)
		out[0] = d[0];
}

static void say(const char *question, uint32_t bits)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%08x", bits);
	fact(question, text);
}

// Which first factors that are no numbers give something else than NaN.
static void say_outside(const char *form, const std::vector<uint32_t> &d, uint32_t infinity)
{
	std::string text;
	char item[64];
	int count = 0;

	for (uint32_t a = 0; a < 65536; a++) {
		bool is_nan = (a & 0x7FFF) > infinity, gives_nan = (d[a] & 0x7FFF) > infinity;

		if (!is_nan || (gives_nan && d[a] == 0x7FFF) || count++ >= 8)
			continue;
		snprintf(item, sizeof(item), " %04x gives %04x,", a, d[a]);
		text += item;
	}
	text += " " + std::to_string(count) + " in all";
	fact(form, text.c_str());
}

template <int form>
static void ask_outside(uint32_t *out, const char *name, uint32_t one, uint32_t two)
{
	uint32_t infinity = form < 2 ? 0x7C00 : 0x7F80;
	uint32_t thirds[] = {two, 0xC000C000, 0x7FFF7FFF, 0xFFFFFFFF, 0x7FFE7FFE};

	for (uint32_t c : thirds) {
		char question[96];
		std::vector<uint32_t> d(65536);

		for (int place = 0; place < 3; place++) {
			outside<form><<<256, 256>>>(out, one, c, place);
			CHECK(cudaMemcpy(d.data(), out, 65536 * 4, cudaMemcpyDeviceToHost));
			snprintf(question, sizeof(question), "%s of 1, %04x and as number %d a NaN",
				 name, c & 0xFFFF, place + 1);
			say_outside(question, d, infinity);
		}
	}
}

int main()
{
	static const char *const questions[] = {"mul.rn.ftz.f32 of 2^-126 (1 - 2^-24)",
						"mul.rp.ftz.f32 of 2^-126 (1 - 2^-24)",
						"div.rn.ftz.f32 of 2^-126 / (1 + 2^-23)",
						"div.rp.ftz.f32 of 2^-126 / (1 + 2^-23)",
						"div.rp.f32 of the same",
						"rcp.rp.ftz.f32 of 2^126 (1 + 2^-23)",
						"rcp.rp.f32 of the same",
						"cvt.rn.ftz.f32.f64 of 2^-126 (1 - 2^-30)",
						"cvt.rp.ftz.f32.f64 of the same",
						"mul.rn.ftz.f16x2 of 2^-14 (1 - 2^-11)",
						"fma.rn.ftz.f16x2 of the same"};
	uint32_t *out, first[RESULTS];

	CHECK(cudaMalloc(&out, 65536 * 4));
	flush<<<1, 1>>>(out, 0x1FFFFFFF, 0x20000000, 0x3F800000, 0x380FFFFFFF800000ull);
	CHECK(cudaMemcpy(first, out, sizeof(first), cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		say(questions[i], first[i]);
	ask_outside<0>(out, "fma.rn.oob.f16", 0x3C003C00, 0x40004000);
	ask_outside<1>(out, "fma.rn.oob.relu.f16", 0x3C003C00, 0x40004000);
	ask_outside<2>(out, "fma.rn.oob.bf16", 0x3F803F80, 0x40004000);
	ask_outside<3>(out, "fma.rn.oob.relu.bf16", 0x3F803F80, 0x40004000);
	// 448 * 448 * 32 and what is added to it at several bits below its last one; the least
	// products.
	uint32_t sums[][3] = {
		{0x7E7E7E7E, 0x7E7E7E7E, 0x3F000000}, {0x7E7E7E7E, 0x7E7E7E7E, 0x3E800000},
		{0x7E7E7E01, 0x7E7E7E01, 0},	      {0x017E017E, 0x017E017E, 0x3F800001},
		{0x01010101, 0x01010101, 0xB5000000}, {0xFE7E0101, 0x7E7E0101, 0x00000001}};
	for (auto &s : sums) {
		char question[96];

		eights<<<1, 32>>>(out, s[0], s[1], s[2]);
		CHECK(cudaMemcpy(first, out, 4, cudaMemcpyDeviceToHost));
		snprintf(question, sizeof(question), "mma e4m3 of %08x, %08x, %08x", s[0], s[1],
			 s[2]);
		say(question, first[0]);
	}
	return 0;
}
