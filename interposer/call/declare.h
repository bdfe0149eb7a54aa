/* Declarations: what the program says of itself through include/streamcheck/streamcheck.h.
 *
 * Each call becomes one op. Bytes that were declared for the next launch wait in the thread and are
 * attached to it. A declaration starts the session: a program that declares something wants the
 * report.
 */
#pragma once

#include "interposer/call/call.h"
#include "trace/piece.h"

/* Attaches what was declared for this launch of the calling thread, once. */
void sc_declare_attach(struct sc_call *call);
/* The launch is recorded without it. */
void sc_declare_forget(void);
/* Memory has a name from now on. */
void sc_declare_name_memory(const void *start, size_t bytes, const char *text);

/* A pool hands out a piece of memory, or takes it back, in the order of a stream, or of none
 * (STREAMCHECK_NO_STREAM). */
void sc_declare_piece(const void *start, size_t bytes, const void *stream);
void sc_declare_piece_end(const void *start, const void *stream);
/* It will not hand the piece out before the work is done that the stream has when the piece goes
 * back. */
void sc_declare_piece_use(const void *start, const void *stream);
/* One of the three, by code that is busy already, perhaps in a signal handler. */
struct sc_piece_call {
	enum sc_op_kind kind;
	const void *start;
	uint64_t bytes;
	const void *stream;
	enum sc_piece_return order; /* in which it goes back */
	uint32_t stack;
};
void sc_declare_put_piece(const struct sc_piece_call *call);
/* All pieces of [start, start + bytes) go back to their pool, in no stream's order. */
void sc_declare_pieces_end(const void *start, size_t bytes);

/* A new id for a range of the process, NVTX's or another, never 0. */
unsigned sc_declare_range_id(void);
