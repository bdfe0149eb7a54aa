/* PTX without names: what leaves a text, and that what stays is the same code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "extensions/anonymize/ptx.h"
#include "footprint/footprint.h"

static const char text[] =
	"// of secret.cu\n"
	".version 8.0\n.target sm_80, debug\n.address_size 64\n"
	".file 1 \"/home/me/secret.cu\"\n"
	".visible .global .align 4 .b8 password[3] = {104, 117, 104};\n"
	".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
	".visible .entry scale(.param .u64 data, .param .u32 count)\n"
	".maxntid 256, 1, 1\n"
	"{\n"
	".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n.reg .f32 %f<3>;\n"
	".loc 1 7 0\n"
	"ld.param.u64 %rd1, [data];\nld.param.u32 %r1, [count];\n"
	"mov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, %r1;\n"
	"@!%p1 bra going_on;\nret;\n"
	"going_on:\n"
	"{ .reg .b32 low, high;\nmov.b64 {low, high}, %rd1;\n}\n"
	".pragma \"nounroll\";\n"
	"mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd2, %rd1, %rd2;\n"
	"ld.global.f32 %f1, [%rd2];\nmul.f32 %f2, %f1, 0f40490FDB;\nst.global.f32 [%rd2], %f2;\n"
	"ret;\n}\n"
	".visible .entry unknown(.param .u64 other)\n{\n.reg .b64 %rd<3>;\nret;\n}\n"
	".section .debug_str\n{\n.b8 115, 101\n}\n";

static void names(struct sc_buf *out, struct sc_private_names *n)
{
	char name[SC_PRIVATE_NAME];

	sc_private_kernel(n, "scale", 5, name);
	assert_string_equal(name, "kernel_1");
	sc_private_ptx(n, text, strlen(text), out);
}

static void test_leaves(void **state)
{
	static const char *const words[] = {"secret",	 "password", "104",	 "scale",
					    "data",	 "count",    "going_on", "low",
					    "high",	 "nounroll", "40490FDB", "unknown",
					    "debug_str", ".loc",     ".file"};
	struct sc_private_names n = {0};
	struct sc_buf out = {0};

	(void)state;
	names(&out, &n);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(sc_buf_text(&out), words[i]))
			fail_msg("%s stays in %s", words[i], sc_buf_text(&out));
	assert_non_null(strstr(sc_buf_text(&out), "vprintf"));
	sc_buf_fini(&out);
	sc_private_names_fini(&n);
}

static struct sc_footprint footprint_of(struct sc_footprint_module *m, const char *kernel)
{
	static const struct {
		uint64_t data;
		uint32_t count;
	} params = {UINT64_C(0x7f0000000000), 5};
	struct sc_footprint_kernel *k = sc_footprint_find(m, kernel);
	struct sc_footprint_launch launch = {
		.grid = {1, 1, 1}, .block = {64, 1, 1}, .param_bytes = 12, .params = &params};

	assert_non_null(k);
	assert_int_equal(sc_footprint_problems(m), 0);
	return sc_footprint_of(k, &launch);
}

static void test_same_code(void **state)
{
	struct sc_private_names n = {0};
	struct sc_buf out = {0};
	struct sc_footprint_module *was, *is;
	struct sc_footprint a, b;

	(void)state;
	names(&out, &n);
	was = sc_footprint_parse(text, strlen(text));
	is = sc_footprint_parse(sc_buf_text(&out), out.bytes);
	a = footprint_of(was, "scale");
	b = footprint_of(is, "kernel_1");
	assert_int_equal(sc_footprint_kernel_count(is), 1);
	assert_true(a.count > 0 && a.is_exact && b.is_exact);
	assert_int_equal(a.count, b.count);
	assert_int_equal(a.ranges[0].width, 20);
	assert_memory_equal(a.ranges, b.ranges, offsetof(struct sc_footprint_range, line));
	sc_footprint_free(was);
	sc_footprint_free(is);
	sc_buf_fini(&out);
	sc_private_names_fini(&n);
}

/* Any text ends. */
static void test_torn(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes < strlen(text); bytes++) {
		struct sc_private_names n = {0};
		struct sc_buf out = {0};

		sc_private_ptx(&n, text, bytes, &out);
		sc_buf_fini(&out);
		sc_private_names_fini(&n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_same_code),
		cmocka_unit_test(test_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
