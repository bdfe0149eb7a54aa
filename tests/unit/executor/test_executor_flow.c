/* The executor: divergence, barriers, blocks, and kernels that want to do harm. */
#include "tests/unit/executor/executor_fixture.h"

TEST(both_ways_and_together_again)
{
	uint32_t out[64] = {0};
	struct device d = device_with(out, sizeof(out), 64);

	device_runs(&d, "and.b32 %r1, %r9, 1; setp.eq.s32 %p1, %r1, 0; @%p1 bra EVEN;"
			"mov.u32 %r2, 100; bra JOIN; EVEN: mov.u32 %r2, 200;"
			"JOIN: activemask.b32 %r3; popc.b32 %r3, %r3; add.s32 %r2, %r2, %r3;"
			"st.global.u32 [%rd7], %r2;");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], (i % 2 ? 100 : 200) + 32);
}

/* Each thread leaves the loop after another number of turns, some threads the kernel. */
TEST(loops_of_different_lengths)
{
	uint32_t out[64] = {0};
	struct device d = device_with(out, sizeof(out), 64);

	device_runs(&d, "mov.u32 %r1, 0; mov.u32 %r2, 0; LOOP: add.s32 %r1, %r1, %r9;"
			"add.s32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 40; @%p2 ret;"
			"setp.lt.u32 %p1, %r2, %r9; @%p1 bra LOOP;"
			"activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.s32 %r1, %r3, 10000, %r1;"
			"st.global.u32 [%rd7], %r1;");
	for (uint32_t i = 0; i < 64; i++)
		if (i <= 40)
			assert_int_equal(out[i], (i ? i * i : 0) + (i < 32 ? 32 : 9) * 10000);
		else
			assert_int_equal(out[i], 0);
}

/* A jump into the middle of a loop: no block dominates it, lanes still meet after it. */
TEST(irreducible_flow)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 32);

	device_runs(&d, "mov.u32 %r1, 0; and.b32 %r2, %r9, 1; setp.eq.s32 %p1, %r2, 1;"
			"@%p1 bra MIDDLE; HEAD: add.s32 %r1, %r1, 10; MIDDLE: add.s32 %r1, %r1, 1;"
			"setp.lt.u32 %p2, %r1, 50; @%p2 bra HEAD;"
			"activemask.b32 %r3; setp.ne.u32 %p3, %r3, -1; @%p3 mov.u32 %r1, 0;"
			"st.global.u32 [%rd7], %r1;");
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i % 2 ? 56 : 55);
}

/* Some lanes have work and might leave it by a way that never comes back, which is the last of the
 * text: all lanes meet before the barrier all the same. */
TEST(ways_that_do_not_come_back)
{
	static const char *const stops[] = {
		"trap;",
		"trap; exit;",
		"@%p1 trap; trap; exit;",
		"brkpt;",
		"call stop, ();",
		"call.uni stop, (); trap; exit;",
		"@%p1 bra AGAIN; st.global.u32 [%rd9], %r9; AGAIN: bra.uni STOP;",
	};

	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++) {
		uint32_t out[64] = {0};
		struct device d = device_with(out, sizeof(out), 64);
		char body[1024];

		d.functions = ".extern .func stop() .noreturn;";
		d.other = ".version 8.0 .target sm_75 .address_size 64 .func stop() { trap; }";
		snprintf(body, sizeof(body),
			 "mov.u32 %%r1, 0; setp.ge.u32 %%p1, %%r9, 48; @%%p1 bra JOIN;"
			 "LOOP: setp.gt.u32 %%p2, %%r1, 99; @%%p2 bra STOP; add.s32 %%r1, %%r1, 1;"
			 "setp.lt.u32 %%p3, %%r1, %%r9; @%%p3 bra LOOP;"
			 "JOIN: bar.sync 0; activemask.b32 %%r3; popc.b32 %%r3, %%r3;"
			 "mad.lo.s32 %%r1, %%r3, 100, %%r1; st.global.u32 [%%rd7], %%r1; ret;"
			 "STOP: %s",
			 stops[i]);
		device_runs(&d, body);
		for (uint32_t k = 0; k < 64; k++)
			assert_int_equal(out[k], 3200 + (k >= 48 ? 0 : k ? k : 1));
	}
}

/* Of a loop without an end, which threads leave in its middle. */
TEST(a_loop_that_is_left_in_its_middle)
{
	uint32_t out[64] = {0};
	struct device d = device_with(out, sizeof(out), 64);

	device_runs(&d,
		    "mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r4, %r9, 1; setp.eq.s32 %p1, %r4, 0;"
		    "LOOP: @%p1 bra EVEN; add.s32 %r1, %r1, 1; EVEN: bar.sync 0;"
		    "activemask.b32 %r3; popc.b32 %r3, %r3; add.s32 %r1, %r1, %r3;"
		    "st.global.u32 [%rd7], %r1; add.s32 %r2, %r2, 1; setp.eq.s32 %p2, %r2, 3;"
		    "@%p2 exit; bra.uni LOOP;");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 96 + (i % 2 ? 3 : 0));
}

