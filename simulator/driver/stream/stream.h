/* Streams: in-order queues and the implicit order between them (ordering rules S-1 to S-8).
 *
 * A stream is its last op. An op enqueued into a blocking stream also follows the last op of the
 * legacy stream; one enqueued into the legacy stream follows the last ops of all blocking streams
 * of its context. A destroyed stream stays in its context's list until its last op is done, since
 * the legacy stream and context synchronization still cover it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/graph/edges.h"
#include "simulator/driver/schedule/op.h"

struct sim_capture;
struct sim_node_set;

/* Attributes that are kept and change nothing here. */
enum { SIM_STREAM_WINDOW, SIM_STREAM_DOMAIN, SIM_STREAM_DOMAIN_MAP, SIM_STREAM_HINTS };

struct CUstream_st {
	CUcontext context;
	uint64_t id;
	unsigned int flags; /* CU_STREAM_NON_BLOCKING or 0 */
	int priority;
	bool is_legacy;
	bool is_destroyed;
	uint64_t owner;	     /* the thread whose per-thread stream this is, else 0 */
	struct sim_op *tail; /* counted; NULL: nothing was enqueued yet */
	uint64_t op_count;
	uint64_t work_count;   /* of them, those that do something */
	uint64_t kernel_count; /* op_count after the last kernel: no op came since if equal */
	struct sim_op *before_kernel; /* counted; what that kernel follows */
	unsigned int refusals;	      /* NOT_READY answers since the last progress */
	struct sim_capture *capture;  /* counted; NULL: not capturing */
	struct sim_edges heads;	      /* capturing: what the next node depends on */
	CUgraphNode kernel_head;      /* borrowed; the stream's last node if that is a kernel */
	CUsynchronizationPolicy sync_policy;
	CUstreamAttrValue hints[SIM_STREAM_HINTS];
	uint64_t green;		      /* id of the green context that it was made in, or 0 */
	unsigned int multiprocessors; /* then: of that green context */
	CUstream next, *at;	      /* the next of its context, and what leads to this one */
};

/* The stream a handle means to the caller: resolves 0, 1 and 2 and checks the context's error. */
CUresult sim_stream_get(CUstream handle, CUstream *stream);

/* sim_stream_get() for work that is enqueued: also what a capture elsewhere forbids (G-4). */
CUresult sim_stream_get_for_work(CUstream handle, CUstream *stream);

/* A new stream of a context, in its list. NULL when out of memory. */
CUstream sim_stream_new(CUcontext context, unsigned int flags, int priority);

/* Prepares an op for a stream, ordered after what must come first; see sim_stream_commit(). */
struct sim_op *sim_stream_prepare(CUstream stream, const struct sim_work *work);

/* Makes a prepared op the stream's last and lets it run; drops the caller's reference. */
void sim_stream_commit(CUstream stream, struct sim_op *op);

/* Both; takes the work's references over. */
CUresult sim_stream_submit(CUstream stream, const struct sim_work *work);

/*
 * The same for a kernel. One that `may_overlap` the kernel right before it need only follow the
 * start of that kernel (L-2); schedules that defer make use of it. As kernels have no effects here,
 * it follows what that kernel follows. Work after both follows both.
 */
CUresult sim_stream_submit_kernel(CUstream stream, const struct sim_kernel *kernel,
				  bool may_overlap);

/* Enqueues a join: later work of the stream also follows `op`, which may be NULL. */
CUresult sim_stream_join(CUstream stream, struct sim_op *op);

/*
 * Visits what belongs to a context whatever the stream, default ones too, until that fails: for a
 * primary context with what is in green ones, for one made from a green context the streams of that
 * one only, which can also be named by its id (S-9).
 */
bool sim_stream_visit(CUcontext context, uint64_t green, bool (*visit)(CUstream, void *),
		      void *data);

/* `op` follows everything in the legacy and the blocking streams of the context. */
bool sim_stream_follow_blocking(struct sim_op *op, CUcontext context);

/* Blocks until the stream is empty; legacy covers the blocking streams (S-4). */
CUresult sim_stream_wait(CUstream stream);

/* True when the legacy stream orders itself with this one. */
static inline bool sim_stream_is_blocking(const struct CUstream_st *stream)
{
	return !stream->is_legacy && !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* The stream was destroyed: it is dropped when its work is done. */
void sim_stream_retire(CUstream stream);

/* Drops a stream that its context no longer needs. */
void sim_stream_free(CUstream stream);

/* The per-thread streams of a thread that ends, or all of a context's streams, die. */
void sim_stream_release_thread(uint64_t thread);
