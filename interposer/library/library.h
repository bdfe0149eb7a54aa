/* Handles of NVIDIA's libraries: which stream each of them drives (SC-209).
 *
 * A handle of cuBLAS, a plan of cuFFT, … has scratch memory that all its work shares, so one handle
 * in two streams that nothing orders is a race on memory that the program never sees. The functions
 * that set the stream are exported before the libraries' own (library.def); the real ones are found
 * by their names (function.h).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/library/function.h"
#include "trace/library.h"

struct sc_libraries {
	atomic_uint others; /* handles' functions of a library's second version: only counted */
};

extern struct sc_libraries sc_libraries;

/* A successful change of a handle: its stream, or its scratch memory. */
struct sc_library_change {
	uint64_t handle;
	enum sc_library_use use;
	bool is_number; /* the handle is no address */
	const void *stream;
	const void *scratch;
	uint64_t bytes; /* of it; 0: not known */
};

/* Writes a change, unless it is none or a library changed its own handle. Keeps errno. */
void sc_library_note(const struct sc_library_change *change);

/* The function of a name, which may be that of a version (__NAME_12_8). */
struct sc_named_function sc_library_function(const char *name);
/* The program looked that function up: what it gets instead, or the function itself. */
void *sc_library_serve(struct sc_named_function found, void *real);