/* A loop that nothing leaves: the memory shows that its lanes met in each turn. */
TEST(a_loop_that_is_not_left)
{
	uint32_t out[64] = {0};
	struct device d = device_with(out, sizeof(out), 64);

	d.budget = 100000;
	device_ends(&d,
		    "mov.u32 %r1, 0; and.b32 %r4, %r9, 1; setp.eq.s32 %p1, %r4, 0;"
		    "LOOP: @%p1 bra EVEN; add.s32 %r1, %r1, 0; EVEN: bar.sync 0;"
		    "activemask.b32 %r3; popc.b32 %r3, %r3; max.u32 %r1, %r1, %r3;"
		    "st.global.u32 [%rd7], %r1; bra.uni LOOP;",
		    EXEC_NEVER_ENDS);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 32);
}

/* One lane after the other takes the lock: those that wait must not keep it from the owner. */
TEST(a_lock_inside_a_warp)
{
	uint32_t memory[2] = {0, 0};
	struct device d = device_with(memory, sizeof(memory), 32);

	d.budget = 1000000;
	device_runs(&d,
		    "TRY: atom.global.cas.b32 %r1, [%rd9], 0, 1; setp.ne.s32 %p1, %r1, 0;"
		    "@%p1 bra TRY; ld.global.u32 %r2, [%rd9+4]; add.s32 %r2, %r2, 1;"
		    "st.global.u32 [%rd9+4], %r2; membar.gl; atom.global.exch.b32 %r3, [%rd9], 0;");
	assert_int_equal(memory[1], 32);
	/* The owner goes on only when the loop of the others gives way. */
	device_runs(&d, "TRY: atom.global.cas.b32 %r1, [%rd9], 0, 1; setp.eq.s32 %p1, %r1, 0;"
			"@!%p1 bra AGAIN; red.global.add.u32 [%rd9+4], 1;"
			"atom.global.exch.b32 %r3, [%rd9], 0; bra DONE; AGAIN: bra TRY; DONE:");
	assert_int_equal(memory[1], 64);
}

TEST(warps_and_blocks_that_wait_for_others)
{
	uint32_t memory[2] = {0, 0};
	struct device d = device_with(memory, sizeof(memory), 64);

	d.grid[0] = 5;
	d.budget = 10000000;
	/* A barrier of the whole grid, made of an atomic. */
	device_runs(&d,
		    "red.global.add.u32 [%rd9], 1; WAIT: ld.volatile.global.u32 %r1, [%rd9];"
		    "setp.lt.u32 %p1, %r1, 320; @%p1 bra WAIT; red.global.add.u32 [%rd9+4], 1;");
	assert_int_equal(memory[1], 320);
}

/* Lanes of a warp wait at a barrier while its other lanes exit; another warp wakes them. */
TEST(lanes_that_wait_while_others_exit)
{
	uint32_t out[64] = {0};
	struct device d = device_with(out, sizeof(out), 64);

	device_runs(&d, "and.b32 %r1, %r9, 33; setp.eq.s32 %p1, %r1, 1; @!%p1 bra STAY; exit;"
			"STAY: bar.sync 0; st.global.u32 [%rd7], 7;");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], i < 32 && i % 2 ? 0 : 7);
	memset(out, 0, sizeof(out));
	device_runs(&d, "and.b32 %r1, %r9, 33; setp.eq.s32 %p1, %r1, 1; @%p1 bra OUT;"
			"bar.sync 0; st.global.u32 [%rd7], 7; OUT:");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], i < 32 && i % 2 ? 0 : 7);
}

static const char reduction[] =
	".version 8.0\n.target sm_75\n.address_size 64\n.extern .shared .align 4 .b8 dynamic[];\n"
	".entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>;\n"
	".shared .align 4 .b8 fixed[4];\n"
	"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, dynamic; shl.b32 %r3, %r1, 2;\n"
	"add.s32 %r3, %r2, %r3; st.shared.u32 [%r3], %r1; st.shared.u32 [fixed], 5; mov.u32 %r4, "
	"128;\n"
	"LOOP: bar.sync 0; setp.ge.u32 %p1, %r1, %r4; @%p1 bra SKIP; shl.b32 %r5, %r4, 2;\n"
	"add.s32 %r5, %r3, %r5; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r3];\n"
	"add.s32 %r6, %r6, %r7; st.shared.u32 [%r3], %r6;\n"
	"SKIP: shr.u32 %r4, %r4, 1; setp.ne.s32 %p2, %r4, 0; @%p2 bra LOOP;\n"
	"setp.ne.s32 %p3, %r1, 0; @%p3 ret; ld.shared.u32 %r8, [%r2]; ld.shared.u32 %r9, [fixed];\n"
	"add.s32 %r8, %r8, %r9; red.global.add.u32 [%rd1], %r8; ret; }\n";

