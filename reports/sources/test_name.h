/* Test name: which test of the checked program a finding belongs to, where the program says so.
 *
 * It says so by a range around the test (NVTX): one that is named as pytest names its tests,
 * "test_a.py::test_copy", or "test: NAME"; by the function of GoogleTest that every test has,
 * `Copy_One_Test::TestBody`, in a stack of the finding: test "Copy.One".
 */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "reports/report.h"

/* Appends the name of the finding's test; false if the program does not say which. */
bool sc_test_name(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f);
/* Calls `take` with the name of each test that has a range; a walk over the trace. */
void sc_test_name_each(const struct sc_report *r, void (*take)(void *to, const char *name),
		       void *to);
