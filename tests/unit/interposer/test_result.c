/* The table of CUDA's error numbers: each is the number in cuda.h. */
#include "tests/unit/unit.h"
#include <cuda.h>
#include "trace/result.h"

TEST(numbers)
{
#define SC_RESULT(name, number, runtime) assert_int_equal(SC_RESULT_##name, CUDA_ERROR_##name);
#include "trace/result.def"
#undef SC_RESULT
}