TEST(a_reduction_in_shared_memory)
{
	uint32_t out = 0;
	struct device d = device_with(&out, sizeof(out), 256);
	const uint64_t params = DEVICE_BASE;

	d.grid[0] = 3;
	d.shared_bytes = 1024;
	assert_null(device_try(&d, reduction, &params, sizeof(params)));
	assert_int_equal(d.outcome.result, EXEC_DONE);
	assert_int_equal(out, 3 * (255 * 256 / 2 + 5));
	d.shared_bytes = 512;
	assert_null(device_try(&d, reduction, &params, sizeof(params)));
	assert_int_equal(d.outcome.result, EXEC_ILLEGAL_ADDRESS);
	assert_int_equal(d.outcome.thread[0], 128);
}

/* Threads that have exited are not waited for; a number of threads is. */
TEST(barriers_count_threads)
{
	uint32_t out[3] = {0};
	struct device d = device_with(out, sizeof(out), 128);

	device_runs(
		&d,
		"setp.ge.u32 %p1, %r9, 96; @%p1 ret; bar.sync 0; red.global.add.u32 [%rd9], 1;");
	assert_int_equal(out[0], 96);
	device_runs(&d, "setp.ge.u32 %p1, %r9, 64; @%p1 bra OTHER; bar.sync 3, 64;"
			"red.global.add.u32 [%rd9+4], 1; OTHER: bar.sync 0;"
			"red.global.add.u32 [%rd9+8], 1;");
	assert_int_equal(out[1], 64);
	assert_int_equal(out[2], 128);
}

TEST(lanes_gather_for_a_shuffle)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 32);

	device_runs(&d,
		    "and.b32 %r1, %r9, 3; mov.u32 %r2, 0; setp.eq.s32 %p1, %r1, 0; @%p1 bra ON;"
		    "mov.u32 %r2, 7; ON: bar.warp.sync -1; shfl.sync.idx.b32 %r3, %r2, 1, 31, -1;"
		    "st.global.u32 [%rd7], %r3;");
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(out[i], 7);
}

TEST(kernels_that_never_end)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 64);

	d.budget = 100000;
	device_ends(&d, "HERE: bra HERE;", EXEC_NEVER_ENDS);
	device_ends(&d, "setp.lt.u32 %p1, %r9, 5; HERE: @%p1 bra HERE;", EXEC_NEVER_ENDS);
	/* Half of the threads wait at one barrier, half at another. */
	device_ends(&d, "setp.lt.u32 %p1, %r9, 32; @%p1 bar.sync 1, 64; @!%p1 bar.sync 2, 64;",
		    EXEC_NEVER_ENDS);
}

TEST(wild_addresses)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 8);

	device_ends(&d, "st.global.u32 [%rd8+100], %r9;", EXEC_ILLEGAL_ADDRESS);
	assert_true(d.outcome.address >= DEVICE_BASE + sizeof(out));
	device_ends(&d, "mov.u64 %rd1, 8; ld.u32 %r1, [%rd1];", EXEC_ILLEGAL_ADDRESS);
	assert_int_equal(d.outcome.address, 8);
	device_ends(&d, "ld.global.u32 %r1, [%rd8+2];", EXEC_MISALIGNED_ADDRESS);
	assert_true(d.outcome.address == DEVICE_BASE + 2);
	device_ends(&d, "ld.shared.u32 %r1, [%r9];", EXEC_ILLEGAL_ADDRESS);
	device_ends(&d, "st.local.u32 [%r9], %r9;", EXEC_ILLEGAL_ADDRESS);
	device_ends(&d, "mov.u64 %rd1, 0x900000000000; st.u32 [%rd1+1048576], %r9;",
		    EXEC_ILLEGAL_ADDRESS);
	device_ends(&d, "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd9+128];", EXEC_ILLEGAL_ADDRESS);
	device_ends(&d, "ld.global.u64 %rd1, [%rd9+124];", EXEC_MISALIGNED_ADDRESS);
	device_ends(&d, "trap;", EXEC_TRAP);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(out[i], 0);
	d.is_read_only = 1;
	device_ends(&d, "red.global.add.u32 [%rd7], 1;", EXEC_ILLEGAL_ADDRESS);
}

