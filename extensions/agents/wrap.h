/* Wrap: a library's function that is called as it was, with what it enqueues noted.
 *
 * SC_WRAP(name, parameters, arguments, note) makes two functions for the row of that name:
 * called_NAME finds the real function by its caller; looked_up_NAME has the function that was
 * looked up. `note` follows a successful call, with `enqueues` and `real`. None is exported: they
 * come with their library (interposer/core/reference.h).
 */
#pragma once

#include "interposer/library/enqueues.h"

#define SC_WRAP_NOT_THERE 1 /* an error of each library */

#define SC_WRAP_CALL(arguments, ...)                                 \
	const void *frame = __builtin_frame_address(0);              \
	struct sc_enqueues *enqueues = sc_enqueues_begin(frame);     \
	int status = real ? real arguments : SC_WRAP_NOT_THERE;      \
                                                                     \
	if (enqueues && sc_enqueues_end(enqueues, frame) && !status) \
		__VA_ARGS__;                                         \
	return status;

/* The two functions, which call `real` in the statements that follow. */
#define SC_WRAP_AROUND(name, parameters, ...)                                                \
	static int looked_up_##name parameters                                               \
	{                                                                                    \
		typeof(&looked_up_##name) real =                                             \
			atomic_load(&sc_libraries.looked_up[SC_LIBRARY_ROW_##name]);         \
		__VA_ARGS__                                                                  \
	}                                                                                    \
	static int called_##name parameters                                                  \
	{                                                                                    \
		typeof(&called_##name) real =                                                \
			sc_library_find(SC_LIBRARY_ROW_##name, __builtin_return_address(0)); \
		__VA_ARGS__                                                                  \
	}

/* The same of a function that returns nothing: each call counts as a successful one. */
#define SC_WRAP_CALL_VOID(arguments, ...)                         \
	const void *frame = __builtin_frame_address(0);           \
	struct sc_enqueues *enqueues = sc_enqueues_begin(frame);  \
	int status = real ? real arguments : SC_WRAP_NOT_THERE;   \
                                                                  \
	if (enqueues && sc_enqueues_end(enqueues, frame) && real) \
		__VA_ARGS__;                                      \
	return status;

#define SC_WRAP_VOID(name, parameters, arguments, ...) \
	SC_WRAP_AROUND(name, parameters, SC_WRAP_CALL_VOID(arguments, __VA_ARGS__))
#define SC_WRAP(name, parameters, arguments, ...) \
	SC_WRAP_AROUND(name, parameters, SC_WRAP_CALL(arguments, __VA_ARGS__))

/* The functions of a row: what the program calls instead of the library's, and what it gets if it
 * looks that up by the library's handle; NULL: the library's. */
struct sc_wrapper {
	enum sc_library_row row;
	uint32_t length; /* of the name */
	void *called, *looked_up;
};

/* Those whose names begin so: SC_WRAPPER of each row makes the list. */
struct sc_wrappers {
	const char *prefix;
	const struct sc_wrapper *list;
	unsigned count;
};

#define SC_WRAPPER(name) \
	{SC_LIBRARY_ROW_##name, sizeof(#name) - 1, (void *)called_##name, (void *)looked_up_##name},
/* Of a library whose functions are found by their callers only. */
#define SC_WRAPPER_CALLED(id, symbol, function) \
	{SC_LIBRARY_ROW_##id, sizeof(symbol) - 1, (void *)(function), NULL},
#define SC_WRAPPERS(its_prefix, its_list)                       \
	{                                                       \
		.prefix = (its_prefix), .list = (its_list),     \
		.count = sizeof(its_list) / sizeof(*(its_list)) \
	}

extern const struct sc_wrappers sc_blas_wrappers;
extern const struct sc_wrappers sc_matmul_wrappers;
extern const struct sc_wrappers sc_collective_wrappers;
extern const struct sc_wrappers sc_communicator_wrappers;
extern const struct sc_wrappers sc_transform_wrappers;
extern const struct sc_wrappers sc_random_wrappers;
extern const struct sc_wrappers sc_dnn_wrappers;
extern const struct sc_wrappers sc_sparse_wrappers;
extern const struct sc_wrappers sc_solver_wrappers;
extern const struct sc_wrappers sc_mpi_wrappers;
extern const struct sc_wrappers sc_pmpi_wrappers;
extern const struct sc_wrappers sc_ucx_wrappers;
extern const struct sc_wrappers sc_nixl_wrappers;
extern const struct sc_wrappers sc_shmem_wrappers;
