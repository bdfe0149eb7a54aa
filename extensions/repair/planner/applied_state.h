/* Applied state: of a trace, while edits change it; inside of applied.h. */
#pragma once

#include "extensions/repair/planner/calls.h"
#include "extensions/repair/planner/edges.h"
#include "extensions/repair/planner/edit.h"
#include "extensions/repair/planner/facts.h"
#include "extensions/repair/planner/place.h"
#include "extensions/repair/planner/price.h"
#include "trace/splice.h"

#define SC_APPLIED_DEAD UINT64_MAX /* in sc_applied.streams */

struct sc_applied_stream {
	uint32_t stream, context, thread, event;
	uint64_t at;   /* place of the last first op in it */
	uint32_t user; /* the thread of that */
};

/* Memory that an op was given, which may be on a stack. */
struct sc_applied_buffer {
	uint64_t address[2];
	size_t stream; /* of the edit's */
	uint32_t thread;
};

/* What one edit has done so far. */
struct sc_applied_edit {
	struct sc_edit *edit;
	SC_VECTOR(struct sc_applied_stream) streams; /* of the first op, each once */
	size_t last;				     /* the one that was used last, + 1 */
	uint32_t event;				     /* existing one, recorded last */
	uint32_t event_stream;			     /* in this stream */
	uint64_t covered;			     /* place + 1 of the last work before that */
	/* Of its lines, borrowed; NULL: it stands beside each operation of the line. */
	const struct sc_line_calls *after, *before;
	struct sc_u64_map cursors[2]; /* of sc_line_call_at() */
	uint32_t exec, node;	      /* of a graph: its first node met last, + 1 */
	uint32_t old, target;	      /* of STREAM: of the ops that move, and where they go */
	SC_VECTOR(struct sc_applied_buffer) buffers; /* of FRAME, the newest last */
	SC_VECTOR(struct sc_op) put_off; /* calls that are taken out, and not yet made */
	uint64_t out[2]; /* places where they were taken out and put, the last ones */
	uint64_t moved;	 /* place + 1 of the last of them that the target has no later work to */
};

struct sc_applied_use {
	uint32_t edit;
	uint32_t next; /* + 1 */
	bool is_after; /* the edit's first place; else the other one */
};

struct sc_applied {
	struct sc_splice splice;
	struct sc_places places;
	SC_VECTOR(struct sc_applied_edit) edits;
	SC_VECTOR(struct sc_applied_use) uses; /* of a place by an edit: lists */
	SC_VECTOR(uint32_t) first_use;	       /* of each place, + 1 */
	struct sc_added_edges edges;
	struct sc_trace_facts *facts; /* borrowed */
	struct sc_price price;
	uint64_t at;		   /* place of the record at hand */
	uint64_t waiter;	   /* place of the operation that waits */
	struct sc_u64_map streams; /* flags + 1, or SC_STREAM_IS_DEAD */
	struct sc_u64_map events;  /* 1: destroyed */
	struct sc_u64_map early;   /* 1: a stream's last kernel, or a node, may be complete early */
	uint32_t next_event;
	uint32_t captures;		/* that are open */
	struct sc_u64_map thread_times; /* of each thread's last op; for FRAME */
	uint32_t only_thread; /* that edits make wait, among host threads; 0: all of them */
	bool has_edges, has_moves, has_frames, has_kernels, has_put_off;
	bool has_calls;	   /* an edit stands before or after calls of the program's own functions */
	bool is_each;	   /* whatever may be the begin or the end of a call is one */
	bool has_doubtful; /* there was such an op; known at the end */
};

/* Notes what an op changes that edits ask about. */
void sc_applied_follow(struct sc_applied *a, const struct sc_op *op);
void sc_applied_flaw(struct sc_applied_edit *e, enum sc_edit_flaw flaw);
/* A call that an edit makes beside an op. */
struct sc_op sc_applied_call(const struct sc_op *at, uint16_t kind);
/* Counts a wait of a host thread; true if the thread is to wait. */
bool sc_applied_thread_waits(const struct sc_applied *a, struct sc_applied_edit *e,
			     uint32_t thread);
/* Puts a call that makes the host wait before the record at hand. */
void sc_applied_wait_host(struct sc_applied *a, struct sc_applied_edit *e, struct sc_op op);
/* The flags of a stream that was created; 0 for others. */
uint64_t sc_applied_flags(const struct sc_applied *a, uint32_t stream);
/* True if the thread of an op can name the stream, which is alive; else the edit gets a flaw. */
bool sc_applied_can_name(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at,
			 const struct sc_applied_stream *s);
