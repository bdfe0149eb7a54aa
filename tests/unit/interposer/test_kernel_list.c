/* The kernels to which recording is restricted. */
#include "interposer/sanitizer/kernel_list.h"

#include <string.h>
#include "tests/unit/unit.h"

static const char *room[16];
static char text[256];

static struct sc_kernel_list read_list(const char *from)
{
	struct sc_kernel_list list;

	strcpy(text, from);
	sc_kernel_list_read(&list, text, room);
	return list;
}

TEST(without_a_list_every_kernel_is_meant)
{
	const struct sc_kernel_list list = {0};

	assert_true(sc_kernel_list_has(&list, "_Z1ai"));
	assert_true(sc_kernel_list_meets(&list, "", 0));
}

TEST(names_are_lines)
{
	struct sc_kernel_list list = read_list("# of a trace\n_Z1bi\n\n_Z1ai\n_Z2abi");

	assert_int_equal(list.count, 3);
	assert_true(sc_kernel_list_has(&list, "_Z1ai"));
	assert_true(sc_kernel_list_has(&list, "_Z1bi"));
	assert_true(sc_kernel_list_has(&list, "_Z2abi"));
	assert_false(sc_kernel_list_has(&list, "_Z1a"));
	assert_false(sc_kernel_list_has(&list, "# of a trace"));
	assert_false(sc_kernel_list_has(&list, ""));
}

TEST(an_empty_list_means_no_kernel)
{
	struct sc_kernel_list list = read_list("");

	assert_false(sc_kernel_list_has(&list, "_Z1ai"));
	assert_false(sc_kernel_list_meets(&list, "x", 1));
}

/* Names of sections end with a zero. */
TEST(machine_code_has_a_section_for_each_kernel)
{
	static const char cubin[] = "\0.text._Z1ai\0.text._Z1bii\0";
	struct sc_kernel_list a = read_list("_Z1ai"), b;

	assert_true(sc_kernel_list_meets(&a, cubin, sizeof(cubin)));
	b = read_list("_Z1bi\n_Z1ci");
	assert_false(sc_kernel_list_meets(&b, cubin, sizeof(cubin)));
	assert_true(sc_kernel_list_meets(&b, NULL, 0)); /* not known */
}
