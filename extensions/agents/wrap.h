/* Wrap: a library's function with parameters of its own types, that is called as it was, with what
 * it enqueues noted.
 *
 * These cannot go through sc_followed_call (followed.h), since the parameters are not all words, or
 * more than it passes on: numbers, the struct of NCCL's id, cuDNN's 20 pointers.
 *
 * SC_WRAP(name, parameters, arguments, note) makes two functions for the row of operand.def:
 * called_NAME finds the real function by its caller; looked_up_NAME has the function that was
 * looked up. `note` follows a successful call, with `enqueues` and `real`. SC_WRAP_ALWAYS is for
 * what outlasts a session: `before` stands before the call, what follows it after a successful one,
 * whatever the thread does. None is exported: they come with their library
 * (interposer/core/reference.h).
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
#define SC_WRAP_AROUND(name, parameters, ...)                                                      \
	static int looked_up_##name parameters                                                     \
	{                                                                                          \
		typeof(&looked_up_##name) real =                                                   \
			atomic_load(&sc_operand_functions.name.looked_up);                         \
		__VA_ARGS__                                                                        \
	}                                                                                          \
	static int called_##name parameters                                                        \
	{                                                                                          \
		typeof(&called_##name) real =                                                      \
			sc_function_find(&sc_operand_functions.name, __builtin_return_address(0)); \
		__VA_ARGS__                                                                        \
	}

#define SC_WRAP(name, parameters, arguments, ...) \
	SC_WRAP_AROUND(name, parameters, SC_WRAP_CALL(arguments, __VA_ARGS__))
#define SC_WRAP_ALWAYS(name, parameters, arguments, before, ...)    \
	SC_WRAP_AROUND(name, parameters, {                          \
		int status;                                         \
                                                                    \
		before;                                             \
		status = real ? real arguments : SC_WRAP_NOT_THERE; \
		if (!status) {                                      \
			__VA_ARGS__;                                \
		}                                                   \
		return status;                                      \
	})

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
