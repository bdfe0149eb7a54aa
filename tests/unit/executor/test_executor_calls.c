/* The executor: calls of functions, by name and by address, and branches by tables. */
#include "tests/unit/executor/executor_fixture.h"

#define THREADS 32

static uint32_t out[2 * THREADS];

static struct device device_for(const char *functions)
{
	struct device d = device_with(out, sizeof(out), THREADS);

	memset(out, 0, sizeof(out));
	d.functions = functions;
	return d;
}

#define CHECK_OUT(expected)                                                  \
	do {                                                                 \
		for (uint32_t i = 0; i < THREADS; i++)                       \
			if (out[i] != (uint32_t)(expected))                  \
				fail_msg("thread %u: %u, not %u", i, out[i], \
					 (uint32_t)(expected));              \
	} while (0)

/* Calls a function of one number for each thread's number; its result is stored. */
#define CALL(name)                                                 \
	"{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v;\n" \
	"call.uni (v), " name ", (a); ld.param.b32 %r1, [v]; }\n"  \
	"st.global.u32 [%rd7], %r1;\n"

#define SQUARE                                                             \
	".func (.param .b32 v) square(.param .b32 a) { .reg .b32 %r<4>;\n" \
	"ld.param.u32 %r1, [a]; mul.lo.s32 %r2, %r1, %r1;\n"               \
	"st.param.b32 [v], %r2; ret; }\n"

#define NEGATE                                                             \
	".func (.param .b32 v) negate(.param .b32 a) { .reg .b32 %r<4>;\n" \
	"ld.param.u32 %r1, [a]; neg.s32 %r2, %r1; st.param.b32 [v], %r2; ret; }\n"

TEST(numbers_go_in_and_come_back)
{
	struct device d = device_for(SQUARE);

	device_runs(&d, CALL("square"));
	CHECK_OUT(i * i);
}

/* A structure by value: what the function changes is its own. */
TEST(structures_are_copied)
{
	struct device d = device_for(
		".func (.param .align 8 .b8 v[16]) swap(.param .align 8 .b8 a[16], .param .b8 n) "
		"{\n"
		".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .b16 %h<2>;\n"
		"ld.param.u64 %rd1, [a]; ld.param.v2.u32 {%r1, %r2}, [a+8]; ld.param.u8 %h1, [n];\n"
		"cvt.u32.u16 %r3, %h1; add.s32 %r1, %r1, %r3;\n"
		"st.param.v2.b32 [v], {%r1, %r2}; st.param.b64 [v+8], %rd1;\n"
		"st.param.b64 [a], %rd2; ret; }\n");

	device_runs(&d,
		    "{ .param .align 8 .b8 s[16]; .param .b8 n; .param .align 8 .b8 v[16];\n"
		    "mov.u64 %rd1, 1000; st.param.b64 [s], %rd1; mov.u32 %r3, 5;\n"
		    "st.param.v2.b32 [s+8], {%r9, %r3}; mov.u16 %h1, 7; st.param.b8 [n], %h1;\n"
		    "call (v), swap, (s, n);\n"
		    "ld.param.u32 %r1, [v]; ld.param.u32 %r2, [v+8]; ld.param.u32 %r4, [s]; }\n"
		    "add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r4; st.global.u32 [%rd7], %r1;\n");
	CHECK_OUT(i + 7 + 1000 + 1000);
}

#define FIBONACCI                                                       \
	".func (.param .b32 v) fib(.param .b32 a) {\n"                  \
	".reg .b32 %r<6>; .reg .pred %p;\n"                             \
	"ld.param.u32 %r1, [a]; setp.lt.s32 %p, %r1, 2; @%p bra END;\n" \
	"add.s32 %r2, %r1, -1;\n"                                       \
	"{ .param .b32 x; st.param.b32 [x], %r2; .param .b32 y;\n"      \
	"call.uni (y), fib, (x); ld.param.b32 %r3, [y]; }\n"            \
	"add.s32 %r2, %r1, -2;\n"                                       \
	"{ .param .b32 x; st.param.b32 [x], %r2; .param .b32 y;\n"      \
	"call.uni (y), fib, (x); ld.param.b32 %r4, [y]; }\n"            \
	"add.s32 %r1, %r3, %r4;\n"                                      \
	"END: st.param.b32 [v], %r1; ret; }\n"

/* The lanes go to different depths, each with registers of its own there. */
TEST(recursion_of_lanes_that_diverge)
{
	static const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
	struct device d = device_for(FIBONACCI);

	device_runs(&d, "rem.u32 %r9, %r9, 13;\n" CALL("fib"));
	CHECK_OUT(fibonacci[i % 13]);
}

