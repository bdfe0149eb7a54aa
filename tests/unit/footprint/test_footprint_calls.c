/* Footprints across calls: functions of the same text are looked into, others are not trusted. */
#include "tests/unit/unit.h"
#include <string.h>

#include "footprint/footprint.h"
#include "base/buf.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* k(a, b, n): %a, %b, %n, and the thread's number in %t. */
#define KERNEL                                                                             \
	".visible .entry k(.param .u64 .ptr .global a, .param .u64 .ptr .global b, "       \
	".param .u32 n)\n{\n.reg .b64 %a, %b, %d<4>; .reg .b32 %n, %t, %r<8>; .reg .pred " \
	"%p<4>;\nld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %n, [n];\n"      \
	"mov.u32 %t, %tid.x;\n"
#define TAIL "\nret;\n}\n"

/* put(p, i): p[i] = i */
#define PUT                                                                               \
	".func put(.param .b64 p, .param .b32 i)\n{\n.reg .b64 %d<4>; .reg .b32 %r<2>;\n" \
	"ld.param.u64 %d1, [p]; ld.param.u32 %r1, [i]; mul.wide.u32 %d2, %r1, 4;\n"       \
	"add.s64 %d3, %d1, %d2; st.u32 [%d3], %r1; ret;\n}\n"
#define CALL_PUT(pointer, index)                                             \
	"{ .param .b64 p0; st.param.b64 [p0], " pointer "; .param .b32 p1; " \
	"st.param.b32 [p1], " index "; call.uni put, (p0, p1); }\n"

struct image {
	uint64_t a, b;
	uint32_t n;
};

static struct sc_footprint_module *module;

static struct sc_footprint analyse(const char *text)
{
	static const struct image image = {0x7000000000, 0x8000000000, 20};
	struct sc_footprint_launch launch = {
		.grid = {1, 1, 1}, .block = {32, 1, 1}, .param_bytes = 20, .params = &image};

	sc_footprint_free(module);
	module = sc_footprint_parse(text, strlen(text));
	assert_int_equal(sc_footprint_problems(module), 0);
	return sc_footprint_of(sc_footprint_find(module, "k"), &launch);
}

static int teardown(void **state)
{
	(void)state;
	sc_footprint_free(module);
	module = NULL;
	return 0;
}

static void expect_write(const struct sc_footprint *f, size_t at, uint32_t base, int64_t offset,
			 uint64_t width)
{
	assert_true(at < f->count);
	assert_int_equal(f->ranges[at].base_kind, SC_BASE_PARAMETER);
	assert_int_equal(f->ranges[at].base, base);
	assert_int_equal(f->ranges[at].mode, SC_FOOTPRINT_WRITE);
	assert_int_equal(f->ranges[at].offset, offset);
	assert_int_equal(f->ranges[at].width, width);
	assert_int_equal(f->ranges[at].reason, SC_REASON_NONE);
}

/* An access of which nothing is known, beside the write of four bytes to b. */
static void expect_unknown_call(const char *text)
{
	struct sc_footprint f = analyse(text);

	assert_int_equal(f.count, 2);
	assert_false(f.is_exact);
	expect_write(&f, 0, 8, 0, 4);
	assert_int_equal(f.ranges[1].base_kind, SC_BASE_UNKNOWN);
	assert_int_equal(f.ranges[1].mode, SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE);
	assert_int_equal(f.ranges[1].reason, SC_REASON_CALL);
}

ALL_TESTS(NULL, teardown)

TEST(a_called_function_is_looked_into)
{
	struct sc_footprint f = analyse(HEAD PUT KERNEL CALL_PUT("%a", "%t") TAIL);

	assert_int_equal(f.count, 1);
	expect_write(&f, 0, 0, 0, 128);
}

/* Each call has its own arguments: nothing of one call is mixed with another. */
TEST(calls_are_distinguished)
{
	struct sc_footprint f = analyse(HEAD PUT KERNEL CALL_PUT(
		"%a", "%t") "add.s32 %r1, %t, 100;\n" CALL_PUT("%b", "%r1") TAIL);

	assert_int_equal(f.count, 2);
	expect_write(&f, 0, 0, 0, 128);
	expect_write(&f, 1, 8, 400, 128);
}

TEST(results_are_values)
{
	static const char twice[] =
		".func (.param .b32 r) twice(.param .b32 i)\n{\n.reg .b32 %r<3>;"
		"ld.param.u32 %r1, [i]; shl.b32 %r2, %r1, 1;\n"
		"st.param.b32 [r], %r2; ret;\n}\n";
	static const char body[] =
		"{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0;\n"
		"call.uni (r0), twice, (p0); ld.param.b32 %r1, [r0]; }\n"
		"mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %a, %d1; st.global.v2.u32 [%d2], {%t, %t};";
	struct sc_buf text = {0};
	struct sc_footprint f;

	sc_buf_printf(&text, "%s%s%s%s%s", HEAD, twice, KERNEL, body, TAIL);
	f = analyse(text.text);
	sc_buf_fini(&text);
	assert_int_equal(f.count, 1);
	expect_write(&f, 0, 0, 0, 256);
}

