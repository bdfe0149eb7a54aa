/* streamcheck: what a program can tell the checker about itself.
 *
 * Header only, for C and C++; nothing is linked. Without the preloaded libstreamcheck.so every call
 * costs one test of a variable and does nothing. With -DSTREAMCHECK_DISABLE nothing is compiled at
 * all. Streams and events are passed as they are (cudaStream_t, CUevent, ...). Texts are copied.
 * See docs/user/declarations.md.
 *
 *	streamcheck_name_stream(upload, "upload");
 *	streamcheck_declare_kernel("*axpy*", "reads arg1 bytes 4*arg0; updates arg2 bytes 4*arg0");
 *	streamcheck_launch_writes(out, bytes);
 *	closed_library_call(out, stream);
 */
#pragma once

#include <stddef.h>
#include "calls.h"

/* True if libstreamcheck.so is there. */
static inline int streamcheck_is_active(void)
{
	return streamcheck_calls() != (const struct streamcheck_calls *)0;
}

/* Reports call the object so. */
static inline void streamcheck_name_stream(const void *stream, const char *name)
{
	STREAMCHECK_CALL(name_stream, (stream, name));
}

static inline void streamcheck_name_event(const void *event, const char *name)
{
	STREAMCHECK_CALL(name_event, (event, name));
}

static inline void streamcheck_name_memory(const void *start, size_t bytes, const char *name)
{
	STREAMCHECK_CALL(name_memory, (start, bytes, name));
}

/* Which bytes do launches of a kernel touch? `pattern` is compared with its mangled and its
 * readable name; `footprint` is a text of docs/user/declarations.md. */
static inline void streamcheck_declare_kernel(const char *pattern, const char *footprint)
{
	STREAMCHECK_CALL(declare_kernel, (pattern, footprint));
}

/* The same for a whole text, as in a footprints file. */
static inline void streamcheck_declare(const char *text)
{
	STREAMCHECK_CALL(declare, (text));
}

/* What the next kernel launch of this thread touches; several calls add up to the whole footprint
 * of that one launch. */
static inline void streamcheck_launch_rows(const void *start, size_t width, size_t rows,
					   size_t pitch, int mode)
{
	STREAMCHECK_CALL(launch, (start, width, rows, pitch, mode));
}

static inline void streamcheck_launch_reads(const void *start, size_t bytes)
{
	streamcheck_launch_rows(start, bytes, 1, 0, STREAMCHECK_READ);
}

static inline void streamcheck_launch_writes(const void *start, size_t bytes)
{
	streamcheck_launch_rows(start, bytes, 1, 0, STREAMCHECK_WRITE);
}

static inline void streamcheck_launch_updates(const void *start, size_t bytes)
{
	streamcheck_launch_rows(start, bytes, 1, 0, STREAMCHECK_UPDATE);
}

/* A pool of the program hands out [start, start + bytes) of its memory, to be used by work of the
 * stream first; takes the piece back that begins at `start`, to hand it out again in the order of
 * the stream. A null pointer is the default stream, as for CUDA; STREAMCHECK_NO_STREAM: the pool
 * waits for what used the piece before it hands it out again, or leaves that to who gets it. */
static inline void streamcheck_pool_allocate(const void *start, size_t bytes, const void *stream)
{
	STREAMCHECK_CALL(pool_allocate, (start, bytes, stream));
}

static inline void streamcheck_pool_free(const void *start, const void *stream)
{
	STREAMCHECK_CALL(pool_free, (start, stream));
}

/* The pool will not hand the piece out again before the work is done that the stream has when the
 * piece is given back: call it before that. */
static inline void streamcheck_pool_use(const void *start, const void *stream)
{
	STREAMCHECK_CALL(pool_use, (start, stream));
}

/* Races on these bytes are wanted, from now on until the memory is freed. */
static inline void streamcheck_benign(const void *start, size_t bytes, const char *reason)
{
	STREAMCHECK_CALL(benign, (start, bytes, reason));
}

/* Findings and time lines say that what the process does until the end of the range is in it: a
 * test, a phase. The ranges of several threads may overlap. Returns what streamcheck_range_end
 * takes; 0 if the program is not being checked. */
static inline unsigned streamcheck_range_begin(const char *name)
{
	const struct streamcheck_calls *calls = streamcheck_calls();

	if (!calls || offsetof(struct streamcheck_calls, range_begin) >= calls->bytes)
		return 0;
	return calls->range_begin(name);
}

static inline void streamcheck_range_end(unsigned range)
{
	STREAMCHECK_CALL(range_end, (range));
}

/* What this thread does until the matching end is not reported, if it is one of these rules
 * ("SC-101,SC-104"; "" means any); the order that it makes counts all the same. */
static inline void streamcheck_quiet_begin(const char *rules, const char *reason)
{
	STREAMCHECK_CALL(quiet_begin, (rules, reason));
}

static inline void streamcheck_quiet_end(void)
{
	STREAMCHECK_CALL(quiet_end, ());
}

/* The same for all rules. */
static inline void streamcheck_pause(void)
{
	streamcheck_quiet_begin("", "paused by the program");
}

static inline void streamcheck_resume(void)
{
	streamcheck_quiet_end();
}

#include "window.h"

#ifdef __cplusplus
#include "quiet.hpp"
#endif

/* The statement, in a quiet stretch of its own. */
#define STREAMCHECK_SUPPRESS(rules, reason, statement)      \
	do {                                                \
		streamcheck_quiet_begin((rules), (reason)); \
		statement;                                  \
		streamcheck_quiet_end();                    \
	} while (0)
