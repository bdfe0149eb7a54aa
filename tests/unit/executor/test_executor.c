/* The executor: instructions by families, against values that C computes. */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/executor/executor_fixture.h"

#define THREADS 32

/* Operands of a row: 64 bits each, as many as there are threads. */
struct operands {
	uint64_t a[THREADS], b[THREADS], c[THREADS], out[THREADS];
};

static struct operands data;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* Numbers of all sizes, and the ones at the ends of their ranges. */
static uint64_t sample(uint64_t seed)
{
	static const uint64_t edges[] = {0,	     1,		 UINT64_MAX, 0x7FFFFFFF,
					 0x80000000, UINT32_MAX, INT64_MAX,  UINT64_C(1) << 63,
					 0x8000,     0x7FFF,	 31,	     32};
	uint64_t r = mix(seed);

	if (r % 3 == 0)
		return edges[r / 3 % (sizeof(edges) / sizeof(*edges))];
	return mix(r) >> (r / 3 % 64);
}

static void set_operands(uint64_t seed)
{
	for (unsigned i = 0; i < THREADS; i++) {
		data.a[i] = sample(seed * 1000 + i);
		data.b[i] = sample(seed * 2000 + i);
		data.c[i] = sample(seed * 3000 + i);
		data.out[i] = 0;
	}
}

