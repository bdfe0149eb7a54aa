/* Functions that are found by their names in libraries of the process: those that set handles
 * (library.def), of compilers (compiler.def), of OpenMP's runtime (openmp.def), and those that
 * extensions/agents follows.
 *
 * A room that has such rows has a struct with a struct sc_library_function of each, all zeros at
 * first, and a table with their names. The real function is found as the loader would have found
 * it: in the global scope after this library, else among what the caller was linked with, since
 * extension modules are loaded with a scope of their own, else in any library of NVIDIA's that is
 * loaded, since a program may have the function's address from another part. What was found stays
 * so, in a child, too. A process that calls none of them touches no page of the tables.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sc_found_function;
struct sc_beside;

struct sc_library_function {
	/* The real functions that were found, each for calls from one object; and the one that was
	 * looked up by its name, which has a wrapper of its own. */
	struct sc_found_function *_Atomic known;
	void *_Atomic looked_up;
	struct sc_beside *_Atomic beside;
	_Atomic uint64_t string; /* id in the trace of a process */
};

/* The functions of a room, in the order of their rows. */
struct sc_functions {
	struct sc_library_function *list;
	const uint8_t *names; /* SC_NAME of each */
	const uint8_t *plain; /* the same as a reader knows them, if he does otherwise; else NULL */
	unsigned count;
};

/* A name, for structs of nothing else: so that the loader has no address of each to relocate. */
#define SC_NAME_MEMBER(id, text) uint8_t length_##id, text_##id[sizeof(text)];
#define SC_NAME(id, text)	 .length_##id = sizeof(text) - 1, .text_##id = text,
#define SC_FUNCTIONS(functions, its_names)                  \
	.list = (struct sc_library_function *)&(functions), \
	.names = (const uint8_t *)&(its_names),             \
	.count = sizeof(functions) / sizeof(struct sc_library_function)

#define SC_BESIDE 11

/* Functions of the library that `real` is from. */
struct sc_beside {
	void *real;
	void *function[SC_BESIDE]; /* NULL: no name was given */
};

/* What the program calls instead of a function, and what it gets if it looks that up by the
 * library's handle; NULL: the library's. */
struct sc_wrapper {
	uint32_t number; /* of the function in its table */
	void *called, *looked_up;
};

/* Wrappers of functions of one table, whose names begin so. */
struct sc_wrappers {
	const char *prefix;
	const struct sc_functions *of;
	const struct sc_wrapper *list;
	unsigned count;
};

#define SC_WRAPPER(room, name, its_called, its_looked_up)                                   \
	{offsetof(struct sc_##room##_functions, name) / sizeof(struct sc_library_function), \
	 (void *)(its_called), (void *)(its_looked_up)},
#define SC_WRAPPERS(its_prefix, table, its_list)                            \
	{                                                                   \
		.prefix = (its_prefix), .of = &(table), .list = (its_list), \
		.count = sizeof(its_list) / sizeof(*(its_list))             \
	}

/* A function that was asked for by its name; all NULL: there is none. */
struct sc_named_function {
	struct sc_library_function *function;
	const struct sc_wrapper *wrapper; /* NULL: it has none */
};

/* The core's. */
struct sc_core_functions {
#define ROW(id) struct sc_library_function id;
#include "interposer/library/row.def"
};

extern struct sc_core_functions sc_core_functions;
extern const struct sc_functions sc_core_table;

/* The real function for a call from `caller`, or NULL. Keeps its library loaded. Keeps errno. */
void *sc_function_find(struct sc_library_function *f, const void *caller);
/* A function among what the caller was linked with, or NULL. */
void *sc_function_of_caller(const char *name, const void *caller);
/* Questions to the library that a function is from, found once: NULL if another library's function
 * came first, or one of them is not there. Keeps errno. */
const struct sc_beside *sc_function_beside(struct sc_library_function *f, void *real,
					   const char *const names[SC_BESIDE]);
/* Goes through the names before its own. */
const char *sc_function_name(const struct sc_library_function *f);
/* Id in the trace of the name that a reader knows. */
uint32_t sc_function_string(struct sc_library_function *f);
/* `real` was looked up. False if another function has the wrapper of the row already. */
bool sc_function_bind(struct sc_library_function *f, void *real);
/* The function of this name, or NULL. Goes through all names. */
struct sc_library_function *sc_functions_find(const struct sc_functions *table, const char *name);
/* Its wrapper in the list, or NULL. */
const struct sc_wrapper *sc_wrappers_find(const struct sc_wrappers *w,
					  const struct sc_library_function *f);
