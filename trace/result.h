/* Results: CUDA's error numbers by name, for comparing with the `result` of an op.
 * Part of trace/op.h. */
#pragma once

enum sc_result {
#define SC_RESULT(name, number, runtime) SC_RESULT_##name = (number),
#include "trace/result.def"
#undef SC_RESULT
};