/* A ballot after the call has all lanes, although some returned early. */
TEST(lanes_return_at_different_times_and_meet)
{
	struct device d = device_for(
		".func (.param .b32 v) early(.param .b32 a) { .reg .b32 %r<6>; .reg .pred %p<3>;\n"
		"ld.param.u32 %r1, [a]; st.param.b32 [v], 1; setp.lt.u32 %p1, %r1, 5; @%p1 ret;\n"
		"LOOP: add.s32 %r1, %r1, -1; setp.gt.u32 %p1, %r1, 10; @%p1 bra LOOP;\n"
		"activemask.b32 %r3; setp.lt.u32 %p2, %r1, 8; @!%p2 bra REST;\n"
		"st.param.b32 [v], 2; ret;\n"
		"REST: st.param.b32 [v], %r3; ret; }\n");

	device_runs(&d, CALL("early") "activemask.b32 %r2; st.global.u32 [%rd7+128], %r2;\n");
	for (uint32_t i = 0; i < THREADS; i++) {
		/* After the loop the lanes that are left are together. */
		assert_int_equal(out[i], i < 5 ? 1 : i < 9 ? 2 : UINT32_MAX << 5);
		assert_int_equal(out[THREADS + i], UINT32_MAX);
	}
}

/* The callee writes a variable of its caller, by generic address, beside one of its own. */
TEST(addresses_of_a_callers_variables)
{
	struct device d = device_for(
		".func inner(.param .b64 p, .param .b32 a) { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
		".local .align 4 .b8 own[8]; mov.u64 %rd2, own; ld.param.u64 %rd1, [p];\n"
		"ld.param.u32 %r1, [a]; st.local.u32 [%rd2+4], %r1; ld.local.u32 %r2, [own+4];\n"
		"add.s32 %r2, %r2, 100; st.u32 [%rd1], %r2; ret; }\n"
		".func (.param .b32 v) outer(.param .b32 a) { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
		".local .align 4 .b8 there[16]; mov.u64 %rd1, there; cvta.local.u64 %rd2, %rd1;\n"
		"ld.param.u32 %r1, [a]; add.u64 %rd2, %rd2, 12;\n"
		"{ .param .b64 x; st.param.b64 [x], %rd2; .param .b32 y; st.param.b32 [y], %r1;\n"
		"call inner, (x, y); }\n"
		"ld.local.u32 %r2, [there+12]; st.param.b32 [v], %r2; ret; }\n");

	device_runs(&d, CALL("outer"));
	CHECK_OUT(i + 100);
}

#define CALL_AT(address)                                                \
	"{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v;\n"      \
	"proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"    \
	"call (v), " address ", (a), proto; ld.param.b32 %r1, [v]; }\n" \
	"st.global.u32 [%rd7], %r1;\n"

/* Lanes that call others meet after the calls. */
TEST(calls_by_address)
{
	struct device d = device_for(SQUARE NEGATE);

	device_runs(&d, "mov.u64 %rd1, negate; mov.u64 %rd2, square; and.b32 %r2, %r9, 1;\n"
			"setp.eq.u32 %p1, %r2, 0; selp.b64 %rd1, %rd1, %rd2, %p1;\n" CALL_AT(
				"%rd1") "activemask.b32 %r2; st.global.u32 [%rd7+128], %r2;\n");
	CHECK_OUT(i % 2 ? i * i : -i);
	assert_int_equal(out[THREADS + 3], UINT32_MAX);
}

TEST(calls_to_where_no_function_is)
{
	struct device d = device_for(SQUARE ".global .u64 table[1] = {square};\n");

	device_ends(&d, "mov.u64 %rd1, 64;\n" CALL_AT("%rd1"), EXEC_INVALID_PC);
	assert_int_equal(d.outcome.address, 64);
	device_ends(&d, "mov.u64 %rd1, square; add.u64 %rd1, %rd1, 16;\n" CALL_AT("%rd1"),
		    EXEC_INVALID_PC);
	device_ends(&d, "mov.u64 %rd1, square; add.u64 %rd1, %rd1, 1;\n" CALL_AT("%rd1"),
		    EXEC_INVALID_PC);
}