/* Each warp puts its number in its block's word, and out what the warp before it has put. */
#define RING(barrier)                                                                            \
	"shr.u32 %r1, %r9, 5; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;"       \
	"st.shared.u32 [%r2+4], %r1;" barrier "ld.shared.u32 %r4, [%r2]; mov.u32 %r5, %ctaid.x;" \
	"mad.lo.u32 %r6, %r5, 8, %r1; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd1, %rd9, %rd1;"      \
	"add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;"

static unsigned wrong_words(const char *body, uint64_t seed)
{
	uint32_t out[8 * 16] = {0};
	struct device d = device_with(out, sizeof(out), 256);
	unsigned wrong = 0;

	d.functions = ".shared .align 4 .b32 s[9];";
	d.grid[0] = 16;
	d.seed = seed;
	device_runs(&d, body);
	for (unsigned i = 0; i < 8 * 16; i++)
		wrong += out[i] != (i % 8 ? i % 8 : 1);
	return wrong;
}

TEST(a_seed_turns_warps)
{
	unsigned wrong = wrong_words(RING(""), 7);

	assert_int_equal(wrong_words(RING(""), 0), 0);
	assert_true(wrong > 0);
	assert_int_equal(wrong_words(RING(""), 7), wrong);
	for (uint64_t seed = 0; seed < 20; seed++)
		assert_int_equal(wrong_words(RING("bar.sync 0;"), seed), 0);
}

/* Each block takes a number. */
TEST(a_seed_turns_blocks)
{
	uint32_t ascending[32] = {0}, turned[32] = {0}, sum = 0;
	struct device d = device_with(ascending, sizeof(ascending), 1);
	const char *body =
		"mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd9, %rd1;"
		"atom.global.add.u32 %r2, [%rd9+124], 1; st.global.u32 [%rd1], %r2;";

	d.grid[0] = 20;
	device_runs(&d, body);
	d.bytes = (char *)turned;
	d.seed = 3;
	device_runs(&d, body);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(ascending[i], i);
		assert_int_equal(turned[i] / 8, i / 8);
		sum += turned[i];
	}
	assert_int_equal(sum, 19 * 20 / 2);
	assert_memory_not_equal(ascending, turned, sizeof(turned));
}

TEST(a_fault_has_a_place)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 40);

	d.grid[0] = 3;
	device_ends(&d, ".loc 1 77 0\n st.global.u32 [%rd7], %r9;\n", EXEC_ILLEGAL_ADDRESS);
	assert_int_equal(d.outcome.line, 77);
	assert_int_equal(d.outcome.block[0], 0);
	assert_int_equal(d.outcome.thread[0], 32);
	assert_true(d.outcome.ptx_line > 0);
}

TEST(memory_that_has_no_bytes_here)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 32);

	d.is_private = 1;
	device_runs(&d, "st.global.u32 [%rd7], %r9; ld.global.u32 %r1, [%rd7]; add.s32 %r1, %r1, 1;"
			"st.global.u32 [%rd7], %r1; red.global.add.u32 [%rd9], 1;");
	assert_int_equal(out[0], 33);
	assert_int_equal(out[31], 32);
}

TEST(what_is_not_known_is_named)
{
	uint32_t out[32] = {0};
	struct device d = device_with(out, sizeof(out), 1);

	device_refuses(&d, "frobnicate.s32 %r1, %r2;", "frobnicate.s32 (line");
	device_refuses(&d, "add.strange.s32 %r1, %r2, %r3;", "add.strange.s32");
	device_refuses(&d, "add.s32 %r1, %r2;", "add.s32");
	device_refuses(&d, "add.s32 %r1, %rd2, %r3;", "add.s32");
	device_refuses(&d, "add.s32 %r1, %nothing, %r3;", "add.s32");
	device_refuses(&d, "ld.global.u32 %h1, [%rd9];", "ld.global.u32");
	device_refuses(&d, "ld.global.b128 %rd1, [%rd9];", "ld.global.b128");
	device_refuses(&d, "ld.global.u32 %r1, [elsewhere];", "ld.global.u32");
	device_refuses(&d, "@%r1 add.s32 %r1, %r2, %r3; bra NOWHERE;", "branches");
	device_refuses(&d, "mov.u32 %r1, %envreg9999;", "mov.u32");
	assert_string_equal(
		device_try(&d,
			   ".version 9.0 .target sm_90 .address_size 64 .entry k() "
			   ".blocksareclusters .reqntid 32 .reqnctapercluster 2 { ret; }",
			   NULL, 0),
		"its launch counts clusters (.blocksareclusters)");
	assert_string_equal(device_try(&d, "nonsense", NULL, 0), "it has no PTX");
	assert_string_equal(device_try(&d, ".version 8.0 .func k() { ret; }", NULL, 0),
			    "it has no PTX");
}
