/* A trace that the recorder's functions write into, and what it says afterwards. */
#pragma once

#include <stdio.h>
#include <unistd.h>
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "trace/reader.h"

/* Opens it in a file of this process and that name; the session is live. */
static inline void open_trace(char path[64], const char *name, uint64_t max_bytes)
{
	snprintf(path, 64, "/tmp/%s.%d.sct", name, getpid());
	unlink(path);
	assert_int_equal(sc_writer_open(&sc_session.writer, path, max_bytes), 0);
	atomic_store(&sc_session.state, SC_LIVE);
}

/* Closes the session; a reader of what was written, to be freed. The file is gone. */
static inline struct sc_reader *close_trace(const char *path)
{
	struct sc_reader *reader;
	char message[200];

	atomic_store(&sc_session.state, SC_CLOSED);
	sc_writer_close(&sc_session.writer);
	assert_int_equal(sc_reader_open(&reader, path, message, sizeof(message)), 0);
	unlink(path);
	return reader;
}

/* The calling thread records something, so that it has something to publish. */
static inline void record_anything(void)
{
	struct sc_op op = sc_put_new(SC_OP_CONTEXT_SYNC);

	sc_put_op(&op, NULL, 0);
}

/* Closes the session: so many releases and acquires were written. */
static inline void written_are(const char *path, unsigned releases, unsigned acquires)
{
	struct sc_reader *reader = close_trace(path);
	struct sc_record r;

	while (sc_reader_next(reader, &r)) {
		releases -= r.op.kind == SC_OP_SYNC_RELEASE;
		acquires -= r.op.kind == SC_OP_SYNC_ACQUIRE;
	}
	sc_reader_free(reader);
	assert_int_equal(releases, 0);
	assert_int_equal(acquires, 0);
}