TEST(guarded_calls_leave_lanes_out)
{
	struct device d = device_for(SQUARE);

	device_runs(
		&d,
		"setp.lt.u32 %p1, %r9, 7; mov.u32 %r1, 5;\n"
		"{ .param .b32 a; st.param.b32 [a], %r9; .param .b32 v; st.param.b32 [v], %r1;\n"
		"@%p1 call (v), square, (a); ld.param.b32 %r1, [v]; }\n"
		"st.global.u32 [%rd7], %r1; activemask.b32 %r2;\n"
		"st.global.u32 [%rd7+128], %r2;\n");
	CHECK_OUT(i < 7 ? i * i : 5);
	assert_int_equal(out[THREADS + 9], UINT32_MAX);
}

/* Of the kernel and its function, each has a variable in shared memory; dynamic memory comes last.
 */
TEST(shared_variables_of_functions)
{
	struct device d = device_for(
		".extern .shared .align 4 .b8 dynamic[];\n"
		".func (.param .b32 v) turn(.param .b32 a) { .reg .b32 %r<6>;\n"
		".shared .align 4 .b8 buffer[128]; ld.param.u32 %r1, [a]; shl.b32 %r2, %r1, 2;\n"
		"mov.u32 %r3, buffer; add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n"
		"bar.sync 0; sub.s32 %r2, 124, %r2; add.s32 %r4, %r3, %r2;\n"
		"ld.shared.u32 %r5, [%r4]; st.param.b32 [v], %r5; ret; }\n");

	d.shared_bytes = 64;
	device_runs(&d,
		    ".shared .align 4 .b32 mine; st.shared.u32 [mine], 7;\n"
		    "st.shared.u32 [dynamic+60], 9;\n" CALL(
			    "turn") "ld.shared.u32 %r2, [mine]; st.global.u32 [%rd7+128], %r2;\n");
	CHECK_OUT(31 - i);
	assert_int_equal(out[THREADS], 7);
	device_ends(&d, CALL("turn") "st.shared.u32 [dynamic+64], 9;\n", EXEC_ILLEGAL_ADDRESS);
}

TEST(functions_of_another_text)
{
	struct device d = device_for(".extern .func (.param .b32 v) square(.param .b32 a);\n");

	d.other = ".version 8.0\n.target sm_75\n.address_size 64\n" SQUARE;
	device_runs(&d, CALL("square"));
	CHECK_OUT(i * i);
	device_runs(&d, "mov.u64 %rd1, square;\n" CALL_AT("%rd1"));
	CHECK_OUT(i * i);
}

TEST(what_no_text_has_is_refused)
{
	struct device d = device_for(".extern .func (.param .b32 v) square(.param .b32 a);\n");

	device_refuses(&d, CALL("square"), "calls square, which has no PTX");
	d.functions = ".extern .func (.param .b32 v) cudaLaunchDeviceV2(.param .b32 a);\n";
	device_refuses(&d, CALL("cudaLaunchDeviceV2"), "launches kernels itself");
	d.functions = ".func (.reg .b32 v) odd(.reg .b32 a) { mov.b32 v, a; ret; }\n";
	device_refuses(&d, CALL("odd"), "registers in odd");
	d.functions = ".func (.param .b32 v) strange(.param .b32 a) { frobnicate; ret; }\n";
	device_refuses(&d, CALL("strange"), "frobnicate (line 4 of its PTX) in strange");
}

/* Threads that exit inside a function are no longer waited for. */
TEST(exit_inside_of_a_function)
{
	struct device d = device_for(
		".func (.param .b32 v) leave(.param .b32 a) { .reg .b32 %r<4>; .reg .pred %p;\n"
		"ld.param.u32 %r1, [a]; setp.gt.u32 %p, %r1, 20; @%p exit;\n"
		"st.param.b32 [v], %r1; ret; }\n");

	device_runs(&d, CALL("leave") "bar.sync 0; st.global.u32 [%rd7], 77;\n");
	CHECK_OUT(i > 20 ? 0 : 77);
}

/* Lanes that have returned go on when the last ones, still inside, exit; so do those that wait at a
 * join of the function. */
TEST(lanes_that_have_returned_do_not_wait_for_exits)
{
	struct device d =
		device_for(".func inner(.param .b32 a) { .reg .b32 %r<4>; .reg .pred %p<3>;\n"
			   "ld.param.u32 %r1, [a]; setp.lt.u32 %p1, %r1, 4; @%p1 ret;\n"
			   "setp.lt.u32 %p2, %r1, 8; @%p2 bra MEET; mov.u32 %r2, 0;\n"
			   "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"
			   "setp.lt.u32 %p1, %r1, 16; @%p1 bra MEET; exit;\n"
			   "MEET: ret; }\n"
			   ".func (.param .b32 v) outer(.param .b32 a) { .reg .b32 %r<4>; "
			   "ld.param.u32 %r1, [a];\n"
			   "{ .param .b32 x; st.param.b32 [x], %r1; call inner, (x); }\n"
			   "activemask.b32 %r2; st.param.b32 [v], %r2; ret; }\n");

	device_runs(&d, CALL("outer"));
	CHECK_OUT(i < 16 ? 0xffff : 0);
}

