/* Streams: tails, and the implicit ordering of the legacy stream (S-1 to S-8).
 *
 * A stream's tail is a point: its last op, and all that op came after. Lanes are given out with the
 * first op and are used again once a destroyed stream's tail is known to the host, since everything
 * later comes after that tail anyway; so clocks stay as wide as the streams in use. */
#pragma once

#include <stdbool.h>
#include "analyzer/order/context.h"
#include "analyzer/order/wait.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/vector.h"
#include "trace/op.h"

#define SC_LANE_NONE (UINT32_MAX - 1)
#define SC_FORKS_MAX 32

/* The kernel that a stream ends with, records and waits not counted; a programmatic one may start
 * as early as this one did (L-2). */
struct sc_last_kernel {
	uint64_t position;	/* of its end; 0: the stream's last op is no kernel */
	uint64_t before;	/* of the op before the kernel, if it is on the stream's own lane */
	uint32_t lane;		/* its own: the stream's, or one beside it */
	uint32_t kernel;	/* id */
	struct sc_clock *start; /* owned: what it came after, if it is on a lane beside */
};

/* A wait for a word in memory that joined something new (W-2). */
struct sc_by_memory {
	uint64_t wait; /* its sequence + 1 */
	uint32_t lane; /* of the write that it waited for */
	uint64_t position;
};

/* What most ops look at or change is in the first two cache lines. */
struct sc_stream {
	struct sc_context *context; /* borrowed */
	struct sc_point tail;	    /* owned */
	struct sc_wait_log waits;
	uint64_t host_version;	/* of the host clock that the tail contains */
	uint64_t awaited;	/* version of the context's order that the tail contains */
	struct sc_green *green; /* borrowed: the green context that it was made in, or NULL */
	uint64_t pushed;	/* position of the last op, which may return later (tail) */
	uint64_t last_work;	/* position of the last op that moves or computes data */
	uint32_t id;
	uint32_t flags;	      /* SC_FLAG_LEGACY, _PER_THREAD, _NON_BLOCKING */
	uint32_t last_thread; /* that enqueued the last work */
	uint16_t beside_used; /* lanes beside, since the last op that came after all of them */
	bool is_new;	      /* among its context's news */
	bool is_by_memory;    /* `by_memory` is there */
	struct sc_last_kernel last_kernel;
	uint64_t last_lasting; /* of the last of these that may be missed (is_lasting) */
	struct sc_by_memory by_memory;
	struct sc_stream *next, **link, *next_new; /* in lists of the context; of its news */
	uint64_t green_awaited;			   /* the same of the green context's */
	uint64_t destroyed;			   /* position of the destroy call */
	uint32_t agent_lane;	    /* + 1: of operations that it began (agent.h); 0: none */
	uint64_t agent_position;    /* of the last of these */
	SC_VECTOR(uint32_t) beside; /* lanes of kernels that run beside the stream's order */
};
_Static_assert(offsetof(struct sc_stream, last_kernel.start) <= 2 * SC_CACHE_LINE, "two lines");

#define SC_STREAMS_RECENT 2048

struct sc_streams {
	struct sc_clock_pool *pool; /* borrowed */
	struct sc_slab slab;
	struct sc_u64_map by_id;		     /* struct sc_stream * */
	struct sc_stream *recent[SC_STREAMS_RECENT]; /* borrowed: by low bits of the id, or NULL */
	struct sc_u64_map contexts_by_id;	     /* struct sc_context * */
	struct sc_context *contexts;		     /* owned, newest first */
	struct sc_green *greens;		     /* owned, newest first; few, if any */
	struct sc_u64_map greens_by_id;		     /* struct sc_green * */
	SC_VECTOR(uint32_t) free_lanes;
	struct sc_clock *begun;	 /* owned: complete before the current early kernel waits, */
	bool has_begun;		 /* if it is known; all that is in its stream's order otherwise */
	uint32_t lanes;		 /* given out so far */
	uint32_t dead, dead_max; /* destroyed streams; look for some to forget beyond this */
	size_t dead_contexts, remembered; /* not yet forgotten; so many stay, 0: all */
};

