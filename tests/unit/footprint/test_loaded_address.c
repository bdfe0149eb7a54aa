/* Loaded addresses: which kernels use memory by an address that they loaded. */
#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "ptx/loaded_address.h"

static struct sc_loaded_address_registers registers;

static void note(void *context, const char *name, size_t bytes, bool is_loaded)
{
	char *answers = context;
	size_t used = strlen(answers);

	snprintf(answers + used, 64 - used, "%.*s%c ", (int)bytes, name, is_loaded ? '+' : '-');
}

/* Each kernel of the text, with a + if an address is loaded. */
static const char *find(const char *text)
{
	static char answers[64];
	const struct sc_loaded_address_taker to = {note, answers};

	answers[0] = 0;
	sc_loaded_address_find(text, strlen(text), &registers, &to);
	return answers;
}

static bool is_loaded(const char *body)
{
	char text[2048];

	snprintf(
		text, sizeof(text),
		".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n"
		".maxntid 128, 1, 1\n{\n.reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [k_param_0];\n"
		"ld.param.u64 %%rd2, [k_param_1];\n.loc 1 2 3, function_name $L, inlined_at 1 2 3\n"
		"%s\nret;\n}\n",
		body);
	assert_true(!strcmp(find(text), "k+ ") || !strcmp(find(text), "k- "));
	return find(text)[1] == '+';
}

TEST(an_address_of_a_parameter_is_not_loaded)
{
	assert_false(is_loaded("cvta.to.global.u64 %rd3, %rd1; mul.wide.s32 %rd4, %r1, 4;\n"
			       "add.s64 %rd5, %rd3, %rd4; ld.global.u32 %r2, [%rd5+4];\n"
			       "st.global.u64 [%rd5], %rd2;"));
}

TEST(a_pointer_that_was_loaded_is)
{
	assert_true(is_loaded("ld.global.u64 %rd3, [%rd1]; cvta.to.global.u64 %rd4, %rd3;\n"
			      "mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;\n"
			      "@%p1 st.global.u32 [%rd6], %r1;"));
	assert_true(is_loaded("ld.const.u64 %rd3, [table+8]; red.add.u32 [%rd3], 1;"));
	assert_true(is_loaded("ld.v2.u64 {%rd3, %rd4}, [%rd1]; ld.u8 %rs1, [%rd4+1];"));
	assert_true(is_loaded("ld.global.u64 %rd3, [%rd1];\n"
			      "cp.async.cg.shared.global [%r1], [%rd3], 16;"));
}

TEST(an_index_that_was_loaded_is_none)
{
	assert_false(is_loaded("ld.global.u32 %r2, [%rd1]; mul.wide.u32 %rd3, %r2, 4;\n"
			       "add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r3, [%rd4];"));
	assert_false(is_loaded("ld.global.u64 %rd3, [%rd1]; shl.b64 %rd4, %rd3, 2;\n"
			       "add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], 1;"));
	assert_false(is_loaded("ld.global.u64 %rd3, [%rd1];\n"
			       "mad.lo.s64 %rd4, %rd3, 24, %rd2; st.global.u32 [%rd4], 1;"));
}

TEST(a_list_is_followed_around_its_loop)
{
	assert_true(is_loaded("mov.u64 %rd8, %rd1;\n$L1: st.global.u32 [%rd8], 1;\n"
			      "ld.global.u64 %rd7, [%rd8+8]; mov.u64 %rd8, %rd7; @%p1 bra $L1;"));
}

TEST(parameters_and_textures_are_not_memory)
{
	assert_false(is_loaded("mov.b64 %rd3, k_param_1; add.s64 %rd4, %rd3, %rd5;\n"
			       "ld.param.u64 %rd6, [%rd4]; st.global.u32 [%rd6], 1;"));
	assert_false(is_loaded("mov.b64 %rd3, k_param_1; ld.u64 %rd6, [%rd3];\n"
			       "st.global.u32 [%rd6], 1;"));
	assert_false(is_loaded("ld.global.u64 %rd3, [%rd1];\n"
			       "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd3, {%r5}];"));
}

#define KERNEL ".entry k(.param .u64 k_param_0) { call.uni (retval0), f, (param0); ret; }\n"

TEST(what_is_called_counts)
{
	assert_string_equal(find(".func f(.param .b64 f_param_0);\n" KERNEL
				 ".func f(.param .b64 f_param_0) { ld.param.u64 %rd1, [f_param_0];"
				 " ld.u64 %rd2, [%rd1]; st.u32 [%rd2], 1; ret; }"),
			    "k+ ");
	assert_string_equal(find(KERNEL ".func f() { st.u32 [%rd2], 1; ret; }"), "k- ");
	assert_string_equal(find(".extern .func f(.param .b64 f_param_0);\n" KERNEL), "k+ ");
	assert_string_equal(find(".extern .func (.param .b32 r) vprintf(.param .b64 a);\n" KERNEL),
			    "k- ");
	assert_true(is_loaded("ld.global.u64 %rd3, [%rd1]; st.param.b64 [param0+0], %rd3;"));
	assert_true(is_loaded("ld.param.b64 %rd3, [retval0+0]; st.u32 [%rd3], 1;"));
}

TEST(kernels_do_not_mix)
{
	assert_string_equal(
		find(".entry a() { ld.global.u64 %rd1, [%rd2]; st.global.u32 [%rd1], 1; }\n"
		     ".entry b() { st.global.u32 [%rd1], 1; }\n.entry c();"),
		"a+ b- ");
}

TEST(any_text_has_an_answer)
{
	assert_string_equal(find(""), "");
	assert_string_equal(find(".entry"), "");
	assert_string_equal(find(".entry a("), "");
	assert_string_equal(find(".entry a() { ld.global.u64 {{{[ %rd1"), "a- ");
	assert_string_equal(find(".func ((( .entry a() { @"), "");
}
