/* The trace writer: appends ops to a file mapping from inside the traced program.
 *
 * Safe from any thread and from a signal handler; takes no lock on the way, never allocates from
 * the heap, keeps errno. What was committed survives SIGKILL: the mapping is shared with the file.
 * A record that finds no room (disk full, size limit) is dropped and counted in the header.
 * Cost of one op: one fetch_add, two cache lines.
 */
#ifndef SC_TRACE_WRITER_H
#define SC_TRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include "trace/format.h"

struct sc_writer {
	int fd;			      /* owned; -1 when closed */
	struct sc_trace_header *head; /* owned mapping of max_bytes */
	struct sc_slot *slots;	      /* behind the header, in the same mapping */
	uint64_t max_slots;
	uint64_t ready_slots; /* atomic: slots that the file has room for */
};

/* One attachment of an op about to be written; data is borrowed for the call. A logical attachment
 * may be given in pieces: a piece with type 0 continues the one before it. */
struct sc_attachment {
	uint32_t type; /* enum sc_attach, or 0 */
	uint32_t bytes;
	const void *data;
};

#define SC_NOT_WRITTEN UINT64_MAX

/* Creates `path` (must not exist) for at most max_bytes. Returns 0 or -errno. */
int sc_writer_open(struct sc_writer *w, const char *path, uint64_t max_bytes);
/* Cuts the file to what was used and marks it closed. Safe to call once other threads may still
 * write: their later records are dropped. Never unmaps. */
void sc_writer_close(struct sc_writer *w);
/* Appends one record; returns its sequence number, or SC_NOT_WRITTEN (counted). */
uint64_t sc_writer_put(struct sc_writer *w, const struct sc_op *op,
		       const struct sc_attachment *attachments, unsigned count);
/* Replaces the result of a record that was written with SC_RESULT_PENDING. */
void sc_writer_set_result(struct sc_writer *w, uint64_t sequence, int32_t result);
/* Pushes everything to the file system; for use before another process reads a live trace. */
void sc_writer_flush(struct sc_writer *w);
/* In the child of a fork: gives up the parent's trace without touching its content. */
void sc_writer_abandon(struct sc_writer *w);

#endif