void sc_streams_fini(struct sc_streams *all);
struct sc_context *sc_context_of(struct sc_streams *all, uint32_t id);
/* The green context of an id; NULL for id 0. */
struct sc_green *sc_green_of(struct sc_streams *all, uint32_t id, uint8_t device);
/* The slow part of sc_stream_of. */
struct sc_stream *sc_stream_look_up(struct sc_streams *all, uint32_t id, uint32_t context);
/* The stream of an op; unknown ones appear as blocking streams of the context. NULL for id 0. */
static inline struct sc_stream *sc_stream_of(struct sc_streams *all, uint32_t id, uint32_t context)
{
	struct sc_stream *s = all->recent[id % SC_STREAMS_RECENT];

	return s && s->id == id ? s : sc_stream_look_up(all, id, context);
}
struct sc_stream *sc_stream_create(struct sc_streams *all, uint32_t id, uint32_t context,
				   uint32_t flags);
/* The context's legacy stream, made if no op used it so far. */
struct sc_stream *sc_stream_legacy(struct sc_streams *all, struct sc_context *context);
/* Whether everybody knows that a point is complete; its lane may then be another stream's. */
struct sc_stream_known {
	bool (*is_known)(const void *data, const struct sc_point *p);
	const void *data;
};
/* The handle is destroyed after the last op; the stream is forgotten once its work is known. S-8 */
void sc_stream_destroy(struct sc_streams *all, struct sc_stream *s, uint64_t position,
		       const struct sc_stream_known *known);
/* A context died: older dead ones are forgotten, with all that is known to be complete. */
void sc_context_forget_older(struct sc_streams *all, const struct sc_stream_known *known);

static inline bool sc_stream_is_legacy(const struct sc_stream *s)
{
	return s->context->legacy == s;
}
/* Ordered with the context's legacy stream (S-2). */
bool sc_stream_is_blocking(const struct sc_stream *s);
/* True if the stream's next op comes after the point anyway. */
static inline bool sc_stream_knows(const struct sc_stream *s, const struct sc_point *p)
{
	return p->lane == s->tail.lane ? p->position <= s->tail.position
				       : sc_point_is_surely_in(p, s->tail.base);
}
/* Joins what S-3 orders before the stream's next op, if its tail has all of before `since`. */
void sc_stream_join_implicit(struct sc_streams *all, struct sc_stream *s, uint64_t since);
/* The context's streams with ops, the last used first; in that order until the next op. */
struct sc_stream *sc_context_streams(struct sc_context *context);
/* The stream's last op, a host function or a launch with host functions, may notify others before
 * it returns (C-1): its return gets a position of its own. The next position is free, as no op
 * takes the tail without a record. */
void sc_stream_part_return(struct sc_stream *s);
/* The position of the op before the one at `position`; lower than that, though the return of the op
 * before may have the same position. */
static inline uint64_t sc_stream_position_before(const struct sc_stream *s, uint64_t position)
{
	return s->tail.position < position ? s->tail.position : s->pushed;
}
/* A lane that nothing is on; one for a kernel beside the stream's last, SC_LANE_NONE: too many. */
uint32_t sc_stream_lane(struct sc_streams *all);
uint32_t sc_stream_take_beside(struct sc_streams *all, struct sc_stream *s);
/* As a push, for an op that comes after `start` only (handed over). */
void sc_stream_push_beside(struct sc_streams *all, struct sc_stream *s, uint32_t lane,
			   struct sc_clock *start, uint64_t position, struct sc_interval *when);
/* Adds to a target what the host does not know of the stream yet. */
void sc_stream_add_to_target(struct sc_streams *all, struct sc_target *t, struct sc_stream *s,
			     const struct sc_clock *host);
/* What a wait for the stream covers (H-1, S-4). */
struct sc_target sc_stream_target(struct sc_streams *all, struct sc_stream *s,
				  const struct sc_clock *host);
/* The stream gets an op at `position`; *when gets its interval. */
void sc_stream_push(struct sc_streams *all, struct sc_stream *s, uint64_t position,
		    struct sc_interval *when);
/* An op that is no kernel goes into the stream, after everything else. */
static inline void sc_stream_end_kernel(struct sc_stream *s)
{
	s->last_kernel.position = 0;
	s->beside_used = 0;
}
