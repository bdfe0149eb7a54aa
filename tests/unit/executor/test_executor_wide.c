/* The executor: carries, narrow numbers, products of matrices, asynchronous copies, barriers. */
#include <stdlib.h>

#include "tests/unit/executor/executor_fixture.h"

#define LANES 32

static uint32_t memory[4096];

static struct device device(uint32_t threads)
{
	memset(memory, 0, sizeof(memory));
	return device_with(memory, sizeof(memory), threads);
}

/* 2^64 - 1 plus 1, then minus 2, in two words; the carry of one thread is not another's. */
TEST(carries)
{
	struct device d = device(2);

	device_runs(&d, "sub.u32 %r1, %r9, 1; add.cc.u32 %r2, %r1, 1; addc.u32 %r3, -1, 0;"
			"sub.cc.u32 %r4, %r2, 2; subc.cc.u32 %r5, 7, 0; subc.u32 %r6, 0, 0;"
			"st.global.u32 [%rd7], %r3; st.global.u32 [%rd7+8], %r5;"
			"st.global.u32 [%rd7+16], %r6;");
	assert_int_equal(memory[0], 0);		 /* -1 + 1 carries */
	assert_int_equal(memory[1], UINT32_MAX); /* 0 + 1 does not */
	assert_int_equal(memory[2], 6);		 /* 0 - 2 borrows */
	assert_int_equal(memory[3], 6);
	assert_int_equal(memory[4], 0); /* 7 - 1 does not */
}

TEST(products_of_parts)
{
	struct device d = device(1);

	device_runs(&d, "dp4a.s32.u32 %r1, 0xFF020304, 0x01020304, 100; st.global.u32 [%rd7], %r1;"
			"dp2a.hi.u32.s32 %r1, 0x00020003, 0xFF050000, 10;"
			"st.global.u32 [%rd7+4], %r1;"
			"fns.b32 %r1, 0xF0, 31, -2; st.global.u32 [%rd7+8], %r1;"
			"bmsk.clamp.b32 %r1, 30, 8; st.global.u32 [%rd7+12], %r1;"
			"szext.clamp.s32 %r1, 0xFB, 3; st.global.u32 [%rd7+16], %r1;");
	assert_int_equal(memory[0], 100 - 1 + 4 + 9 + 16);
	assert_int_equal(memory[1], 10 + 3 * 5 - 2);
	assert_int_equal(memory[2], 6);
	assert_int_equal(memory[3], 0xC0000000);
	assert_int_equal(memory[4], 3);
}

/* Numbers that the text leaves to be worked out, and a register's name with a blank in it. */
TEST(constant_expressions)
{
	struct device d = device(2);

	device_runs(&d, "mov.u32 %r1, (3+4)*2 - 1; st.global.u32 [%rd9 + 2*4 - (4)], %r1;"
			"mov.u32 %r1, 7>3 ? 1<<4 : 2; st.global.u32 [%rd9+(1+1)*4], %r1;"
			"mov.u32 %r1, 0xff & 0x1f | 64 ^ 2; st.global.u32 [%rd9+12], %r1;"
			"mov.u32 %r1, -(.s64)5/2 + 2; st.global.u32 [%rd9+16], %r1;"
			"mov.u32 %r1, 1-2-3; st.global.u32 [%rd9+20], %r1;"
			"mov.u32 %r1, %tid .x; add.u32 %r1, %r1, ~0; st.global.u32 [%rd7+24], %r1;"
			"mov.u16 %h1, %ntid /* */ .x; st.global.u16 [%rd9+32], %h1;");
	assert_int_equal(memory[1], 13);
	assert_int_equal(memory[2], 16);
	assert_int_equal(memory[3], 0x1F | 66);
	assert_int_equal(memory[4], 0);
	assert_int_equal((int32_t)memory[5], -4);
	assert_int_equal((int32_t)memory[6], -1);
	assert_int_equal((int32_t)memory[7], 0);
	assert_int_equal(memory[8], 2);
}

