/* libsanitizer-public.so: only a library that has all functions is taken. */
#include "interposer/sanitizer/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* In a process of its own: a library that is loaded already is found first. */
static bool is_found(const char *named)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(sc_sanitizer_find(&calls, named) && calls.Subscribe && calls.Synchronize);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void test_in_a_toolkit(void **state)
{
	(void)state;
	setenv("PATH", "", 1);
	setenv("CUDA_HOME", "/no/such", 1);
	setenv("CUDA_PATH", STANDIN_HOME, 1);
	assert_true(is_found(""));
	assert_false(is_found("/no/such/libsanitizer-public.so"));
	setenv("CUDA_PATH", "", 1);
}

static void test_beside_the_command(void **state)
{
	char folder[] = "/tmp/sanitizer-XXXXXX", path[256];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/compute-sanitizer", folder);
	assert_int_equal(symlink("/bin/true", path), 0);
	setenv("PATH", folder, 1);
	snprintf(path, sizeof(path), "%s/libsanitizer-public.so", folder);
	assert_int_equal(symlink(STANDIN_HOME "/compute-sanitizer/libsanitizer-public.so", path),
			 0);
	assert_true(is_found(""));
	unlink(path);
	snprintf(path, sizeof(path), "%s/compute-sanitizer", folder);
	unlink(path);
	rmdir(folder);
}

static void test_one_that_lacks_a_function_is_not_taken(void **state)
{
	(void)state;
	assert_true(is_found(STANDIN_HOME "/compute-sanitizer/libsanitizer-public.so"));
	assert_false(is_found(STANDIN_HOME "/old/libsanitizer-public.so"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_that_is_not_there_is_not_found),
		cmocka_unit_test(test_another_library_is_not_taken),
		cmocka_unit_test(test_a_search_in_vain_ends),
		cmocka_unit_test(test_in_a_toolkit),
		cmocka_unit_test(test_beside_the_command),
		cmocka_unit_test(test_one_that_lacks_a_function_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
