/* Wrap: a library's function that is called as it was, with what it enqueues noted.
 *
 * SC_WRAP(name, parameters, arguments, note) makes two functions for the row of that name: one
 * finds the real function by its caller and is exported; the other one, looked_up_NAME, has the
 * function that was looked up. `note` follows a successful call, with `enqueues` and `real`.
 */
#ifndef SC_EXTENSIONS_AGENTS_WRAP_H
#define SC_EXTENSIONS_AGENTS_WRAP_H

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
	__attribute__((visibility("default"))) int name parameters;                          \
	__attribute__((visibility("default"))) int name parameters                           \
	{                                                                                    \
		typeof(&name) real =                                                         \
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

/* What a program that looks the function of this row up gets instead; NULL: it is another's. */
void *sc_blas_wrapper(enum sc_library_row row);
void *sc_matmul_wrapper(enum sc_library_row row);
void *sc_collective_wrapper(enum sc_library_row row);
void *sc_communicator_wrapper(enum sc_library_row row);
void *sc_transform_wrapper(enum sc_library_row row);
void *sc_random_wrapper(enum sc_library_row row);
void *sc_dnn_wrapper(enum sc_library_row row);
void *sc_sparse_wrapper(enum sc_library_row row);
void *sc_solver_wrapper(enum sc_library_row row);
void *sc_shmem_wrapper(enum sc_library_row row);

#endif