/* A guard of the call, and ways out of the function, are conditions like others. */
TEST(conditions_reach_across_calls)
{
	static const char some[] =
		".func some(.param .b64 p, .param .b32 i)\n{\n.reg .b64 %d<4>; .reg .b32 %r<2>; "
		".reg .pred %p;\nld.param.u64 %d1, [p]; ld.param.u32 %r1, [i]; "
		"setp.lt.u32 %p, %r1, 4; @%p ret;\n"
		"mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; st.u32 [%d3], %r1; ret;\n}\n";
	static const char body[] = "setp.ge.u32 %p1, %t, %n; @%p1 bra END;\n{ .param .b64 p0; "
				   "st.param.b64 [p0], %a; .param .b32 p1; st.param.b32 [p1], %t; "
				   "call.uni some, (p0, p1); }\nEND:";
	struct sc_buf text = {0};
	struct sc_footprint f;

	sc_buf_printf(&text, "%s%s%s%s%s", HEAD, some, KERNEL, body, TAIL);
	f = analyse(text.text);
	sc_buf_fini(&text);
	assert_int_equal(f.count, 1);
	expect_write(&f, 0, 0, 16, 64);
}

/* A chain of functions, the last of which is put. */
static struct sc_footprint analyse_chain(unsigned functions)
{
	struct sc_buf text = {0};
	struct sc_footprint f;

	sc_buf_add(&text, HEAD PUT);
	for (unsigned i = 0; i < functions; i++) {
		sc_buf_printf(
			&text,
			".func f%u(.param .b64 p, .param .b32 i)\n{\n.reg .b64 %%d1; .reg .b32 "
			"%%r1;\nld.param.u64 %%d1, [p]; ld.param.u32 %%r1, [i];\n"
			"{ .param .b64 p0; st.param.b64 [p0], %%d1; .param .b32 p1; "
			"st.param.b32 [p1], %%r1; ",
			i);
		if (i)
			sc_buf_printf(&text, "call.uni f%u, (p0, p1); }\nret;\n}\n", i - 1);
		else
			sc_buf_add(&text, "call.uni put, (p0, p1); }\nret;\n}\n");
	}
	sc_buf_printf(&text,
		      "%s{ .param .b64 p0; st.param.b64 [p0], %%a; .param .b32 p1; st.param.b32 "
		      "[p1], %%t; call.uni f%u, (p0, p1); }\nst.global.u32 [%%b], %%t;%s",
		      KERNEL, functions - 1, TAIL);
	f = analyse(text.text);
	sc_buf_fini(&text);
	return f;
}

TEST(calls_may_be_nested)
{
	struct sc_footprint f = analyse_chain(8);

	assert_int_equal(f.count, 2);
	expect_write(&f, 0, 0, 0, 128);
	f = analyse_chain(40);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.ranges[1].reason, SC_REASON_CALL);
}

TEST(recursion_is_unknown)
{
	expect_unknown_call(HEAD
			    ".func again(.param .b32 i)\n{\n.reg .b32 %r<3>; .reg .pred %p;\n"
			    "ld.param.u32 %r1, [i]; setp.eq.u32 %p, %r1, 0; @%p ret;\n"
			    "sub.u32 %r2, %r1, 1; { .param .b32 p0; st.param.b32 [p0], %r2;\n"
			    "call.uni again, (p0); }\nret;\n}\n" KERNEL
			    "{ .param .b32 p0; st.param.b32 [p0], %n; call.uni again, (p0); }\n"
			    "st.global.u32 [%b], %t;" TAIL);
}

TEST(functions_of_elsewhere_are_unknown)
{
	expect_unknown_call(HEAD ".extern .func far(.param .b64 p);\n" KERNEL
				 "{ .param .b64 p0; st.param.b64 [p0], %a; call.uni far, (p0); }\n"
				 "st.global.u32 [%b], %t;" TAIL);
	expect_unknown_call(HEAD KERNEL "mov.u64 %d1, %a;\n"
					"call.uni %d1, proto;\nst.global.u32 [%b], %t;" TAIL);
}

/* What is known to touch nothing of the program, and what does not come back. */
TEST(known_functions_of_elsewhere_are_known)
{
	struct sc_footprint f = analyse(
		HEAD
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n" KERNEL
		"{ .param .b64 p0; st.param.b64 [p0], %a; .param .b64 p1; st.param.b64 [p1], %a; "
		".param .b32 r0; call.uni (r0), vprintf, (p0, p1); }\n"
		"st.global.u32 [%b], %t;" TAIL);

	assert_int_equal(f.count, 1);
	expect_write(&f, 0, 8, 0, 4);
	f = analyse(HEAD ".extern .func __assertfail(.param .b64 m);\n" KERNEL
			 "setp.lt.u32 %p1, %t, 8; @%p1 bra FINE;\n"
			 "{ .param .b64 p0; st.param.b64 [p0], %a; call.uni __assertfail, (p0); }\n"
			 "FINE: st.global.u32 [%b], %t;" TAIL);
	assert_int_equal(f.count, 1);
	expect_write(&f, 0, 8, 0, 4);
}

/* A result whose memory is used in other ways as well has no value, whatever was stored. */
TEST(parameters_with_an_address_are_unknown)
{
	struct sc_footprint f = analyse(
		HEAD
		".func (.param .align 8 .b8 r[8]) pair(.param .b32 i)\n{\n.reg .b32 %r<2>;\n"
		"ld.param.u32 %r1, [i]; st.param.b32 [r], %r1; st.param.b16 [r+2], 0; ret;\n"
		"}\n" KERNEL "{ .param .b32 p0; st.param.b32 [p0], %t; .param .align 8 .b8 r0[8];\n"
		"call.uni (r0), pair, (p0); ld.param.b32 %r1, [r0]; }\n"
		"mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %a, %d1; st.global.u32 [%d2], %t;" TAIL);

	assert_int_equal(f.count, 1);
	assert_int_equal(f.ranges[0].base, 0);
	assert_true(f.ranges[0].reason != SC_REASON_NONE);
}
