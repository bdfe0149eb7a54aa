/* Assertions: a false one ends the tool. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/assert.h"
#include "base/vector.h"

static void test_a_true_one_does_nothing(void **state)
{
	unsigned asked = 0;

	(void)state;
	sc_assert(++asked == 1);
	assert_int_equal(asked, 1);
}

static void look_into_an_empty_one(void)
{
	const SC_VECTOR(int) empty = {0};

	sc_assert(empty.count > 0);
}

static void test_a_false_one_ends_the_process(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		close(STDERR_FILENO);
		look_into_an_empty_one();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_true_one_does_nothing),
		cmocka_unit_test(test_a_false_one_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
