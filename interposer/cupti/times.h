/* Device times: CUPTI's activity records, as DEVICE_TIME ops.
 *
 * CUPTI fills buffers that are ours and hands them back on a thread of its own, where their records
 * are written and the buffer goes back to the pool. The pool is bounded: when all its buffers are
 * full CUPTI drops records, and the trace says how many. CUPTI asks for buffers on the program's
 * threads, so they are ready: touched, and cleared on CUPTI's thread. CUPTI is set to use the clock
 * of the calls; where that cannot be set, DEVICE_CLOCK ops pair its clock with ours.
 *
 * A thread of ours stands by to flush, because a thread that crashes may hold CUPTI's locks.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include "interposer/cupti/library.h"
#include "interposer/core/lock.h"
#include "trace/op.h"

#define SC_TIMES_BUFFERS      64
#define SC_TIMES_BUFFER_BYTES (256u << 10)

struct sc_correlations;

struct sc_times_buffer {
	struct sc_times_buffer *next; /* in the free list */
	uint8_t data[SC_TIMES_BUFFER_BYTES] __attribute__((aligned(8)));
};

struct sc_times {
	const struct sc_cupti_calls *calls;
	const struct sc_correlations *links;
	struct sc_lock lock;
	struct sc_times_buffer *free;
	unsigned made;	      /* buffers, of SC_TIMES_BUFFERS at most */
	atomic_uint out;      /* buffers that CUPTI has */
	atomic_bool is_on;    /* records may come */
	atomic_bool is_ended; /* CUPTI is being unloaded: it must not be called any more */
	atomic_bool is_stuck; /* a flush was not answered in time */
	bool is_last;	      /* the flush that is wanted */
	_Atomic uint64_t dropped, unlinked;
	sem_t wanted, done; /* of a flush */
};

/* Turns activity records on; CUPTI will call the two functions for its buffers. Returns false if
 * this CUPTI has none. */
bool sc_times_begin(struct sc_times *t, const struct sc_cupti_calls *calls,
		    const struct sc_correlations *links, CUpti_BuffersCallbackRequestFunc requested,
		    CUpti_BuffersCallbackCompleteFunc completed);
/* Also counts what managed memory moves, where the device can; after cuInit. */
void sc_times_managed(struct sc_times *t);
/* Writes what is known by now, on our own thread; waits for it a second at most. The last one also
 * takes back what has not ended. */
void sc_times_flush(struct sc_times *t, bool is_last);
/* Turns the records off, after a last flush. */
void sc_times_end(struct sc_times *t);
/* What was dropped, as DEVICE_LOST ops. */
void sc_times_count(struct sc_times *t);

/* What the two functions do, and the DEVICE_TIME op of one record; false if the record has nothing
 * to write. */
void sc_times_request(struct sc_times *t, uint8_t **buffer, size_t *size, size_t *most);
void sc_times_take(struct sc_times *t, uint8_t *buffer, size_t valid);
bool sc_times_decode(const CUpti_Activity *record, struct sc_op *op, uint32_t *correlation);
