/* The trace writer: appends ops to a file mapping from inside the traced program.
 *
 * Safe from any thread and from a signal handler; takes no lock on the way, never allocates from
 * the heap, keeps errno. What was committed survives SIGKILL: the mapping is shared with the file.
 * A record that finds no room (disk full, size limit) is dropped and counted in the header.
 * Room in the file is made in steps ahead of the cursor, so that a full disk is an error here and
 * never a SIGBUS in the program; pages long past leave the resident set. In a long run a thread of
 * its own makes it, because the kernel takes microseconds for each page.
 * Cost of one op: one fetch_add, two cache lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "trace/checksum.h"
#include "trace/given.h"

#define SC_WRITER_PATH_BYTES 512

struct sc_writer {
	struct sc_trace_header *head; /* owned mapping of max_bytes */
	struct sc_slot *slots;	      /* after the header, in the same mapping */
	uint64_t max_slots;
	uint64_t ready_slots;	   /* atomic: slots that the file has room for */
	int fd;			   /* owned; -1 when closed */
	uint32_t growers;	   /* atomic: threads that use fd right now */
	uint32_t maker;		   /* atomic, a futex: thread that makes room, 0: none */
	uint32_t no_allocate;	   /* atomic: the file system has no fallocate */
	uint32_t asked;		   /* atomic, a futex: 1 if room is to be made ahead */
	uint32_t served;	   /* atomic: a thread does that */
	uint32_t is_behind;	   /* atomic: the reader that gives space back has to catch up */
	uint32_t is_marking;	   /* atomic: a thread writes where records were dropped */
	uint64_t marked;	   /* atomic: dropped records that the trace shows the place of */
	uint64_t renewed;	   /* atomic: slots whose page tables are gone */
	uint64_t bound;		   /* most bytes of the disk, 0: as many as max_bytes */
	void (*fall_behind)(void); /* called when is_behind is set; any thread, no signals */
	dev_t device; /* the file's identity: a program may close fd and reuse its number */
	ino_t inode;
	char path[SC_WRITER_PATH_BYTES]; /* absolute, to find the file again then */
};

/* One attachment of an op about to be written; data is borrowed for the call. A logical attachment
 * may be given in pieces: a piece with type 0 continues the one before it. */
struct sc_attachment {
	uint32_t type; /* enum sc_attach, or 0 */
	uint32_t bytes;
	const void *data;
};

#define SC_NOT_WRITTEN UINT64_MAX

/* Creates `path` (must not exist) for at most max_bytes; less if the process's limits on address
 * space or file size are lower. Returns 0 or -errno. */
int sc_writer_open(struct sc_writer *w, const char *path, uint64_t max_bytes);
/* From here on the trace may take so many bytes of the disk, since a reader gives space back that
 * it has read (trace/giver.h). Where only a quarter of this process's share of them is left,
 * `is_behind` is set: the caller makes threads wait, or write less, until sc_writer_has_room. A
 * record that would go beyond the bound is
 * dropped and counted. Before other threads write. */
void sc_writer_bound(struct sc_writer *w, uint64_t bytes, void (*fall_behind)(void));
/* True once enough was given back. */
bool sc_writer_has_room(const struct sc_writer *w);
/* False if the reader has ended, however it did. */
bool sc_writer_is_followed(struct sc_writer *w);
/* True of a record whose space was given back, or is about to be: it must not be touched. */
static inline bool sc_writer_is_given(const struct sc_writer *w, uint64_t sequence)
{
	/* acquire: pairs with the release in sc_giver_take */
	return w->bound &&
	       sequence < __atomic_load_n(&sc_trace_given(w->head)->slots, __ATOMIC_ACQUIRE);
}
/* Cuts the file to what was used and marks it closed. Safe to call while other threads may still
 * write: what they reserved before is kept, their later records are dropped (not counted: the trace
 * has ended). Never unmaps. Once only. */
void sc_writer_close(struct sc_writer *w);
/* Reserves n slots for that many records and makes them safe to touch; the caller fills them as
 * sc_slot_fill does. Returns the first one, or SC_NOT_WRITTEN (counted). Only of an open trace. */
uint64_t sc_writer_reserve(struct sc_writer *w, uint32_t n, uint32_t records);
/* What follows the addition to the cursor that returned `first` (trace/reserve.h): looks whether
 * the trace is open and has room, and makes it. */
uint64_t sc_writer_settle(struct sc_writer *w, uint64_t first, uint32_t n, uint32_t records);
/* Appends one record; returns its sequence number, or SC_NOT_WRITTEN (counted). */
uint64_t sc_writer_put(struct sc_writer *w, const struct sc_op *op,
		       const struct sc_attachment *attachments, unsigned count);
/* Appends ops without attachments, each a record of its own, with one look at the cursor that all
 * threads share. None is written where there is no room for all. */
void sc_writer_put_all(struct sc_writer *w, const struct sc_op *ops, uint32_t count);
/* Replaces the result of a record that was written with SC_RESULT_PENDING. */
static inline void sc_writer_set_result(struct sc_writer *w, uint64_t sequence, int32_t result)
{
	uint8_t *slot;

	if (!w->head || sequence >= w->max_slots || sc_writer_is_given(w, sequence))
		return;
	slot = (uint8_t *)(w->slots + sequence);
	/* The check first: a process that dies in between leaves a result that is pending. */
	__atomic_store_n((uint64_t *)(slot + SC_SLOT_PATCH_CHECK), sc_slot_patch_check(result, 0),
			 __ATOMIC_RELAXED);
	__atomic_store_n((int32_t *)(slot + SC_SLOT_RESULT), result, __ATOMIC_RELEASE);
}
/* Counts what had to be left out; kept whenever the process dies. Ends with the trace. */
void sc_writer_count(struct sc_writer *w, enum sc_gap gap, uint64_t count);
/* Sets bits of enum sc_trace_mark. */
void sc_writer_mark(struct sc_writer *w, uint32_t marks);
/* Says of a host read that was written with SC_RESULT_PENDING that it was a poll; without such a
 * result it was none. */
void sc_writer_set_polled(struct sc_writer *w, uint64_t sequence);
/* Pushes everything to the file system; for use before another process reads a live trace. */
void sc_writer_flush(struct sc_writer *w);
/* True, once, if a thread is wanted that makes room ahead of the writers. */
static inline bool sc_writer_wants_server(struct sc_writer *w)
{
	return __atomic_load_n(&w->asked, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&w->served, __ATOMIC_RELAXED) &&
	       !__atomic_exchange_n(&w->served, 1, __ATOMIC_RELAXED);
}
/* What that thread does until the trace is closed. Who writes and finds no room makes it, or has it
 * when the thread that is making it is through. */
void sc_writer_serve(struct sc_writer *w);
/* In the child of a fork: gives up the parent's trace without touching its content. */
void sc_writer_abandon(struct sc_writer *w);