/* Several registers at once, which may change places, and registers of 128 bits. */
TEST(vectors_and_wide_registers)
{
	struct device d = device(1);
	uint64_t words[8];

	device_runs(&d, ".reg .b128 %x<4>; mov.u32 %r1, 1; mov.u32 %r2, 2;"
			"mov.v2.u32 {%r1, %r2}, {%r2, %r1}; st.global.v2.u32 [%rd9], {%r1, %r2};"
			"mov.v4.f32 {%f1, %f2, _, %f4}, {1.5, %r1, %r1, 0f40000000};"
			"st.global.f32 [%rd9+8], %f1; st.global.f32 [%rd9+12], %f4;"
			"mov.b64 %rd1, 77; mov.b128 %x1, {%rd1, 9}; mov.b128 %x2, %x1;"
			"mov.b128 {_, %rd2}, %x2; st.global.u64 [%rd9+16], %rd2;"
			"st.global.b128 [%rd9+32], %x2; ld.global.b128 %x3, [%rd9+32];"
			"mov.b128 {%rd3, %rd4}, %x3; st.global.u64 [%rd9+48], %rd4;"
			"st.global.u64 [%rd9+56], %rd3;");
	memcpy(words, memory, sizeof(words));
	assert_int_equal(memory[0], 2);
	assert_int_equal(memory[1], 1);
	assert_int_equal(memory[2], 0x3FC00000);
	assert_int_equal(memory[3], 0x40000000);
	assert_int_equal(words[2], 9);
	assert_int_equal(words[4], 77);
	assert_int_equal(words[5], 9);
	assert_int_equal(words[6], 9);
	assert_int_equal(words[7], 77);
	device_ends(&d, ".reg .b128 %x<4>; ld.global.b128 %x3, [%rd9+8];", EXEC_MISALIGNED_ADDRESS);
}

/* Each thread takes the next turn of a count in both halves; the loser sees what is there. */
TEST(atomics_of_128_bits)
{
	struct device d = device(64);
	uint64_t words[4];

	device_runs(&d,
		    ".reg .b128 %x<4>; mov.b64 %rd1, 0; mov.b64 %rd2, 0;"
		    "AGAIN: mov.b128 %x0, {%rd1, %rd2}; add.u64 %rd3, %rd1, 1;"
		    "sub.u64 %rd4, %rd2, 1; mov.b128 %x1, {%rd3, %rd4};"
		    "atom.acq_rel.gpu.global.cas.b128 %x2, [%rd9], %x0, %x1;"
		    "mov.b128 {%rd5, %rd6}, %x2; setp.ne.u64 %p1, %rd5, %rd1;"
		    "mov.u64 %rd1, %rd5; mov.u64 %rd2, %rd6; @%p1 bra AGAIN;"
		    "setp.ne.u32 %p2, %r9, 0; @%p2 exit; mov.b64 %rd5, 7; mov.b128 %x0, {%rd5, 8};"
		    "atom.global.exch.b128 %x1, [%rd9+16], %x0;"
		    "mov.b128 {%rd5, %rd6}, %x1; add.u64 %rd5, %rd5, %rd6; st.global.u64 "
		    "[%rd9+32], %rd5;");
	memcpy(words, memory, sizeof(words));
	assert_int_equal(words[0], 64);
	assert_int_equal(words[1], (uint64_t)-64);
	assert_int_equal(words[2], 7);
	assert_int_equal(words[3], 8);
	device_ends(&d, ".reg .b128 %x<4>; atom.global.exch.b128 %x1, [%rd9+8], %x1;",
		    EXEC_MISALIGNED_ADDRESS);
}

/* Middles go to even numbers, and a sum of products is rounded once. */
TEST(half_precision)
{
	struct device d = device(1);

	device_runs(&d,
		    "mov.b16 %h1, 0x6800; mov.b16 %h2, 0x3C00; add.f16 %h3, %h1, %h2;"
		    "st.global.u16 [%rd9], %h3;" /* 2048 + 1 */
		    "mov.b32 %r1, 0x7BFF3C01; mov.b32 %r2, 0x40003C01; mov.b32 %r3, 0xBC02;"
		    "fma.rn.f16x2 %r4, %r1, %r2, %r3; st.global.u32 [%rd9+4], %r4;"
		    "mov.b16 %h1, 0xBC00; max.relu.f16 %h3, %h1, %h1;"
		    "mov.b16 %h1, 0x8001; neg.ftz.f16 %h4, %h1;"
		    "st.global.u16 [%rd9+8], %h4;"
		    "mov.b16 %h1, 0x4049; mul.bf16 %h3, %h1, %h1; st.global.u16 [%rd9+12], %h3;");
	assert_int_equal(memory[0], 0x6800);
	assert_int_equal(memory[1] & 0xFFFF, 0x0010); /* (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20 */
	assert_int_equal(memory[1] >> 16, 0x7C00);
	assert_int_equal(memory[2], 0);
	assert_int_equal(memory[3], 0x411E); /* 3.140625^2 */
}

