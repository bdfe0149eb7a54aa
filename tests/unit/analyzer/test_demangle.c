/* Names: demangled as the compiler meant them, and never at any price. */
#include "analyzer/symbol/demangle.h"

#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"

static void assert_name(const char *mangled, const char *expected)
{
	char out[SC_DEMANGLE_MAX];

	sc_demangle(mangled, out, sizeof(out));
	assert_string_equal(out, expected);
}

TEST(names_of_c_stay)
{
	assert_name("main", "main");
	assert_name("", "");
	assert_name("_Zebra", "_Zebra");
}

TEST(names_of_cxx_become_readable)
{
	assert_name("_Z5scalePfi", "scale(float*, int)");
	assert_name("_Z5scaleIfEvPT_i", "void scale<float>(float*, int)");
	assert_name("_ZN3app4Task3runEv", "app::Task::run()");
}

TEST(damaged_names_stay)
{
	assert_name("_Z5sca", "_Z5sca");
	assert_name("_ZN3app", "_ZN3app");
}

/* f(A<int, int>, A<S0_, S0_>, A<S1_, S1_>, …): each doubles the one before, 2^60 at the end. */
TEST(names_that_explode_are_left_alone)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1AIiiE", out[SC_DEMANGLE_MAX];

	for (int i = 0; i < 60; i++) {
		char step[16], id[4] = {digits[i % 36]};

		if (i >= 36)
			sprintf(id, "1%c", digits[i - 36]);
		sprintf(step, "S_IS%s_S%s_E", id, id);
		strcat(name, step);
		sc_demangle(name, out, sizeof(out));
		assert_true(strlen(out) < sizeof(out));
		if (i < 6)
			assert_memory_equal(out, "f(A<int, int>, A<A<int, int>", 28);
	}
	assert_string_equal(out, name);
}

TEST(deep_names_do_not_exhaust_the_stack)
{
	char name[SC_DEMANGLE_MAX + 16] = "_Z1f", out[SC_DEMANGLE_MAX];

	memset(name + 4, 'P', SC_DEMANGLE_MAX - 8);
	name[SC_DEMANGLE_MAX - 4] = 'i';
	sc_demangle(name, out, sizeof(out));
	assert_true(strlen(out) < sizeof(out));
}

TEST(long_names_are_cut)
{
	char name[SC_DEMANGLE_MAX * 2], out[SC_DEMANGLE_MAX];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	sc_demangle(name, out, sizeof(out));
	assert_int_equal(strlen(out), sizeof(out) - 1);
}
