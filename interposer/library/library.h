/* Handles of NVIDIA's libraries: which stream each of them drives (SC-209).
 *
 * A handle of cuBLAS, a plan of cuFFT, … has scratch memory that all its work shares, so one handle
 * in two streams that nothing orders is a race on memory that the program never sees. The functions
 * that set the stream are exported before the libraries' own (library.def); the real one is found
 * as the loader would have found it: in the global scope after this library, else among what the
 * caller was linked with, since extension modules are loaded with a scope of their own, else in any
 * library of NVIDIA's that is loaded, since a program may have the function's address from another
 * part. The entry points of OpenMP's runtime (openmp.def), of compilers (compiler.def) and of the
 * libraries that extensions/agents follows (agent.def) are found in the same way.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "trace/library.h"

enum sc_library_row {
#define ROW(id, text) SC_LIBRARY_ROW_##id,
#define FIRST(group) \
	SC_LIBRARY_FIRST_##group, SC_LIBRARY_BEFORE_##group = SC_LIBRARY_FIRST_##group - 1,
#include "interposer/library/row.def"
	SC_LIBRARY_ROWS
};

struct sc_found_function;

/* The real functions that were found, each for calls from one object; and the one of each row that
 * was looked up by its name, which has a wrapper of its own. Others of that name (handles of a
 * library's second version) are only counted. */
struct sc_libraries {
	struct sc_found_function *_Atomic known[SC_LIBRARY_ROWS];
	void *_Atomic looked_up[SC_LIBRARY_ROWS];
	atomic_uint others;
};

extern struct sc_libraries sc_libraries;

#define SC_BESIDE 11

/* Functions of the library that `real` is from. */
struct sc_beside {
	void *_Atomic real;
	void *function[SC_BESIDE]; /* NULL: no name was given */
	atomic_bool is_whole;
};

/* A successful change of a handle: its stream, or its scratch memory. */
struct sc_library_change {
	uint64_t handle;
	enum sc_library_use use;
	bool is_number; /* the handle is no address */
	const void *stream;
	const void *scratch;
	uint64_t bytes; /* of it; 0: not known */
};

const char *sc_library_name(enum sc_library_row row);
/* Id in the trace of the name that a reader knows: a function of a class has the class's name and
 * its own. */
uint32_t sc_library_string(enum sc_library_row row);
/* The real function of a row for a call from `caller`, or NULL. Keeps its library loaded. */
void *sc_library_find(enum sc_library_row row, const void *caller);
/* A function among what the caller was linked with, or NULL. */
void *sc_library_of_caller(const char *name, const void *caller);
/* Questions to the library that a function is from, found once for a row: NULL if another library's
 * function came first, or one of them is not there. Keeps errno. */
const struct sc_beside *sc_library_beside(enum sc_library_row row, void *real,
					  const char *const names[SC_BESIDE]);
/* Writes a change, unless it is none or a library changed its own handle. Keeps errno. */
void sc_library_note(const struct sc_library_change *change);
/* The row of a name, which may be that of a version (__NAME_12_8); SC_LIBRARY_ROWS: none. */
enum sc_library_row sc_library_row(const char *name);
/* The program looked the function of this row up: what it gets instead, or the function itself. */
void *sc_library_serve(enum sc_library_row row, void *real);
/* False if another function has the wrapper of the row already. */
bool sc_library_bind(enum sc_library_row row, void *real);