/* What is below the normal numbers is flushed, also if it rounds to the least of them. */
TEST(flushed_before_rounding)
{
	struct device d = device(1);

	device_runs(&d, "mov.b32 %f1, 0x1FFFFFFF; mov.b32 %f2, 0x20000000; mov.b32 %f3, 0x80000000;"
			"mul.rn.f32 %f4, %f1, %f2; st.global.f32 [%rd9], %f4;"
			"mul.rn.ftz.f32 %f4, %f1, %f2; st.global.f32 [%rd9+4], %f4;"
			"fma.rn.ftz.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd9+8], %f4;"
			"fma.rp.ftz.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd9+12], %f4;"
			"mov.b32 %r1, 0x3BFFBBFF; mov.b32 %r2, 0x04000400; mov.b32 %r3, 0;"
			"fma.rn.f16x2 %r4, %r1, %r2, %r3; st.global.u32 [%rd9+16], %r4;"
			"fma.rn.ftz.f16x2 %r4, %r1, %r2, %r3; st.global.u32 [%rd9+20], %r4;"
			"add.rn.ftz.f32 %f4, %f1, 0f00800000; st.global.f32 [%rd9+24], %f4;");
	assert_int_equal(memory[0], 0x00800000);
	assert_int_equal(memory[1], 0);
	assert_int_equal(memory[2], 0);
	assert_int_equal(memory[3], 0);
	assert_int_equal(memory[4], 0x04008400);
	assert_int_equal(memory[5], 0x8000);
	assert_int_equal(memory[6], 0x1FFFFFFF);
}

TEST(narrow_conversions)
{
	struct device d = device(1);

	device_runs(
		&d,
		"cvt.rn.satfinite.e4m3x2.f32 %h1, 0f43E80000, 0fC4000000;" /* 464, -512 */
		"st.global.u16 [%rd9], %h1;"
		"cvt.rn.satfinite.e5m2x2.f32 %h1, 0f3FA00000, 0f37000000;" /* 1.25, 2^-17 */
		"st.global.u16 [%rd9+4], %h1;"
		"mov.b16 %h1, 0x7EFF; cvt.rn.f16x2.e4m3x2 %r1, %h1; st.global.u32 [%rd9+8], %r1;"
		"cvt.rp.f16.f32 %h1, 0f33000000; st.global.u16 [%rd9+12], %h1;"
		"cvt.rna.tf32.f32 %r1, 0f3F801000; st.global.u32 [%rd9+16], %r1;"
		"cvt.rz.bf16.f32 %h1, 0fBF80FFFF; st.global.u16 [%rd9+20], %h1;");
	assert_int_equal(memory[0], 0x7EFE);
	assert_int_equal(memory[1], 0x3D00);
	assert_int_equal(memory[2], 0x5F007FFF); /* 448, no number */
	assert_int_equal(memory[3], 1);
	assert_int_equal(memory[4], 0x3F802000);
	assert_int_equal(memory[5], 0xBF80);
}

TEST(mov_of_parts)
{
	struct device d = device(1);

	device_runs(&d, "mov.b32 {%h1, %h2}, 0x12345678; st.global.u16 [%rd9], %h2;"
			"mov.b64 {%h1, %h2, %h3, %h4}, 0x0123456789ABCDEF;"
			"mov.b64 %rd1, {%h4, %h3, %h2, %h1}; st.global.u64 [%rd9+8], %rd1;");
	assert_int_equal(memory[0], 0x1234);
	assert_int_equal(memory[2], 0x45670123);
	assert_int_equal(memory[3], 0xCDEF89AB);
}

