/* The table of CUDA's error numbers: each is the number in cuda.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cuda.h>
#include "trace/result.h"

static void test_numbers(void **unused)
{
	(void)unused;
#define SC_RESULT(name, number, runtime) assert_int_equal(SC_RESULT_##name, CUDA_ERROR_##name);
#include "trace/result.def"
#undef SC_RESULT
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
