/* Descriptors of cuSPARSE: the library is asked what they are at each call, after it returned, so
 * that pointers that were set later count, and nothing is kept that a destroyed descriptor could
 * make wrong. What has no question (matrices in blocks of rows or in slices, strides of several
 * sparse matrices) is unknown.
 *
 * How much memory a function uses beside its operands is known from the program's own question
 * (cusparseSpMV_bufferSize, …), which is kept by the function and the descriptor: the newest for
 * each of a fixed number. A call with memory that was not asked for is unknown.
 */
#pragma once

#include <stdbool.h>
#include "interposer/library/enqueues.h"
#include "extensions/agents/operands/sparse.h"

/* For which functions memory was asked. */
enum sc_sparse_room {
	SC_ROOM_NONE,
	SC_ROOM_PRODUCT_VECTOR,
	SC_ROOM_PRODUCT_MATRIX,
	SC_ROOM_SAMPLE,
	SC_ROOM_SOLVE_VECTOR,
	SC_ROOM_SOLVE_MATRIX,
	SC_ROOM_EXPAND,
	SC_ROOM_COLLECT,
	SC_ROOM_CONVERT,
	SC_ROOM_DOT
};

/* The parameters of a call: descriptors, or NULL. */
struct sc_sparse_call {
	enum sc_sparse_form form;
	const struct sc_sparse_matrix *from, *to; /* of a conversion, which has no descriptors */
	const void *matrix, *vector;		  /* sparse */
	const void *dense_vector[2], *dense_matrix[2];
	int operation;
	const void *alpha, *beta;
	bool has_alpha, has_beta;
	void *result;
	int scalar; /* of alpha, beta and result; SC_TYPE_UNKNOWN: that of dense values */
	enum sc_sparse_room room;
	const void *owner; /* of the buffer: the descriptor that was asked about */
	const void *buffer;
	bool keeps_buffer; /* for calls that follow with the same owner */
	bool has_kept;	   /* works with the buffer that was kept */
};

/* The program was told that a function needs so many bytes. Keeps errno. */
void sc_sparse_room_note(enum sc_sparse_room room, const void *owner, size_t bytes);
/* The program is about to prepare a product: patterns may be kept from now on. */
void sc_sparse_prepare(void);
/* A call returned success: writes what it touched. Keeps errno. */
void sc_sparse_note(const struct sc_enqueues *e, struct sc_library_function *function, void *real,
		    void *handle, const struct sc_sparse_call *call);
