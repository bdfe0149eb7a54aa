/* The kernels to which recording is restricted. */
#include "interposer/sanitizer/kernel_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *room[16];
static char text[256];

static struct sc_kernel_list read_list(const char *from)
{
	struct sc_kernel_list list;

	strcpy(text, from);
	sc_kernel_list_read(&list, text, room);
	return list;
}

static void test_without_a_list_every_kernel_is_meant(void **state)
{
	const struct sc_kernel_list list = {0};

	(void)state;
	assert_true(sc_kernel_list_has(&list, "_Z1ai"));
	assert_true(sc_kernel_list_meets(&list, "", 0));
}

static void test_names_are_lines(void **state)
{
	struct sc_kernel_list list = read_list("# of a trace\n_Z1bi\n\n_Z1ai\n_Z2abi");

	(void)state;
	assert_int_equal(list.count, 3);
	assert_true(sc_kernel_list_has(&list, "_Z1ai"));
	assert_true(sc_kernel_list_has(&list, "_Z1bi"));
	assert_true(sc_kernel_list_has(&list, "_Z2abi"));
	assert_false(sc_kernel_list_has(&list, "_Z1a"));
	assert_false(sc_kernel_list_has(&list, "# of a trace"));
	assert_false(sc_kernel_list_has(&list, ""));
}

static void test_an_empty_list_means_no_kernel(void **state)
{
	struct sc_kernel_list list = read_list("");

	(void)state;
	assert_false(sc_kernel_list_has(&list, "_Z1ai"));
	assert_false(sc_kernel_list_meets(&list, "x", 1));
}

/* Names of sections end with a zero. */
static void test_machine_code_has_a_section_for_each_kernel(void **state)
{
	static const char cubin[] = "\0.text._Z1ai\0.text._Z1bii\0";
	struct sc_kernel_list a = read_list("_Z1ai"), b;

	(void)state;
	assert_true(sc_kernel_list_meets(&a, cubin, sizeof(cubin)));
	b = read_list("_Z1bi\n_Z1ci");
	assert_false(sc_kernel_list_meets(&b, cubin, sizeof(cubin)));
	assert_true(sc_kernel_list_meets(&b, NULL, 0)); /* not known */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_list_every_kernel_is_meant),
		cmocka_unit_test(test_names_are_lines),
		cmocka_unit_test(test_an_empty_list_means_no_kernel),
		cmocka_unit_test(test_machine_code_has_a_section_for_each_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