/* The first factor is the unit matrix, so the result is the second one plus the third. */
TEST(product_with_unit)
{
	struct device d = device(LANES);

	for (unsigned l = 0; l < LANES; l++) {
		bool is_even = l / 4 / 2 == l % 4 && l / 4 % 2 == 0;
		bool is_odd = l / 4 / 2 == l % 4 && l / 4 % 2 == 1;

		memory[l] = is_even ? 0x3C00 : is_odd ? 0x3C000000 : 0; /* 1 at row = column */
		memory[32 + l] = 0x4900 + l % 4 * 16 + l / 4; /* of rows 2(l % 4), column l / 4 */
	}
	device_runs(&d, "ld.global.u32 %r1, [%rd7]; ld.global.u32 %r2, [%rd7+128]; mov.b32 %r3, 0;"
			"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4},"
			"{%r1, %r3, %r3, %r1}, {%r2, %r2}, {0f3F800000, 0f0, 0f0, 0f40000000};"
			"cvt.rn.f16.f32 %h1, %f1; cvt.rn.f16.f32 %h2, %f4;"
			"mul.wide.u32 %rd1, %r9, 2; add.s64 %rd1, %rd1, %rd9;"
			"st.global.u16 [%rd1+1024], %h1; st.global.f32 [%rd7+2048], %f4;");
	for (unsigned l = 0; l < LANES; l++) {
		/* Lane l has row l / 4, columns 2(l % 4) and the next; even rows are the numbers.
		 */
		unsigned row = l / 4, column = l % 4 * 2;
		uint16_t number = row % 2 ? 0 : (uint16_t)(0x4900 + row / 2 * 16 + column);
		uint16_t got;

		memcpy(&got, (char *)memory + 1024 + 2 * (size_t)l, sizeof(got));
		/* 10 + n/128, plus 1: the exponent stays, the mantissa has 1/128 as its unit. */
		assert_int_equal(got, number ? number + 0x80 : 0x3C00);
	}
}

struct sum {
	const char *product; /* of mma.sync.aligned.SHAPE.row.col.TYPES */
	uint32_t a, b, c;    /* each register of all lanes */
	uint32_t expected;   /* in the first register of the result */
};

static const struct sum sums[] = {
	/* As an H200 answers (tests/executor/rounding.cu): 448 * 448 32 times, or less often. */
	{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x7E7E7E7E, 0x7E7E7E7E, 0x3F000000, 0x4AC40001},
	{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x7E7E7E7E, 0x7E7E7E7E, 0x3E800000, 0x4AC40000},
	{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x7E7E7E01, 0x7E7E7E01, 0, 0x4A930000},
	{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x017E017E, 0x017E017E, 0x3F800001, 0x4A440004},
	{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x01010101, 0x01010101, 0xB5000000, 0x38FF0000},
	{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 0xFE7E0101, 0x7E7E0101, 1, 1},
	/* 2^24, 8 times 0.75, of which 0.5 is left; then with the other sign. */
	{"m16n8k16.row.col.f32.f16.f16.f32", 0x3A000000, 0x3C003C00, 0x4B800000, 0x4B800002},
	{"m16n8k16.row.col.f32.f16.f16.f32", 0xBA000000, 0x3C003C00, 0xCB800000, 0xCB800002},
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 0x3F400000, 0x3F803F80, 0x4B800000, 0x4B800002},
	/* Twice 0.75; instructions of half the length. */
	{"m16n8k4.row.col.f32.tf32.tf32.f32", 0x3F400000, 0x3F800000, 0x4B800000, 0x4B800001},
	{"m16n8k8.row.col.f32.tf32.tf32.f32", 0x3F400000, 0x3F800000, 0x4B800000, 0x4B800002},
	/* 2^24 - 1 and 4 is 2^24 + 3, which becomes 2^24 + 2. */
	{"m16n8k16.row.col.f32.f16.f16.f32", 0x38000000, 0x3C003C00, 0x4B7FFFFF, 0x4B800001},
	/* 1.5 * 1.5 has the exponent of 1: 2^-25 is not cut off, 2^-26 is. */
	{"m16n8k16.row.col.f32.f16.f16.f32", 0xBE003E00, 0x3E003E00, 0x33000000, 0x33000000},
	{"m16n8k16.row.col.f32.f16.f16.f32", 0xBE003E00, 0x3E003E00, 0x32800000, 0},
	/* 2048 or 2050, and 1: halves are rounded to the nearest, from the middle to even. */
	{"m16n8k16.row.col.f16.f16.f16.f16", 0x30000000, 0x3C003C00, 0x68006800, 0x68006800},
	{"m16n8k16.row.col.f16.f16.f16.f16", 0x30000000, 0x3C003C00, 0x68016801, 0x68026802},
	{"m16n8k8.row.col.f16.f16.f16.f16", 0x7BFF7BFF, 0x3C003C00, 0, 0x7C007C00},
	/* Subnormal halves: 8 times 2^-48. */
	{"m16n8k16.row.col.f32.f16.f16.f32", 0x00010000, 0x00010001, 0, 0x29000000},
	/* Large products that cancel each other; that do not; the largest number stays. */
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 0x7F00FF00, 0x7F007F00, 0x3F800000, 0},
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 0x7F007F00, 0x7F007F00, 0x3F800000, 0x7F800000},
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 0x3F800000, 0x3F803F80, 0x7F7FFFFF, 0x7F7FFFFF},
	/* Infinity; infinity times zero, and less infinity. */
	{"m16n8k16.row.col.f32.f16.f16.f32", 0x7C003C00, 0x3C003C00, 0, 0x7F800000},
	{"m16n8k16.row.col.f32.f16.f16.f32", 0x7C003C00, 0x00003C00, 0, 0x7FFFFFFF},
	{"m16n8k16.row.col.f16.f16.f16.f16", 0x7C00FC00, 0x3C003C00, 0, 0x7FFF7FFF},
};