/* A lock whose holder returns while the others still wait for it inside of the function. */
TEST(lanes_that_loop_in_a_function_let_others_go_on)
{
	struct device d = device_for(
		".func lock(.param .b64 p) { .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;\n"
		"ld.param.u64 %rd1, [p];\n"
		"LOOP: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p, %r1, 0;\n"
		"@%p bra LOOP; ret; }\n");

	d.budget = 10000000;
	device_runs(&d, "{ .param .b64 x; st.param.b64 [x], %rd9; call lock, (x); }\n"
			"ld.volatile.global.u32 %r1, [%rd9+4]; add.s32 %r1, %r1, 1;\n"
			"st.volatile.global.u32 [%rd9+4], %r1; membar.gl;\n"
			"atom.global.exch.b32 %r2, [%rd9], 0;\n");
	assert_int_equal(out[1], THREADS);
}

/* A function that polls: the other warp has its turn, although no path loops for long by itself. */
TEST(loops_that_call_give_way)
{
	struct device d = device_for(
		".func (.param .b32 v) peek(.param .b64 p) { .reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
		"ld.param.u64 %rd1, [p]; ld.volatile.global.u32 %r1, [%rd1];\n"
		"st.param.b32 [v], %r1; ret; }\n");

	d.block[0] = 64;
	d.budget = 10000000;
	device_runs(&d, "setp.ge.u32 %p1, %r9, 32; @%p1 bra SET;\n"
			"LOOP: { .param .b64 x; st.param.b64 [x], %rd9; .param .b32 y;\n"
			"call (y), peek, (x); ld.param.b32 %r1, [y]; }\n"
			"setp.eq.u32 %p2, %r1, 0; @%p2 bra LOOP;\n"
			"st.global.u32 [%rd9+4], %r1; bra END;\n"
			"SET: st.global.u32 [%rd9], 5; END:\n");
	assert_int_equal(out[1], 5);
}

/* The same of a loop whose lanes divide and meet in each turn. */
TEST(loops_that_divide_give_way)
{
	struct device d = device_for(NULL);

	d.block[0] = 64;
	d.budget = 10000000;
	device_runs(&d, "setp.ge.u32 %p1, %r9, 32; @%p1 bra SET; and.b32 %r3, %r9, 1;\n"
			"setp.eq.u32 %p3, %r3, 0;\n"
			"LOOP: @%p3 bra MEET; add.s32 %r4, %r4, 1;\n"
			"MEET: ld.volatile.global.u32 %r1, [%rd9];\n"
			"setp.eq.u32 %p2, %r1, 0; @%p2 bra LOOP;\n"
			"st.global.u32 [%rd9+4], %r1; bra END;\n"
			"SET: st.global.u32 [%rd9], 5; END:\n");
	assert_int_equal(out[1], 5);
}

TEST(recursion_without_end_overflows_the_stack)
{
	struct device d = device_for(
		".func down() { .local .align 4 .b8 room[64]; .reg .b32 %r<2>;\n"
		"st.local.u32 [room], %r0; call down; ld.local.u32 %r0, [room]; ret; }\n");

	device_ends(&d, "call down;\n", EXEC_STACK_OVERFLOW);
	d.functions = ".func flat() { call flat; ret; }\n";
	device_ends(&d, "setp.lt.u32 %p1, %r9, 3; @%p1 bra L; call flat; L:\n",
		    EXEC_STACK_OVERFLOW);
}

/* Calls without a loop use up the budget, too. */
TEST(calls_count)
{
	struct device d = device_for(FIBONACCI);

	d.budget = 100000;
	device_ends(&d, "mov.u32 %r9, 40;\n" CALL("fib"), EXEC_NEVER_ENDS);
}

