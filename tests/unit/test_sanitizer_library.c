/* libsanitizer-public.so: only a library that has all functions is taken. */
#include "interposer/sanitizer/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct sc_sanitizer_calls calls;

static void test_a_file_that_is_not_there_is_not_found(void **state)
{
	(void)state;
	assert_false(sc_sanitizer_find(&calls, "/no/such/libsanitizer-public.so"));
}

static void test_another_library_is_not_taken(void **state)
{
	(void)state;
	assert_false(sc_sanitizer_find(&calls, "libm.so.6"));
	assert_null(calls.Subscribe);
}

/* Folders of PATH and homes of toolkits without the library: the search goes through all of them.
 */
static void test_a_search_in_vain_ends(void **state)
{
	(void)state;
	setenv("PATH", ":/no/such:/usr/bin::", 1);
	setenv("CUDA_HOME", "/no/such", 1);
	setenv("CUDA_PATH", "", 1);
	if (!access("/usr/local/cuda/compute-sanitizer", F_OK) || !access("/opt/cuda", F_OK))
		skip();
	assert_false(sc_sanitizer_find(&calls, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_that_is_not_there_is_not_found),
		cmocka_unit_test(test_another_library_is_not_taken),
		cmocka_unit_test(test_a_search_in_vain_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