static void form_sum(char *text, size_t size, const struct sum *s)
{
	bool is_half = strstr(s->product, "col.f16"), is_short = strstr(s->product, "k4.");

	is_short = is_short || strstr(s->product, "k8.row.col.f16");
	snprintf(text, size,
		 "mov.b32 %%r1, %u; mov.b32 %%r2, %u; mov.b32 %%r3, %u;"
		 "mma.sync.aligned.%s {%s}, {%s}, {%s}, {%s}; st.global.b32 [%%rd9], %%r4;",
		 s->a, s->b, s->c, s->product, is_half ? "%r4, %r5" : "%r4, %r5, %r6, %r7",
		 is_short ? "%r1, %r1" : "%r1, %r1, %r1, %r1", is_short ? "%r2" : "%r2, %r2",
		 is_half ? "%r3, %r3" : "%r3, %r3, %r3, %r3");
}

/* Sums as tensor cores form them (aligned.h). */
TEST(sums_of_products)
{
	char text[512];

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		struct device d = device(LANES);

		form_sum(text, sizeof(text), &sums[i]);
		device_runs(&d, text);
		if (memory[0] != sums[i].expected)
			fail_msg("%s of %08x, %08x, %08x: %08x, not %08x", sums[i].product,
				 sums[i].a, sums[i].b, sums[i].c, memory[0], sums[i].expected);
	}
}

TEST(matrix_moves)
{
	struct device d = device(LANES);
	const uint16_t *out = (const uint16_t *)(memory + 512);

	for (unsigned i = 0; i < 64; i++)
		((uint16_t *)memory)[i] = (uint16_t)(i * 3);
	/* Each lane stores its 4 bytes of an 8x8 matrix, loads them turned, and turns them back. */
	device_runs(&d, ".shared .align 16 .b8 room[1024]; mov.u32 %r1, room;"
			"mad.lo.u32 %r2, %r9, 4, %r1; ld.global.u32 %r3, [%rd7];"
			"st.shared.u32 [%r2], %r3; bar.sync 0; and.b32 %r4, %r9, 7;"
			"mad.lo.u32 %r4, %r4, 16, %r1;"
			"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r5}, [%r4];"
			"st.global.u32 [%rd7+2048], %r5;"
			"movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;"
			"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4+512], {%r6};"
			"ld.shared.u32 %r7, [%r2+512]; st.global.u32 [%rd7+4096], %r7;");
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(out[i], (i % 8 * 8 + i / 8) * 3);
	assert_memory_equal(memory + 1024, memory, 128);
}

