/* Patch run: starts the writer of patches (packaging/python/patch), which is a program in Python.
 */
#pragma once

#include "base/buf.h"
#include "base/option.h"

/* What the writer says when packages of Python are missing; also returned if there is no Python. */
#define SC_PATCH_MISSING 3

/* What the writer shall do, besides writing; all borrowed. */
struct sc_patch_request {
	const struct sc_options *options;
	const struct sc_buf *run_options; /* of `streamcheck run`: "name=value", each terminated */
	char *const *program;		  /* ends with NULL; NULL: nothing is built and run */
};

/* What the writer says when a patch is not confirmed. */
#define SC_PATCH_NOT_CONFIRMED 1

/* Gives it a plan in JSON, and waits for it: it prints the patch to standard output, and a failure,
 * or whether the patched program is clean, to standard error. Returns its exit code; -errno if it
 * could not be started. */
int sc_patch_run(const struct sc_buf *plan, const struct sc_patch_request *request);
