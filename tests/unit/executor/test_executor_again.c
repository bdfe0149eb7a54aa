/* Accesses by an address of which an access before them has found the shape: what may lie between,
 * and what must not be taken for it. */
#include <stdlib.h>

#include "simulator/executor/touched.h"
#include "tests/unit/executor/executor_fixture.h"

#define LANES 32

static uint32_t out[4][LANES];

static struct device device(void)
{
	memset(out, 0, sizeof(out));
	return device_with(out, sizeof(out), LANES);
}

static void expect(unsigned row, uint32_t value)
{
	for (unsigned i = 0; i < LANES; i++)
		assert_int_equal(out[row][i], value);
}

TEST(one_address_and_many_offsets)
{
	struct device d = device();

	device_runs(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1;"
			"ld.global.u32 %r2, [%rd7]; add.u32 %r2, %r2, 1;"
			"st.global.u32 [%rd7+128], %r2; ld.global.u32 %r3, [%rd7+128];"
			"add.u32 %r3, %r3, 1; st.global.u32 [%rd7+256], %r3;"
			"st.global.u32 [%rd7+384], %r1;");
	for (uint32_t row = 0; row < 4; row++)
		expect(row, row < 3 ? row + 1 : 1);
}

TEST(register_that_is_written_between)
{
	struct device d = device();

	device_runs(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1;"
			"add.s64 %rd7, %rd7, 128; st.global.u32 [%rd7], %r1;"
			"setp.lt.u32 %p1, %r9, 16; @%p1 add.s64 %rd7, %rd7, 128;"
			"st.global.u32 [%rd7+128], %r1;");
	expect(0, 1);
	expect(1, 1);
	for (unsigned i = 0; i < LANES; i++) {
		assert_int_equal(out[2][i], i >= 16);
		assert_int_equal(out[3][i], i < 16);
	}
}

TEST(register_that_a_load_writes)
{
	struct device d = device();

	/* each thread's 8 bytes have the address of its 4 in the last row */
	device_runs(&d, "add.s64 %rd1, %rd7, 384; st.global.u64 [%rd8], %rd1;"
			"ld.global.u64 %rd8, [%rd8]; mov.u32 %r1, 9; st.global.u32 [%rd8], %r1;");
	expect(3, 9);
}

/* The first access is made in the first turn only, the register is another one in the second. */
TEST(access_before_that_was_left_out)
{
	struct device d = device();

	device_runs(&d, "mov.u32 %r1, 1; mov.u32 %r2, 0;"
			"LOOP: setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd7], %r1;"
			"st.global.u32 [%rd7+128], %r1; add.s64 %rd7, %rd7, 128;"
			"add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra LOOP;");
	for (unsigned row = 0; row < 4; row++)
		expect(row, 1);
}

/* A jump leads between the two accesses. */
TEST(way_around_the_access_before)
{
	struct device d = device();

	device_runs(&d, "mov.u32 %r1, 1; mov.u32 %r2, 0; bra FIRST;"
			"AGAIN: add.s64 %rd7, %rd7, 128; bra SECOND;"
			"FIRST: st.global.u32 [%rd7], %r1;"
			"SECOND: st.global.u32 [%rd7+128], %r1;"
			"add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra AGAIN;");
	for (unsigned row = 0; row < 4; row++)
		expect(row, 1);
}

/* A called function has registers of its own at the same places. */
TEST(calls_between)
{
	struct device d = device();

	d.functions = ".func set(.param .u64 at) { .reg .b64 %a; .reg .b32 %b;"
		      "ld.param.u64 %a, [at]; mov.u32 %b, 5; st.global.u32 [%a], %b;"
		      "st.global.u32 [%a+128], %b; ret; }";
	device_runs(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1;"
			"{ .param .u64 x; add.s64 %rd1, %rd7, 256; st.param.u64 [x], %rd1;"
			"call set, (x); } st.global.u32 [%rd7+128], %r1;");
	for (unsigned row = 0; row < 4; row++)
		expect(row, row < 2 ? 1 : 5);
}

/* Lanes leave between the two: those that stay touch their own bytes only. */
TEST(lanes_that_leave_between)
{
	struct device d = device();

	device_runs(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1; setp.lt.u32 %p1, %r9, 8;"
			"@%p1 ret; st.global.u32 [%rd7+128], %r1;");
	for (unsigned i = 0; i < LANES; i++)
		assert_int_equal(out[1][i], i >= 8);
}

TEST(offset_beyond_the_memory)
{
	struct device d = device();

	device_ends(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1; st.global.u32 [%rd7+388], %r1;",
		    EXEC_ILLEGAL_ADDRESS);
	assert_int_equal(d.outcome.thread[0], LANES - 1);
}

TEST(offset_that_is_not_aligned)
{
	struct device d = device();

	device_ends(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1; st.global.u32 [%rd7+130], %r1;",
		    EXEC_MISALIGNED_ADDRESS);
}

/* The same register is an address of shared memory, too. */
TEST(another_space)
{
	struct device d = device();

	d.functions = ".shared .b32 tile[64];";
	device_runs(&d, "mov.u64 %rd1, tile; shl.b32 %r2, %r9, 2; cvt.u64.u32 %rd2, %r2;"
			"add.s64 %rd1, %rd1, %rd2; mov.u32 %r1, 3; st.shared.u32 [%rd1], %r1;"
			"ld.shared.u32 %r3, [%rd1]; cvta.shared.u64 %rd3, %rd1;"
			"ld.u32 %r4, [%rd3]; add.u32 %r3, %r3, %r4; st.global.u32 [%rd7], %r3;");
	expect(0, 6);
}

/* What a launch touches is noted for each access. */
TEST(bytes_are_noted)
{
	struct exec_touched touched = {0};
	struct exec_piece *pieces;
	struct device d = device();
	bool is_lost;

	d.touched = &touched;
	device_runs(&d, "mov.u32 %r1, 1; st.global.u32 [%rd7], %r1;"
			"st.global.u32 [%rd7+256], %r1;");
	assert_int_equal(exec_touched_pieces(&touched, 8, &pieces, &is_lost), 2);
	assert_int_equal(pieces[0].address, DEVICE_BASE);
	assert_int_equal(pieces[1].address, DEVICE_BASE + 256);
	assert_int_equal(pieces[1].width, sizeof(*out));
	free(pieces);
	exec_touched_fini(&touched);
}

/* Accesses to the same bytes one after the other, each of which may be another use. */
TEST(uses_of_the_same_bytes_are_noted)
{
	static const uint8_t changed = 1 << EXEC_READ | 1 << EXEC_WRITE | 1 << EXEC_READ_FIRST;
	struct exec_touched touched = {0};
	struct exec_piece *pieces;
	struct device d = device();
	bool is_lost;

	d.touched = &touched;
	device_runs(&d, "ld.global.u32 %r1, [%rd7]; ld.global.u32 %r2, [%rd7];"
			"add.u32 %r1, %r1, %r2; st.global.u32 [%rd7], %r1;"
			"st.global.u32 [%rd7], %r2; ld.global.u32 %r3, [%rd7];"
			"st.global.u32 [%rd7+128], %r3; st.global.u32 [%rd7+128], %r1;");
	assert_int_equal(exec_touched_pieces(&touched, 8, &pieces, &is_lost), 2);
	assert_int_equal(pieces[0].width, sizeof(*out));
	assert_int_equal(pieces[0].uses, changed);
	assert_int_equal(pieces[1].address, DEVICE_BASE + 128);
	assert_int_equal(pieces[1].uses, 1 << EXEC_WRITE);
	free(pieces);
	exec_touched_fini(&touched);
}