/* Runs "OPCODE d, a, b, c" for each thread; registers of the kinds r (32), q (64), h, f, d. */
static void run_row(const char *opcode, const char *kinds)
{
	static const struct {
		char kind;
		const char *name, *load, *store;
	} registers[] = {{'h', "%h", "ld.global.u16", "st.global.u16"},
			 {'r', "%r", "ld.global.u32", "st.global.u32"},
			 {'q', "%rd", "ld.global.u64", "st.global.u64"},
			 {'f', "%f", "ld.global.f32", "st.global.f32"},
			 {'d', "%d", "ld.global.f64", "st.global.f64"}};
	struct device d = device_with(&data, sizeof(data), THREADS);
	char body[1024] = "", operands[128] = "", line[256];

	for (unsigned k = 0; kinds[k]; k++)
		for (unsigned i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
			if (registers[i].kind != kinds[k])
				continue;
			snprintf(line, sizeof(line), "%s%s%u", k ? ", " : "", registers[i].name, k);
			strcat(operands, line);
			if (k)
				snprintf(line, sizeof(line), "%s %s%u, [%%rd8+%zu];\n",
					 registers[i].load, registers[i].name, k,
					 (k - 1) * sizeof(data.a));
			if (k)
				strcat(body, line);
		}
	snprintf(line, sizeof(line), "%s %s;\n", opcode, operands);
	strcat(body, line);
	for (unsigned i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (registers[i].kind == kinds[0])
			snprintf(line, sizeof(line), "%s [%%rd8+%zu], %s0;\n", registers[i].store,
				 offsetof(struct operands, out), registers[i].name);
	strcat(body, line);
	device_runs(&d, body);
}

/* One opcode on many operands against an expression of a, b, c. */
#define CHECK_INTEGER(opcode, kinds, R, T, value)                                                \
	do {                                                                                     \
		for (uint64_t seed = 1; seed < 8; seed++) {                                      \
			set_operands(seed);                                                      \
			run_row(opcode, kinds);                                                  \
			for (unsigned i = 0; i < THREADS; i++) {                                 \
				T a = (T)data.a[i], b = (T)data.b[i], c = (T)data.c[i];          \
				R expected = (R)(value), is = (R)data.out[i];                    \
				(void)a, (void)b, (void)c;                                       \
				if (expected != is)                                              \
					fail_msg("%s of %llx %llx %llx: %llx, not %llx", opcode, \
						 (unsigned long long)data.a[i],                  \
						 (unsigned long long)data.b[i],                  \
						 (unsigned long long)data.c[i],                  \
						 (unsigned long long)is,                         \
						 (unsigned long long)expected);                  \
			}                                                                        \
		}                                                                                \
	} while (0)

/* Runs a body in 32 threads, each of which stores %r1. */
static void run_lanes(const char *body, uint32_t *out)
{
	struct device d = device_with(out, 32 * sizeof(*out), 32);
	char text[1024];

	snprintf(text, sizeof(text),
		 ".shared .align 16 .b8 tile[512]; mad.lo.s32 %%r2, %%r9, 0x01030507, 11;"
		 "mov.u32 %%r3, tile; shl.b32 %%r4, %%r9, 4; add.s32 %%r5, %%r3, %%r4;"
		 "st.shared.v4.u32 [%%r5], {%%r2, %%r9, %%r4, 9}; bar.warp.sync -1;"
		 "cvt.rn.f32.s32 %%f1, %%r9; mov.f32 %%f2, 7.5; setp.gt.s32 %%p1, %%r9, 12;"
		 "mov.u32 %%r1, 0; %s; st.global.u32 [%%rd7], %%r1;",
		 body);
	device_runs(&d, text);
}

/* ptxas takes most parts of an opcode in any order; types and layouts in theirs. */
TEST(parts_of_opcodes_in_another_order)
{
	static const char *const same[][2] = {
		{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r6}, [%r5]",
		 "ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%r1, %r6}, [%r5]"},
		{"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%r5]",
		 "ldmatrix.trans.b16.x1.shared.aligned.m8n8.sync {%r1}, [%r5]"},
		{"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2",
		 "movmatrix.m8n8.sync.b16.trans.aligned %r1, %r2"},
		{"shfl.sync.bfly.b32 %r1, %r2, 5, 31, -1",
		 "shfl.bfly.b32.sync %r1, %r2, 5, 31, -1"},
		{"vote.sync.ballot.b32 %r1, %p1, -1", "vote.ballot.b32.sync %r1, %p1, -1"},
		{"match.any.sync.b32 %r1, %r4, -1", "match.sync.any.b32 %r1, %r4, -1"},
		{"redux.sync.add.s32 %r1, %r2, -1", "redux.s32.add.sync %r1, %r2, -1"},
		{"set.lt.u32.f32 %r1, %f1, %f2", "set.u32.lt.f32 %r1, %f1, %f2"},
		{"set.lt.u32.f32 %r1, %f1, %f2", "set.u32.f32.lt %r1, %f1, %f2"},
		{"setp.lt.s32 %p2, %r9, 9; selp.u32 %r1, 1, 2, %p2",
		 "setp.s32.lt %p2, %r9, 9; selp.u32 %r1, 1, 2, %p2"},
		{"prmt.b32.f4e %r1, %r2, %r9, 2", "prmt.f4e.b32 %r1, %r2, %r9, 2"},
		{"shf.l.wrap.b32 %r1, %r2, %r9, 5", "shf.l.b32.wrap %r1, %r2, %r9, 5"},
		{"bfind.shiftamt.u32 %r1, %r2", "bfind.u32.shiftamt %r1, %r2"},
		{"cvt.rzi.ftz.s32.f32 %r1, %f1", "cvt.s32.ftz.f32.rzi %r1, %f1"},
		{"add.cc.u32 %r6, %r2, %r2; addc.u32 %r1, %r9, 0",
		 "add.u32.cc %r6, %r2, %r2; addc.u32 %r1, %r9, 0"},
		{"mad.lo.cc.u32 %r1, %r2, %r9, 5", "mad.lo.u32.cc %r1, %r2, %r9, 5"},
		{"ex2.approx.ftz.f32 %f3, %f2; mov.b32 %r1, %f3",
		 "ex2.f32.ftz.approx %f3, %f2; mov.b32 %r1, %f3"},
		{"barrier.red.popc.aligned.u32 %r1, 0, %p1",
		 "barrier.red.u32.aligned.popc %r1, 0, %p1"},
		{"atom.relaxed.gpu.shared.add.u32 %r6, [%r5], %r9; ld.shared.u32 %r1, [%r5]",
		 "atom.u32.add.gpu.shared.relaxed %r6, [%r5], %r9; ld.u32.shared %r1, [%r5]"},
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		uint32_t usual[32] = {0}, other[32] = {0}, any = 0;

		run_lanes(same[i][0], usual);
		run_lanes(same[i][1], other);
		for (unsigned k = 0; k < 32; k++)
			any |= usual[k];
		if (!any || memcmp(usual, other, sizeof(usual)))
			fail_msg("%s: not the same as %s", same[i][1], same[i][0]);
	}
}

