/* Steps: what one record did to the order; input of every rule. */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/interval.h"
#include "analyzer/order/transfer.h"
#include "trace/op.h"
#include "trace/op_class.h"

struct sc_stream;
struct sc_callback;

/* What one record did to the order. */
struct sc_step {
	const struct sc_op *op;	    /* for an END, the op of its BEGIN; valid until the next step */
	uint64_t sequence;	    /* of that op */
	struct sc_stream *stream;   /* borrowed; NULL for host ops */
	struct sc_callback *inside; /* callback that made the call, or NULL */
	bool is_enqueued;	    /* work went into `stream`, its interval is `when` */
	bool is_agent;		    /* an agent's operation begins, its interval is `when` */
	bool is_finished;	    /* the call returned and holds what its kind promises */
	bool is_known;		    /* a wait for what was complete or ordered anyway */
	bool is_foreign;	    /* a wait for an event that others may have recorded */
	bool is_never;		    /* a wait for an event that was never recorded */
	bool is_early;		    /* a programmatic kernel right after another kernel (L-2) */
	uint32_t primary;	    /* then that kernel */
	uint64_t waiter;	    /* + 1 of the wait that this write fulfils, but comes after */
	uint64_t executed;  /* of a graph's node: what it touched (access/executed.h), or 0 */
	uint64_t by_memory; /* + 1 of the wait for memory that alone orders this work */
	struct sc_transfer transfer; /* of a copy or fill */
	struct sc_interval when;     /* of the work; clocks are borrowed until the next step */
	struct sc_interval host;     /* of what the host does in this op, now */
};

/* True if the call returned success and was really executed. */
static inline bool sc_op_took_effect(const struct sc_op *op)
{
	return op->result == 0 && !(op->flags & SC_FLAG_CAPTURED);
}

/* A wait, or a copy that the caller waits for, that has not returned, or whose beginning was read
 * before it did, because the trace was still written: the END has the result. What it covers is
 * what was enqueued when it began. */
static inline bool sc_op_begins_wait(const struct sc_op *op)
{
	enum sc_op_class class = sc_op_kind_class(op->kind);

	return op->phase == SC_PHASE_BEGIN && op->result == SC_RESULT_PENDING &&
	       !(op->flags & SC_FLAG_CAPTURED) &&
	       (class == SC_CLASS_WAIT || class == SC_CLASS_ENQUEUE);
}