/* What a copy does not read is zero; what it must not read it does not. */
TEST(async_copies)
{
	struct device d = device(1);

	memory[0] = 0x44332211;
	memory[1] = 0x88776655;
	device_runs(&d, ".shared .align 16 .b8 room[64]; mov.u32 %r1, room;"
			"st.shared.u32 [%r1+4], -1; st.shared.u32 [%r1+12], -1;"
			"cp.async.ca.shared.global [%r1], [%rd9], 8, 5;"
			"cp.async.ca.shared.global [%r1+12], [%rd9+1000000], 4, 0;"
			"cp.async.commit_group; cp.async.wait_group 0;"
			"ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd9+64], %r2;"
			"ld.shared.u32 %r2, [%r1+4]; st.global.u32 [%rd9+68], %r2;"
			"ld.shared.u32 %r2, [%r1+12]; st.global.u32 [%rd9+72], %r2;");
	assert_int_equal(memory[16], 0x44332211);
	assert_int_equal(memory[17], 0x55);
	assert_int_equal(memory[18], 0);
	device_ends(&d,
		    ".shared .align 16 .b8 room[64]; mov.u32 %r1, room;"
		    "cp.async.ca.shared.global [%r1], [%rd9+1000000], 4;",
		    EXEC_ILLEGAL_ADDRESS);
	device_ends(&d,
		    ".shared .align 16 .b8 room[64]; mov.u32 %r1, room;"
		    "cp.async.ca.shared.global [%r1+64], [%rd9], 4;",
		    EXEC_ILLEGAL_ADDRESS);
}

/* One thread copies there and back, another one waits for the bytes. */
TEST(bulk_copies)
{
	struct device d = device(64);

	for (unsigned i = 0; i < 64; i++)
		memory[i] = i + 1;
	device_runs(&d,
		    ".shared .align 16 .b8 room[256]; .shared .align 8 .b64 full;"
		    "mov.u32 %r1, room; mov.u32 %r2, full; setp.eq.u32 %p1, %r9, 0;"
		    "@%p1 mbarrier.init.shared::cta.b64 [%r2], 1; bar.sync 0; @!%p1 bra WAIT;"
		    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;"
		    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		    " [%r1], [%rd9], 256, [%r2];"
		    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra WAIT;"
		    "mad.lo.u32 %r3, %r9, 4, %r1; ld.shared.u32 %r4, [%r3];"
		    "add.u32 %r4, %r4, 100; st.shared.u32 [%r3], %r4;"
		    "fence.proxy.async.shared::cta; bar.sync 0;"
		    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd9+1024], [%r1], 256;"
		    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;");
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(memory[256 + i], i + 101);
	device_ends(&d,
		    ".shared .align 16 .b8 room[256]; mov.u32 %r1, room;"
		    "cp.async.bulk.global.shared::cta.bulk_group [%rd9], [%r1], 512;",
		    EXEC_ILLEGAL_ADDRESS);
	device_ends(&d, "cp.async.bulk.global.shared::cta.bulk_group [%rd9], [%r9], 0xFFFFFFF0;",
		    EXEC_ILLEGAL_ADDRESS);
	device_ends(&d, "cp.async.bulk.global.shared::cta.bulk_group [%rd9], [%r9], 8;",
		    EXEC_MISALIGNED_ADDRESS);
	device_ends(&d, "mbarrier.init.shared.b64 [%r9+4096], 1;", EXEC_ILLEGAL_ADDRESS);
}

/* PTX 9.3: in pieces of 16 bytes that others see whole; loads and prefetches of 9.4. */
TEST(strong_bulk_copies)
{
	struct device d = device(64);

	device_runs(&d,
		    ".shared .align 16 .b8 room[256]; mov.u32 %r1, room;"
		    "mad.lo.u32 %r3, %r9, 4, %r1; st.shared.u32 [%r3], %r9;"
		    "prefetch.global.L1::32B.valid_addr [%rd9];"
		    "fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u32 %p1, %r9, 0;"
		    "@%p1 cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128"
		    " [%rd9], [%r1], 256;"
		    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0; bar.sync 0;"
		    "ld.global.u32.proxy::readonly %r4, [%rd9+252];"
		    "@%p1 st.global.u32 [%rd9+256], %r4;");
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(memory[i], i);
	assert_int_equal(memory[64], 63);
}

TEST(votes_of_blocks)
{
	struct device d = device(96);

	device_runs(&d, "setp.lt.u32 %p1, %r9, 40; bar.red.popc.u32 %r1, 0, %p1;"
			"bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 2, 96, %p1;"
			"@%p2 add.u32 %r1, %r1, 1000; @%p3 add.u32 %r1, %r1, 2000;"
			"st.global.u32 [%rd7], %r1;");
	for (unsigned i = 0; i < 96; i++)
		assert_int_equal(memory[i], 2040);
}

