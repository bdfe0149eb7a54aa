/* Callbacks: host functions between their enqueue and their return (C-1 to C-3).
 *
 * The body of a host function lies inside the interval of its HOST_FUNC op, so whatever it touches
 * carries that op's `when`; two callbacks are never merged because one thread ran both. A callback
 * that is still to come may race with anything that came after its enqueue: `floor` is the host
 * clock at the enqueue of the oldest one, and history below it may be dropped.
 *
 * A signal of a host function publishes all work of the stream before the function, and what the
 * function did so far, but not its end: its return, and what it does after a signal, have a
 * position of their own. A host node's launch has one such position for all of its host nodes.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/interval.h"
#include "base/hash.h"
#include "trace/op.h"

struct sc_graph;

struct sc_callback {
	uint64_t sequence;	 /* of the HOST_FUNC op: key */
	uint32_t execution;	 /* number of the run: key of the second map, 0 before it starts */
	struct sc_interval when; /* `start` owned; grows with waits made inside */
	uint64_t returned;	 /* position of its return, on the same lane */
	bool has_signalled;	 /* its signal does not publish what it does from here on */
	struct sc_clock *host;	 /* owned: host clock at the enqueue */
	struct sc_graph *graph;	 /* counted; of a host node's run, else NULL */
	uint32_t node;
	struct sc_callback *older, *newer; /* neighbours in order of enqueue */
	UT_hash_handle hh, hh_run;
};

struct sc_callbacks {
	struct sc_clock_pool *pool;	  /* borrowed */
	struct sc_callback *by_op;	  /* owned */
	struct sc_callback *by_execution; /* borrowed */
	struct sc_callback *oldest, *newest;
	uint64_t passed; /* that ran when the host waited for them: it does so only in a program
			    that was changed (extensions/repair), and may wait for ever */
	struct sc_clock *handed; /* owned: what callbacks that have begun may have published */
};

void sc_callbacks_fini(struct sc_callbacks *all);
/* A host function was enqueued with this interval. */
void sc_callback_add(struct sc_callbacks *all, uint64_t sequence, const struct sc_interval *when,
		     struct sc_clock *host);
/* A launch will run a host node; `sequence` is that of the op which made the node. */
void sc_callback_add_node(struct sc_callbacks *all, uint64_t sequence,
			  const struct sc_interval *when, struct sc_clock *host,
			  struct sc_graph *graph, uint32_t node);
/* The callback starts to run; false if its enqueue is not known. */
bool sc_callback_begin(struct sc_callbacks *all, uint64_t sequence, uint32_t execution);
void sc_callback_end(struct sc_callbacks *all, uint32_t execution);
/* The running callback of an execution number, or NULL. */
struct sc_callback *sc_callback_find(const struct sc_callbacks *all, uint32_t execution);
/* When it does what the op says. */
struct sc_interval sc_callback_moment(struct sc_callback *c, const struct sc_op *op);
/* True if a callback that has not returned comes before x: host code may now do anything and then
 * notify that callback, which then lets x begin. */
bool sc_callbacks_hold(const struct sc_callbacks *all, const struct sc_interval *x);
/* True if a callback that has not returned comes before y, and is not ordered with x: it may yet do
 * what races with x and not with y. */
bool sc_callbacks_part(const struct sc_callbacks *all, const struct sc_interval *x,
		       const struct sc_interval *y);
/* Forgets callbacks that the host clock contains: they have returned or were never called (C-6). */
void sc_callbacks_pass(struct sc_callbacks *all, const struct sc_clock *host);
/* Below this clock nothing can race any more. */
static inline const struct sc_clock *sc_callbacks_floor(const struct sc_callbacks *all,
							const struct sc_clock *host)
{
	return all->oldest ? all->oldest->host : host;
}
