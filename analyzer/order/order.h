/* The ordering engine: docs/ordering.md 0.3 for sections 1 to 4, 7 and 8.
 *
 * Fed with every record once, in trace order; says for each op when it touches memory (sc_when),
 * and for each wait what it covered. Naive form: an explicit list of edges and a search for a path,
 * kept in tests/oracle and compared on random scripts. Here every stream keeps the clock of its
 * last op, the host keeps one clock, and all edges are joins at the moment of the call, because in
 * CUDA everything binds when it is called. Cost per op: a few loads and compares; one pass over the
 * lanes in use where something new is learned. Memory: clocks in use, one entry per live stream or
 * event.
 */
#ifndef SC_ANALYZER_ORDER_ORDER_H
#define SC_ANALYZER_ORDER_ORDER_H

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "analyzer/order/callback.h"
#include "analyzer/kernel/code.h"
#include "analyzer/order/event.h"
#include "analyzer/graph/exec.h"
#include "analyzer/order/host.h"
#include "analyzer/order/signal.h"
#include "analyzer/order/stream.h"
#include "analyzer/order/kernel_sync.h"
#include "analyzer/order/transfer.h"
#include "trace/reader.h"

/* The host's side: what any thread waited for (T-3, observed; host.h has the threads). */
struct sc_host {
	struct sc_clock *clock; /* owned: what the host waited for */
	uint64_t version;	/* changes with the clock */
	uint32_t thread;	/* the only thread that waited so far, or 0 */
	bool is_shared;		/* several threads waited */
	struct sc_wait_log waits;
};

struct sc_inflight; /* a host wait between BEGIN and END */

struct sc_order {
	enum sc_profile profile;
	unsigned driver;      /* version */
	struct sc_code *code; /* borrowed; NULL: nothing is known of kernels */
	struct sc_clock_pool pool;
	struct sc_host host;
	struct sc_hosts hosts;
	uint64_t at; /* position of the current record */
	struct sc_streams streams;
	struct sc_events events;
	struct sc_callbacks callbacks;
	struct sc_word_signals signals;
	struct sc_kernel_sync talk;
	struct sc_inflight *inflight; /* owned */
	struct sc_execs execs;
	uint64_t foreign_event; /* position of the last wait for an event of another process (E-12)
				 */
	uint64_t foreign; /* position of the last call that may bring an order not seen here */
	bool has_hidden_records; /* events may be recorded by calls that are not followed */
	bool has_sync_memops;	 /* synchronous copies and fills may hold the host always */
	struct sc_clock *staged; /* owned: what the host knew when it read a pageable source */
	struct sc_op ended;	 /* the op whose END was met last */
};

/* What one record did to the order. */
struct sc_step {
	const struct sc_op *op;	    /* for an END, the op of its BEGIN; valid until the next step */
	uint64_t sequence;	    /* of that op */
	struct sc_stream *stream;   /* borrowed; NULL for host ops */
	struct sc_callback *inside; /* callback that made the call, or NULL */
	bool is_enqueued;	    /* work went into `stream`, its interval is `when` */
	bool is_finished;	    /* the call returned and holds what its kind promises */
	bool is_known;		    /* a wait for what was complete or ordered anyway */
	bool is_foreign;	    /* a wait for an event that others may have recorded */
	bool is_never;		    /* a wait for an event that was never recorded */
	bool is_taken;		    /* its touches are checked already (routine.h) */
	bool is_early;		    /* a programmatic kernel right after another kernel (L-2) */
	uint32_t primary;	    /* then that kernel */
	uint64_t waiter;	    /* + 1 of the wait that this write fulfils, but comes after */
	uint64_t by_memory;	    /* + 1 of the wait for memory that alone orders this work */
	struct sc_transfer transfer; /* of a copy or fill */
	struct sc_when when;	     /* of the work; clocks are borrowed until the next step */
	struct sc_when host;	     /* of what the host does in this op, now */
};

void sc_order_init(struct sc_order *o, const struct sc_analysis_settings *settings);
void sc_order_fini(struct sc_order *o);
/* Takes the next record. */
void sc_order_step(struct sc_order *o, const struct sc_record *record, struct sc_step *step);
/* A step of which nothing is known but the record. */
void sc_order_begin(struct sc_order *o, const struct sc_record *record, struct sc_step *step);
/* The same for work that was enqueued at once, by no callback and into no capture or graph. */
void sc_order_step_routine(struct sc_order *o, const struct sc_record *record,
			   struct sc_step *step);
/* Everything that the caller knows comes before what its call puts into the stream (0.2). */
void sc_order_join_caller(struct sc_order *o, const struct sc_step *step);
/* Makes the step's op an op of its stream; for calls of which only that is known. */
void sc_order_enqueue(struct sc_order *o, struct sc_step *step);
/* A free that may wait for its context, or an allocation after which streams may wait for what
 * other streams did before; neither call promises the wait (H-3). `permissive` trusts both. */
void sc_order_drain(struct sc_order *o, const struct sc_step *step);

/* True if no later op can race any more with the one that ends at `position` of the lane. */
static inline bool sc_order_is_past(const struct sc_order *o, uint32_t lane, uint64_t position)
{
	const struct sc_clock *floor = sc_callbacks_floor(&o->callbacks, o->host.clock);

	if (o->hosts.is_strict)
		return !o->callbacks.oldest && sc_hosts_know(o, lane, position);
	return lane == SC_LANE_HOST ? !o->callbacks.oldest : sc_clock_at(floor, lane) >= position;
}

/* True if x may be ordered with what host code does now by a hand-over that cannot be seen: by a
 * callback that has begun to a thread, by a thread to a callback that has not returned. */
bool sc_order_is_handed(const struct sc_order *o, const struct sc_when *x, bool in_callback);

/* True if the call returned success and was really executed. */
static inline bool sc_op_took_effect(const struct sc_op *op)
{
	return op->result == 0 && !(op->flags & SC_FLAG_CAPTURED);
}

#endif