TEST(types_in_another_order_are_others)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 32);

	device_refuses(&d, "dp4a.u32.s32.lo %r1, %r2, %r3, %r4;", "dp4a");
	device_refuses(&d, "shfl.bfly.b32.sync.sync %r1, %r2, 5, 31, -1;", "shfl");
	device_refuses(&d,
		       "mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32 {%f1, %f2, %f3, %f4},"
		       "{%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};",
		       "mma");
}

/* The 8 bytes that a body stores at the address of thread 0. */
static uint64_t stored(const char *body)
{
	uint64_t out[2] = {UINT64_C(0xAAAAAAAAAAAAAAAA), 0};
	struct device d = device_with(out, sizeof(out), 1);
	char text[512];

	snprintf(text, sizeof(text),
		 ".reg .b8 %%c<9>; .reg .b16 %%s<9>; mov.u16 %%h1, 0x12f3;"
		 "mov.u32 %%r1, 0x89abcdef; cvt.u8.u16 %%c1, %%h1; %s",
		 body);
	device_runs(&d, text);
	return out[0];
}

/* A vector has registers, immediates and special registers in all places, bytes in .b8. */
TEST(vectors_of_registers_and_immediates)
{
	static const struct {
		const char *body;
		uint64_t value;
	} cases[] = {
		{"mov.b16 %h2, {%c1, 0}; st.global.u16 [%rd8], %h2;", 0xAAAAAAAAAAAA00F3},
		{"mov.b16 %h2, {5, %c1}; st.global.u16 [%rd8], %h2;", 0xAAAAAAAAAAAAF305},
		{"mov.b16 %h2, {-1, 2}; st.global.u16 [%rd8], %h2;", 0xAAAAAAAAAAAA02FF},
		{"mov.b32 %r2, {%c1, 1, 255, %c1}; st.global.u32 [%rd8], %r2;", 0xAAAAAAAAF3FF01F3},
		{"mov.b32 %r2, {%h1, 7}; st.global.u32 [%rd8], %r2;", 0xAAAAAAAA000712F3},
		{"mov.b32 %r2, {-1, %h1}; st.global.u32 [%rd8], %r2;", 0xAAAAAAAA12F3FFFF},
		{"mov.b64 %rd1, {%r1, 0}; st.global.u64 [%rd8], %rd1;", 0x89ABCDEF},
		{"mov.b64 %rd1, {0f3F800000, %r1}; st.global.u64 [%rd8], %rd1;",
		 0x89ABCDEF3F800000},
		{"mov.b64 %rd1, {WARP_SZ, %laneid}; st.global.u64 [%rd8], %rd1;", 32},
		{"mov.b64 %rd1, {%h1, 3, 4, %h1}; st.global.u64 [%rd8], %rd1;", 0x12F30004000312F3},
		{"mov.b16 {%c2, %c3}, 0x1234; mov.b16 %h2, {%c3, %c2}; st.global.u16 [%rd8], %h2;",
		 0xAAAAAAAAAAAA3412},
		{"mov.b16 {_, %c3}, %h1; st.global.u8 [%rd8], %c3;", 0xAAAAAAAAAAAAAA12},
		{"mov.b32 {%c2, %c3, %c4, %c5}, %r1; mov.b32 %r2, {%c5, %c4, %c3, %c2};"
		 "st.global.u32 [%rd8], %r2;",
		 0xAAAAAAAAEFCDAB89},
		{"mov.b64 {%r2, _}, 0x100000002; st.global.u32 [%rd8], %r2;", 0xAAAAAAAA00000002},
		{"st.global.v2.u32 [%rd8], {1, %r1};", 0x89ABCDEF00000001},
		{"st.global.v2.f32 [%rd8], {0f3F800000, 2.0};", 0x400000003F800000},
		{"st.global.v4.u8 [%rd8], {1, %h1, 258, 4};", 0xAAAAAAAA0402F301},
		{"st.global.v2.f64 [%rd8], {1.0, 0d0000000000000000};", 0x3FF0000000000000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (stored(cases[i].body) != cases[i].value)
			fail_msg("%s: %llx", cases[i].body,
				 (unsigned long long)stored(cases[i].body));
}

TEST(integer_arithmetic)
{
	CHECK_INTEGER("add.s32", "rrr", uint32_t, uint32_t, a + b);
	CHECK_INTEGER("add.u64", "qqq", uint64_t, uint64_t, a + b);
	CHECK_INTEGER("sub.s16", "hhh", uint16_t, uint16_t, a - b);
	CHECK_INTEGER("mul.lo.s32", "rrr", uint32_t, uint32_t, a * b);
	CHECK_INTEGER("mul.hi.s32", "rrr", uint32_t, int32_t, (int64_t)a * b >> 32);
	CHECK_INTEGER("mul.hi.u32", "rrr", uint32_t, uint32_t, (uint64_t)a * b >> 32);
	CHECK_INTEGER("mul.wide.s32", "qrr", uint64_t, int32_t, (int64_t)a * b);
	CHECK_INTEGER("mul.wide.u16", "rhh", uint32_t, uint16_t, (uint32_t)a * b);
	CHECK_INTEGER("mad.lo.s32", "rrrr", uint32_t, uint32_t, a * b + c);
	CHECK_INTEGER("min.s64", "qqq", int64_t, int64_t, a < b ? a : b);
	CHECK_INTEGER("max.u32", "rrr", uint32_t, uint32_t, a > b ? a : b);
	CHECK_INTEGER("div.u32", "rrr", uint32_t, uint32_t, b ? a / b : UINT32_MAX);
	CHECK_INTEGER("div.s32", "rrr", int32_t, int32_t, !b ? -1 : (int64_t)a / (int64_t)b);
	CHECK_INTEGER("rem.s64", "qqq", int64_t, int64_t, !b ? -1 : b == -1 ? 0 : a % b);
	CHECK_INTEGER("neg.s32", "rr", uint32_t, uint32_t, -a);
	CHECK_INTEGER("abs.s64", "qq", uint64_t, int64_t, a < 0 ? -(uint64_t)a : (uint64_t)a);
}

TEST(bits_and_shifts)
{
	CHECK_INTEGER("and.b32", "rrr", uint32_t, uint32_t, a & b);
	CHECK_INTEGER("xor.b64", "qqq", uint64_t, uint64_t, a ^ b);
	CHECK_INTEGER("not.b16", "hh", uint16_t, uint16_t, ~a);
	CHECK_INTEGER("shl.b32", "rrr", uint32_t, uint32_t, b > 31 ? 0 : a << b);
	CHECK_INTEGER("shr.u64", "qqr", uint64_t, uint64_t,
		      (uint32_t)b > 63 ? 0 : a >> (uint32_t)b);
	CHECK_INTEGER("shr.s32", "rrr", int32_t, int32_t, a >> ((uint32_t)b > 31 ? 31 : b));
	CHECK_INTEGER("shf.l.wrap.b32", "rrrr", uint32_t, uint32_t,
		      c % 32 ? b << c % 32 | a >> (32 - c % 32) : b);
	CHECK_INTEGER("popc.b64", "rq", uint32_t, uint64_t, __builtin_popcountll(a));
	CHECK_INTEGER("clz.b32", "rr", uint32_t, uint32_t, a ? __builtin_clz(a) : 32);
	CHECK_INTEGER("bfind.u32", "rr", uint32_t, uint32_t, a ? 31 - __builtin_clz(a) : -1);
	CHECK_INTEGER("lop3.b32 %r0, %r1, %r2, %r3, 0xE8; //", "rrrr", uint32_t, uint32_t,
		      (a & b) | (b & c) | (a & c));
}

/* brev, prmt, bfe and bfi on values that the manual of PTX gives. */
TEST(bit_fields)
{
	uint32_t out[5] = {0};
	struct device d = device_with(out, sizeof(out), 1);

	device_runs(&d, "brev.b32 %r1, 0x1; st.global.u32 [%rd9], %r1;"
			"prmt.b32 %r1, 0x33221180, 0x77665544, 0x7380; st.global.u32 [%rd9+4], %r1;"
			"bfe.u32 %r1, 0xABCD1234, 8, 8; st.global.u32 [%rd9+8], %r1;"
			"bfe.s32 %r1, 0xABCD9234, 8, 8; st.global.u32 [%rd9+12], %r1;"
			"bfi.b32 %r1, 0xFF, 0x12345678, 8, 4; st.global.u32 [%rd9+16], %r1;");
	assert_int_equal(out[0], 0x80000000);
	assert_int_equal(out[1], 0x7733FF80);
	assert_int_equal(out[2], 0x12);
	assert_int_equal(out[3], 0xFFFFFF92);
	assert_int_equal(out[4], 0x12345F78);
}

static float float_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float out;

	memcpy(&out, &low, sizeof(out));
	return out;
}

static uint32_t bits_of(float a)
{
	uint32_t out;

	memcpy(&out, &a, sizeof(out));
	return a == a ? out : 0x7FFFFFFF;
}

#define CHECK_SINGLE(opcode, kinds, value)                                                        \
	do {                                                                                      \
		for (uint64_t seed = 1; seed < 40; seed++) {                                      \
			set_operands(seed);                                                       \
			for (unsigned i = 0; i < THREADS; i++) {                                  \
				data.a[i] = (uint32_t)mix(data.a[i]);                             \
				data.b[i] = seed % 3 ? (uint32_t)mix(data.b[i]) : data.a[i];      \
			}                                                                         \
			run_row(opcode, kinds);                                                   \
			for (unsigned i = 0; i < THREADS; i++) {                                  \
				volatile float a = float_of(data.a[i]), b = float_of(data.b[i]);  \
				volatile float c = float_of(data.c[i]);                           \
				uint32_t expected = bits_of(value);                               \
				(void)a, (void)b, (void)c;                                        \
				if (expected != (uint32_t)data.out[i])                            \
					fail_msg("%s of %a %a %a: %x, not %x", opcode, (double)a, \
						 (double)b, (double)c, (unsigned)data.out[i],     \
						 expected);                                       \
			}                                                                         \
		}                                                                                 \
	} while (0)

static float flush(float a)
{
	return fpclassify(a) == FP_SUBNORMAL ? copysignf(0, a) : a;
}

TEST(single_precision)
{
	CHECK_SINGLE("add.f32", "fff", a + b);
	CHECK_SINGLE("sub.f32", "fff", a - b);
	CHECK_SINGLE("mul.rn.f32", "fff", a * b);
	CHECK_SINGLE("fma.rn.f32", "ffff", fmaf(a, b, c));
	CHECK_SINGLE("div.rn.f32", "fff", a / b);
	CHECK_SINGLE("sqrt.rn.f32", "ff", sqrtf(a));
	CHECK_SINGLE("add.ftz.f32", "fff", flush(flush(a) + flush(b)));
	CHECK_SINGLE("mul.ftz.f32", "fff", flush(flush(a) * flush(b)));
	CHECK_SINGLE("min.f32", "fff", a != a ? b : b != b ? a : a < b ? a : b);
	CHECK_SINGLE("max.f32", "fff", a != a ? b : b != b ? a : a > b ? a : b);
}

/* Sums and products of single precision are exact in double precision, so rounding them once to
 * the next number down or up is easy to say. */
static float rounded(double exact, int direction)
{
	float near = (float)exact;

	if (direction < 0 && (double)near > exact)
		return nextafterf(near, -INFINITY);
	if (direction > 0 && (double)near < exact)
		return nextafterf(near, INFINITY);
	return near;
}

TEST(directed_rounding)
{
	CHECK_SINGLE("mul.rm.f32", "fff", rounded((double)a * (double)b, -1));
	CHECK_SINGLE("mul.rp.f32", "fff", rounded((double)a * (double)b, 1));
	CHECK_SINGLE("mul.rz.f32", "fff",
		     rounded((double)a * (double)b, (double)a * (double)b > 0 ? -1 : 1));
	CHECK_SINGLE("add.sat.f32", "fff", a + b > 0 ? a + b < 1 ? a + b : 1.0F : 0.0F);
}

TEST(double_precision)
{
	double memory[4] = {3, 7, 0, 0};
	struct device d = device_with(memory, sizeof(memory), 1);

	device_runs(&d, "ld.global.f64 %d1, [%rd9]; ld.global.f64 %d2, [%rd9+8];"
			"div.rn.f64 %d3, %d1, %d2; fma.rn.f64 %d3, %d3, %d2, 0dBFF0000000000000;"
			"st.global.f64 [%rd9+16], %d3; div.rp.f64 %d3, %d1, %d2;"
			"st.global.f64 [%rd9+24], %d3;");
	assert_true(memory[2] == fma(3.0 / 7, 7, -1));
	assert_true(memory[3] >= 3.0 / 7 && memory[3] <= nextafter(3.0 / 7, 1));
}

static int32_t nearest(float a)
{
	double r = rint((double)a);

	if (a != a)
		return 0;
	return r >= 2147483647 ? INT32_MAX : r <= -2147483648.0 ? INT32_MIN : (int32_t)r;
}

TEST(conversions)
{
	CHECK_INTEGER("cvt.s64.s32", "qr", int64_t, int32_t, a);
	CHECK_INTEGER("cvt.u64.u32", "qr", uint64_t, uint32_t, a);
	CHECK_INTEGER("cvt.u32.u64", "rq", uint32_t, uint64_t, a);
	CHECK_INTEGER("cvt.s32.s8", "rr", int32_t, uint64_t, (int8_t)a);
	CHECK_INTEGER("cvt.u16.u32", "hr", uint16_t, uint64_t, a);
	CHECK_INTEGER("cvt.sat.u8.s32", "rr", uint32_t, int32_t, a < 0 ? 0 : a > 255 ? 255 : a);
	CHECK_INTEGER("cvt.sat.s16.s64", "hq", uint16_t, int64_t,
		      a < -32768  ? -32768
		      : a > 32767 ? 32767
				  : a);
	CHECK_INTEGER("cvt.rn.f32.s32", "fr", uint32_t, int32_t, bits_of((float)a));
	CHECK_INTEGER("cvt.rn.f32.u64", "fq", uint32_t, uint64_t, bits_of((float)a));
	CHECK_INTEGER("cvt.rni.s32.f32", "rf", int32_t, uint32_t, nearest(float_of(a)));
	CHECK_SINGLE("cvt.rzi.f32.f32", "ff", truncf(a));
	CHECK_SINGLE("cvt.ftz.f32.f32", "ff", flush(a));
}

TEST(comparisons_and_selection)
{
	CHECK_INTEGER("setp.lt.s32 %p1, %r1, %r2; selp.b32 %r0, 1, 0, %p1; //", "rrr", uint32_t,
		      int32_t, a < b);
	CHECK_INTEGER("setp.hi.u64 %p1, %rd1, %rd2; selp.b32 %r0, 1, 0, %p1; //", "rqq", uint32_t,
		      uint64_t, a > b);
	CHECK_INTEGER("setp.ge.u32 %p2, %r2, 5; setp.eq.or.s32 %p1|%p3, %r1, %r2, !%p2;"
		      "selp.b32 %r0, 1, 0, %p1; @%p3 add.s32 %r0, %r0, 2; //",
		      "rrr", uint32_t, uint32_t, (a == b || b < 5) + 2 * (a != b || b < 5));
	CHECK_INTEGER("setp.ge.u32 %p1, %r2, 5; setp.eq.and.s32 %p1|%p3, %r1, %r2, %p1;"
		      "selp.b32 %r0, 1, 0, %p1; @%p3 add.s32 %r0, %r0, 2; //",
		      "rrr", uint32_t, uint32_t, (a == b && b >= 5) + 2 * (a != b && b >= 5));
	CHECK_SINGLE("setp.ltu.f32 %p1, %f1, %f2; selp.f32 %f0, 0f3F800000, 0f00000000, %p1; //",
		     "fff", !(a >= b) ? 1.0F : 0.0F);
	CHECK_SINGLE("setp.ne.f32 %p1, %f1, %f2; selp.f32 %f0, 0f3F800000, 0f00000000, %p1; //",
		     "fff", a < b || a > b ? 1.0F : 0.0F);
}

TEST(loads_and_stores_of_all_sizes)
{
	uint64_t memory[40] = {UINT64_C(0x8182838485868788), UINT64_C(0x9192939495969798)};
	struct device d = device_with(memory, sizeof(memory), 1);
	const unsigned char *bytes = (const unsigned char *)memory;

	device_runs(&d, "ld.global.s8 %r1, [%rd9]; st.global.u32 [%rd9+16], %r1;"
			"ld.global.u8 %h1, [%rd9+1]; st.global.u16 [%rd9+20], %h1;"
			"ld.global.s16 %rd1, [%rd9+2]; st.global.u64 [%rd9+24], %rd1;"
			"ld.global.v2.u32 {%r1, %r2}, [%rd9+8];"
			"st.global.v4.u8 [%rd9+32], {%r1, %r2, 7, %r1};"
			"ld.global.v2.f64 {%d1, %d2}, [%rd9];"
			"st.global.v2.f64 [%rd9+48], {%d2, %d1}; st.global.u32 [%rd9+64], 9;");
	assert_int_equal(((uint32_t *)memory)[4], 0xFFFFFF88);
	assert_int_equal(((uint16_t *)memory)[10], 0x87);
	assert_true(memory[3] == UINT64_C(0xFFFFFFFFFFFF8586));
	assert_int_equal(bytes[32], 0x98);
	assert_int_equal(bytes[33], 0x94);
	assert_int_equal(bytes[34], 7);
	assert_true(memory[6] == UINT64_C(0x9192939495969798));
	assert_true(memory[7] == UINT64_C(0x8182838485868788));
	assert_int_equal(memory[8], 9);
}

TEST(special_registers)
{
	uint32_t out[8 * 96] = {0};
	struct device d = device_with(out, sizeof(out), 6);

	d.grid[0] = 2;
	d.block[1] = 8;
	device_runs(&d, "mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, %r9;"
			"mov.u32 %r4, %ctaid.x; mad.lo.s32 %r3, %r4, 48, %r3;"
			"mul.wide.u32 %rd1, %r3, 32; add.s64 %rd1, %rd9, %rd1;"
			"st.global.u32 [%rd1], %laneid; mov.u32 %r5, %warpid;"
			"st.global.v2.u32 [%rd1+8], {%r5, %tid.y}; mov.u32 %r6, %lanemask_lt;"
			"mov.u32 %r7, %nctaid.x; st.global.v2.u32 [%rd1+16], {%r6, %r7};");
	for (uint32_t i = 0; i < 96; i++) {
		const uint32_t *of = &out[(size_t)i * 8];

		assert_int_equal(of[0], i % 48 % 32);
		assert_int_equal(of[2], i % 48 / 32);
		assert_int_equal(of[3], i % 48 / 6);
		assert_int_equal(of[4], (UINT32_C(1) << i % 48 % 32) - 1);
		assert_int_equal(of[5], 2);
	}
}

/* A kernel may spin until a clock has gone on. */
TEST(clocks_go_on)
{
	uint64_t out[2] = {0};
	struct device d = device_with(out, sizeof(out), 1);

	device_runs(
		&d,
		"mov.u64 %rd1, %clock64; WAIT: mov.u64 %rd2, %clock64; sub.s64 %rd2, %rd2, %rd1;"
		"setp.lt.u64 %p1, %rd2, 1000; @%p1 bra WAIT; st.global.u64 [%rd9], %rd2;"
		"mov.u64 %rd3, %globaltimer; st.global.u64 [%rd9+8], %rd3;"
		"mov.u32 %r1, %clock; mov.u32 %r2, %globaltimer_hi;");
	assert_true(out[0] >= 1000);
	assert_true(out[1] > 0);
}

TEST(number_of_the_grid_and_word_of_the_tool)
{
	uint64_t out[2] = {0};
	struct device d = device_with(out, sizeof(out), 1);

	d.grid_number = UINT64_C(1) << 40 | 5;
	d.tool_word = UINT64_C(0x123456789abcdef0);
	device_runs(&d, "mov.u64 %rd1, %gridid; st.global.u64 [%rd9], %rd1;"
			"mov.u32 %r1, %envreg30; mov.u32 %r2, %envreg31;"
			"st.global.v2.u32 [%rd9+8], {%r1, %r2};");
	assert_true(out[0] == d.grid_number && out[1] == d.tool_word);
}

TEST(atomics)
{
	uint32_t memory[8] = {0, 0, UINT32_MAX, 0, 7, 0, 0, 0};
	struct device d = device_with(memory, sizeof(memory), 100);

	d.grid[0] = 10;
	device_runs(
		&d,
		"red.global.add.u32 [%rd9], 1; red.global.add.f32 [%rd9+4], 0f3F000000;"
		"atom.global.min.u32 %r1, [%rd9+8], %r9; atom.global.max.s32 %r1, [%rd9+12], %r9;"
		"atom.global.cas.b32 %r1, [%rd9+16], 7, 9; atom.inc.u32 %r2, [%rd9+20], 6;"
		"red.relaxed.gpu.global.or.b32 [%rd9+24], %r9;");
	assert_int_equal(memory[0], 1000);
	assert_true(float_of(memory[1]) == 500.0F);
	assert_int_equal(memory[2], 0);
	assert_int_equal(memory[3], 99);
	assert_int_equal(memory[4], 9);
	assert_int_equal(memory[5], 1000 % 7);
	assert_int_equal(memory[6], 127);
}

TEST(shuffles_and_votes)
{
	uint32_t out[THREADS * 8] = {0};
	struct device d = device_with(out, sizeof(out), THREADS);

	device_runs(&d, "mul.wide.u32 %rd1, %r9, 32; add.s64 %rd1, %rd9, %rd1;"
			"shfl.sync.down.b32 %r1|%p1, %r9, 4, 31, -1; st.global.u32 [%rd1], %r1;"
			"selp.b32 %r2, 1, 0, %p1; st.global.u32 [%rd1+4], %r2;"
			"shfl.sync.bfly.b32 %r1, %r9, 1, 31, -1; st.global.u32 [%rd1+8], %r1;"
			"shfl.sync.idx.b32 %r1, %r9, 3, 0x181F, -1; st.global.u32 [%rd1+12], %r1;"
			"shfl.sync.up.b32 %r1, %r9, 2, 0, -1; st.global.u32 [%rd1+16], %r1;"
			"setp.lt.u32 %p2, %r9, 5; vote.sync.ballot.b32 %r3, %p2, -1;"
			"st.global.u32 [%rd1+20], %r3; vote.any.sync.pred %p3, !%p2, -1;"
			"selp.b32 %r4, 1, 0, %p3; st.global.u32 [%rd1+24], %r4;"
			"redux.sync.add.u32 %r5, %r9, -1; st.global.u32 [%rd1+28], %r5;");
	for (uint32_t i = 0; i < THREADS; i++) {
		const uint32_t *of = &out[(size_t)i * 8];

		assert_int_equal(of[0], i + 4 < 32 ? i + 4 : i);
		assert_int_equal(of[1], i + 4 < 32);
		assert_int_equal(of[2], i ^ 1);
		assert_int_equal(of[3], i / 8 * 8 + 3);
		assert_int_equal(of[4], i < 2 ? i : i - 2);
		assert_int_equal(of[5], 31);
		assert_int_equal(of[6], 1);
		assert_int_equal(of[7], 31 * 32 / 2);
	}
}

TEST(variables_have_addresses)
{
	uint32_t memory[4] = {11, 0, 0, 0};
	struct device d = device_with(memory, sizeof(memory), 1);
	const uint64_t params[2] = {DEVICE_BASE, 5};

	assert_null(device_try(&d,
			       ".version 8.0\n.target sm_75\n.address_size 64\n"
			       ".global .u32 variable[4];\n"
			       ".entry k(.param .u64 p, .param .align 4 .b8 q[8]) {\n"
			       ".reg .b32 %r<4>; .reg .b64 %rd<4>; .local .align 8 .b8 depot[16];\n"
			       "ld.global.u32 %r1, [variable]; mov.u64 %rd1, variable;\n"
			       "st.global.u32 [%rd1+4], %r1; mov.u64 %rd2, depot;\n"
			       "cvta.local.u64 %rd2, %rd2; st.u32 [%rd2+12], 21;\n"
			       "ld.local.u32 %r2, [depot+12]; st.u32 [%rd1+8], %r2;\n"
			       "ld.param.u32 %r3, [q]; st.global.u32 [variable+12], %r3; ret; }",
			       params, sizeof(params)));
	assert_int_equal(d.outcome.result, EXEC_DONE);
	assert_int_equal(memory[1], 11);
	assert_int_equal(memory[2], 21);
	assert_int_equal(memory[3], 5);
}
