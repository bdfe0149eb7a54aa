/* The ordering engine: docs/ordering.md 0.3 for sections 1 to 4, 7 and 8.
 *
 * Fed with every record once, in trace order; says for each op when it touches memory
 * (sc_interval), and for each wait what it covered. Naive form: an explicit list of edges and a
 * search for a path, kept in tests/oracle and compared on random scripts. Here every stream keeps
 * the clock of its last op, the host keeps one clock, and all edges are joins at the moment of the
 * call, because in CUDA everything binds when it is called. Cost per op: a few loads and compares;
 * one pass over the lanes in use where something new is learned. Memory: clocks in use, one entry
 * per live stream or event.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/state.h"
#include "analyzer/order/step.h"
#include "trace/reader.h"

/* True for errors that end a context: nothing says which work completed (0.2). */
bool sc_order_is_sticky(int32_t result);
void sc_order_init(struct sc_order *o, const struct sc_analysis_settings *settings);
void sc_order_fini(struct sc_order *o);
/* Takes the next record. */
void sc_order_step(struct sc_order *o, const struct sc_record *record, struct sc_step *step);
/* A step of which nothing is known but the record. */
void sc_order_begin(struct sc_order *o, const struct sc_record *record, struct sc_step *step);
/* The same for work that was enqueued at once, by no callback and into no capture or graph. */
void sc_order_step_routine(struct sc_order *o, const struct sc_record *record,
			   struct sc_step *step);
/* Makes the step's op an op of its stream; for calls of which only that is known. */
void sc_order_enqueue(struct sc_order *o, struct sc_step *step);
/* The moment of an op that the caller would put into the stream now, without putting it there;
 * *clock gets what is complete before it (owned by the caller), and is its start. */
struct sc_interval sc_order_next(struct sc_order *o, const struct sc_step *step,
				 const struct sc_stream *s, struct sc_clock **clock);
/* The step's op waits for something that is not seen. */
void sc_order_wait_unresolved(struct sc_order *o, const struct sc_step *step);
/* A free that may wait for its context, or an allocation after which streams may wait for what
 * other streams did before; neither call promises the wait (H-3). `permissive` trusts both. */
void sc_order_drain(struct sc_order *o, const struct sc_step *step);
/* True if x may be ordered with what host code does now by a hand-over that cannot be seen: by a
 * callback that has begun to a thread, by a thread to a callback that has not returned. */
bool sc_order_is_handed(const struct sc_order *o, const struct sc_interval *x, bool in_callback);
