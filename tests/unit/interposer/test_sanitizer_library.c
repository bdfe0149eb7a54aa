/* libsanitizer-public.so: only a library that has all functions is taken. */
#include "interposer/sanitizer/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"

static struct sc_sanitizer_calls calls;

TEST(a_file_that_is_not_there_is_not_found)
{
	assert_false(sc_sanitizer_find(&calls, "/no/such/libsanitizer-public.so"));
}

TEST(another_library_is_not_taken)
{
	assert_false(sc_sanitizer_find(&calls, "libm.so.6"));
	assert_null(calls.Subscribe);
}

/* Folders of PATH and homes of toolkits without the library: the search goes through all of them.
 */
TEST(a_search_in_vain_ends)
{
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

TEST(in_a_toolkit)
{
	setenv("PATH", "", 1);
	setenv("CUDA_HOME", "/no/such", 1);
	setenv("CUDA_PATH", STANDIN_HOME, 1);
	assert_true(is_found(""));
	assert_false(is_found("/no/such/libsanitizer-public.so"));
	setenv("CUDA_PATH", "", 1);
}

TEST(beside_the_command)
{
	char folder[] = "/tmp/sanitizer-XXXXXX", path[256];

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

TEST(one_that_lacks_a_function_is_not_taken)
{
	assert_true(is_found(STANDIN_HOME "/compute-sanitizer/libsanitizer-public.so"));
	assert_false(is_found(STANDIN_HOME "/old/libsanitizer-public.so"));
}
