/* The state of the order: what is known of streams, events, host threads and graphs after the
 * records so far.
 *
 * Plain data. order.h brings it forward; each part of it has a header of its own.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/graph/exec.h"
#include "analyzer/order/agent.h"
#include "analyzer/order/callback.h"
#include "analyzer/order/event.h"
#include "analyzer/order/host.h"
#include "analyzer/order/signal.h"
#include "analyzer/order/stream.h"
#include "analyzer/order/talk.h"
#include "analyzer/order/user_object.h"
#include "analyzer/finding/settings.h"
#include "base/slab.h"

struct sc_code;
struct sc_inflight; /* a host wait between BEGIN and END: host_wait.c */

struct sc_order {
	enum sc_profile profile;
	unsigned driver;      /* version */
	struct sc_code *code; /* borrowed; NULL: nothing is known of kernels */
	struct sc_clock_pool pool;
	struct sc_host host;
	uint64_t at; /* position of the current record */
	struct sc_streams streams;
	struct sc_events events;
	struct sc_callbacks callbacks;
	struct sc_agents agents;
	struct sc_signal_set signals;
	struct sc_talks talks;
	struct sc_inflight *inflight, *last_inflight; /* owned: all but the last one, and that */
	struct sc_slab inflights;		      /* where they come from */
	struct sc_execs execs;
	struct sc_wait_log failed; /* calls that were refused, and what they would have covered: a
				      record is NEVER, with its event; a wait of a stream EVENT,
				      with the stream; one of the host STREAM */
	uint64_t foreign_event; /* position of the last wait for an event of another process (E-12)
				 */
	uint64_t foreign;      /* position of the last call that may bring an order not seen here */
	uint8_t foreign_doubt; /* enum sc_doubt: what is not seen of it */
	bool has_hidden_records; /* events may be recorded by calls that are not followed */
	bool doubts_queries;	 /* settings.is_unasked */
	bool has_sync_memops;	 /* synchronous copies and fills may hold the host always */
	struct sc_user_objects objects;
	struct sc_u64_map opaque_calls; /* effects by string id of a call: opaque_call.c */
	struct sc_clock *staged; /* owned: what the host knew when it read a pageable source */
	struct sc_op ended;	 /* the op whose END was met last */
};

/* The moment of what host code does now, in no callback; all threads are one time line. */
static inline struct sc_interval sc_order_host_now(const struct sc_order *o)
{
	return (struct sc_interval){
		.start = o->host.clock, .lane = SC_LANE_HOST, .position = o->at, .entered = o->at};
}

/* The same, one part after the other, for each op: to copy what was written just now is slow. */
static inline void sc_order_set_host_now(const struct sc_order *o, struct sc_interval *to)
{
	to->start = o->host.clock;
	to->lane = SC_LANE_HOST;
	to->is_thread = 0;
	to->position = to->entered = o->at;
}

/* True if no later op can race any more with the one that ends at `position` of the lane. */
static inline bool sc_order_is_past(const struct sc_order *o, uint32_t lane, uint64_t position)
{
	const struct sc_clock *floor = sc_callbacks_floor(&o->callbacks, sc_host_sure(&o->host));

	if (o->host.is_strict)
		return !o->callbacks.oldest && sc_host_all_know(&o->host, lane, position);
	return lane == SC_LANE_HOST ? !o->callbacks.oldest : sc_clock_at(floor, lane) >= position;
}

static inline void sc_order_note_unseen(struct sc_order *o, uint64_t position, enum sc_doubt doubt)
{
	sc_assert(position > 0 && doubt != SC_DOUBT_NONE);
	o->foreign = position;
	o->foreign_doubt = doubt;
}

/* Why a call after a position may have ordered what came before it; SC_DOUBT_NONE if none may. */
static inline enum sc_doubt sc_order_unseen(const struct sc_order *o, uint64_t from)
{
	return o->foreign > from ? (enum sc_doubt)o->foreign_doubt : SC_DOUBT_NONE;
}