/* In a warp of which lanes are in frames of one function by different calls. */
TEST(lanes_of_different_calls_do_not_gather)
{
	struct device d =
		device_for(".func (.param .b32 v) all(.param .b32 a) { .reg .b32 %r<4>;\n"
			   "ld.param.u32 %r1, [a]; shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;\n"
			   "st.param.b32 [v], %r2; ret; }\n");

	device_runs(&d, "setp.lt.u32 %p1, %r9, 16; @%p1 bra LOW;\n" CALL(
				"all") "bra END;\n"
				       "LOW: add.s32 %r9, %r9, 40;\n" CALL("all") "END:\n");
	assert_int_equal(out[3], 40);
}

/* Branches by a table, forwards and backwards, and lanes that meet after it. */
TEST(branches_by_table)
{
	struct device d = device_for(NULL);

	device_runs(&d, "and.b32 %r1, %r9, 3; mov.u32 %r2, 0;\n"
			"ts: .branchtargets ZERO, ONE, TWO, AGAIN;\n"
			"AGAIN: add.s32 %r2, %r2, 100; setp.ge.u32 %p1, %r2, 300;\n"
			"@%p1 mov.u32 %r1, 0;\n"
			"brx.idx %r1, ts;\n"
			"ZERO: add.s32 %r2, %r2, 1; bra.uni END;\n"
			"ONE: add.s32 %r2, %r2, 10;\n"
			"TWO: add.s32 %r2, %r2, 20;\n"
			"END: st.global.u32 [%rd7], %r2; activemask.b32 %r3;\n"
			"st.global.u32 [%rd7+128], %r3;\n");
	for (uint32_t i = 0; i < THREADS; i++) {
		static const uint32_t expected[] = {101, 130, 120, 301};

		assert_int_equal(out[i], expected[i % 4]);
		assert_int_equal(out[THREADS + i], UINT32_MAX);
	}
	device_ends(&d, "ts: .branchtargets A;\nbrx.idx %r9, ts; A:\n", EXEC_INVALID_PC);
	device_refuses(&d, "brx.idx %r9, ts;\n", "branches lead nowhere");
	device_refuses(&d, "ts: .branchtargets a, ts;\nbrx.idx %r9, ts; a:\n",
		       "branches lead nowhere");
}

/* Memory of a frame: as much as is asked for, apart from the variables, and again after it was
 * given back. */
TEST(memory_that_a_frame_asks_for)
{
	struct device d = device_for(
		".func (.param .b32 v) fill(.param .b32 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
		".reg .pred %p; .local .align 4 .b32 own;\n"
		"ld.param.u32 %r1, [a]; st.local.u32 [own], %r1; mov.u32 %r3, 0;\n"
		"LOOP: stacksave.u64 %rd1; add.u32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 4;\n"
		"alloca.u64 %rd3, %rd2, 16; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd3, %rd4;\n"
		"st.local.u32 [%rd4], %r1; cvta.local.u64 %rd5, %rd4; ld.u32 %r4, [%rd5];\n"
		"stackrestore.u64 %rd1; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 10000;\n"
		"@%p bra LOOP;\n"
		"ld.local.u32 %r5, [own]; add.s32 %r4, %r4, %r5; st.param.b32 [v], %r4; ret; }\n");

	device_runs(&d, CALL("fill"));
	CHECK_OUT(2 * i);
	device_ends(&d, "mov.u64 %rd1, 600000; alloca.u64 %rd2, %rd1;\n", EXEC_STACK_OVERFLOW);
	device_ends(&d, "mov.u64 %rd1, -1; alloca.u64 %rd2, %rd1, 8;\n", EXEC_STACK_OVERFLOW);
	device_ends(&d, "mov.u64 %rd1, 1; LOOP: alloca.u64 %rd2, %rd1; bra LOOP;\n",
		    EXEC_STACK_OVERFLOW);
}

/* A fault in a function is at the function's line. */
TEST(faults_in_functions)
{
	struct device d = device_for(".func stop()\n{\n.loc 1 7 0\ntrap;\nret; }\n"
				     ".func wait()\n{\n.loc 1 9 0\nbar.sync 1, 64;\nret; }\n"
				     ".func far() { .reg .b32 %r<2>;\n.loc 1 8 0\n"
				     "ld.local.u32 %r1, [4096]; ret; }\n.file 1 \"a.cu\"\n");

	device_ends(&d, "call stop;\n", EXEC_TRAP);
	assert_int_equal(d.outcome.line, 7);
	device_ends(&d, "call far;\n", EXEC_ILLEGAL_ADDRESS);
	assert_int_equal(d.outcome.line, 8);
	device_ends(&d, "call wait;\n", EXEC_NEVER_ENDS);
	assert_int_equal(d.outcome.line, 9);
}