TEST(lanes_together)
{
	struct device d = device(LANES);

	device_runs(&d, "match.all.sync.b32 %r1|%p1, 7, -1; match.all.sync.b32 %r2|%p2, %r9, -1;"
			"elect.sync %r3|%p3, 0xFFFFFFFF; selp.u32 %r4, 1, 0, %p1;"
			"selp.u32 %r5, 2, 0, %p2; selp.u32 %r6, 4, 0, %p3; add.u32 %r4, %r4, %r5;"
			"add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r2; st.global.u32 [%rd7], %r4;"
			"st.global.u32 [%rd7+128], %r1;");
	for (unsigned i = 0; i < LANES; i++) {
		assert_int_equal(memory[i], i ? 1 : 5);
		assert_int_equal(memory[32 + i], UINT32_MAX);
	}
}

TEST(sets)
{
	struct device d = device(1);

	device_runs(&d, "set.lt.f32.s32 %f1, -1, 0; st.global.f32 [%rd9], %f1;"
			"set.geu.u32.f32 %r1, 0f7FC00000, 0f0; st.global.u32 [%rd9+4], %r1;"
			"slct.u32.f32 %r1, 5, 6, 0f80000000; st.global.u32 [%rd9+8], %r1;"
			"testp.subnormal.f32 %p1, 0f00000001; selp.u32 %r1, 1, 0, %p1;"
			"st.global.u32 [%rd9+12], %r1;");
	assert_int_equal(memory[0], 0x3F800000);
	assert_int_equal(memory[1], UINT32_MAX);
	assert_int_equal(memory[2], 5);
	assert_int_equal(memory[3], 1);
}

TEST(vector_atomics)
{
	struct device d = device(LANES);

	device_runs(&d, "red.global.add.v2.f32 [%rd9], {0f3F800000, 0f40000000};"
			"mov.b32 %r1, 0x3C003C00; red.global.add.noftz.f16x2 [%rd9+8], %r1;");
	assert_int_equal(memory[0], 0x42000000);
	assert_int_equal(memory[1], 0x42800000);
	assert_int_equal(memory[2], 0x50005000);
}

/* Lists of registers that are too short, too long, or of other widths. */
TEST(refused_lists)
{
	struct device d = device(1);

	device_refuses(&d,
		       "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1}, {%d2}, {%d3},"
		       "{%d4, %d5};",
		       "mma");
	device_refuses(&d,
		       "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %r1}, {%d2},"
		       "{%d3}, {%d4, %d5};",
		       "mma");
	device_refuses(&d, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r3];",
		       "ldmatrix");
	device_refuses(&d, "cp.async.ca.shared.global [%r1], %r2, 4;", "cp.async");
}

/* Factors of 4 bits and of one, in rows of twice their length, and their sums in rows of 16. */
TEST(wmma_of_less_than_a_byte)
{
	struct device d = device(LANES);
	const int32_t *found = (const int32_t *)memory + 512;

	for (unsigned i = 0; i < 256; i++)
		memory[i] = i * 2654435761U ^ i << 7;
	device_runs(
		&d,
		"wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r1}, [%rd9], 64;"
		"wmma.load.b.sync.aligned.col.m8n8k32.global.s4 {%r2}, [%rd9+256], 64;"
		"mov.u32 %r3, 1000;"
		"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r4, %r5}, {%r1}, {%r2},"
		" {%r3, %r3};"
		"wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%rd9+2048], {%r4, %r5}, 16;"
		"wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r1}, [%rd9], 256;"
		"wmma.load.b.sync.aligned.col.m8n8k128.b1 {%r2}, [%rd9+256], 256;"
		"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r4, %r5}, {%r1},"
		" {%r2}, {%r3, %r3};"
		"wmma.store.d.sync.aligned.row.m8n8k128.global.s32 [%rd9+2560], {%r4, %r5}, 16;");
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < 8; j++) {
			int32_t nibbles = 1000, bits = 1000;

			for (unsigned k = 0; k < 32; k++) {
				uint32_t a = memory[i * 8 + k / 8] >> k % 8 * 4;
				uint32_t b = memory[64 + j * 8 + k / 8] >> k % 8 * 4;

				nibbles += (int32_t)(a << 28) / (1 << 28) *
					   ((int32_t)(b << 28) / (1 << 28));
			}
			for (unsigned k = 0; k < 4; k++)
				bits += __builtin_popcount(memory[i * 8 + k] ^
							   memory[64 + j * 8 + k]);
			assert_int_equal(found[i * 16 + j], nibbles);
			assert_int_equal(found[128 + i * 16 + j], bits);
		}
}
