/* Agents: lanes of operations, what they come after, who learns of their end. */
#include "analyzer/order/agent.h"

#include <stdlib.h>
#include "base/assert.h"
#include "base/hash.h"
#include "base/heap.h"
#include "trace/agent.h"

struct sc_agent_op {
	uint64_t sequence; /* key */
	struct sc_op op;
	struct sc_point end; /* owned */
	UT_hash_handle hh;
};

static void drop(struct sc_agents *all, struct sc_clock_pool *pool, struct sc_agent_op *x)
{
	HASH_DEL(all->running, x);
	sc_point_put(pool, &x->end);
	free(x);
}

void sc_agents_fini(struct sc_agents *all, struct sc_clock_pool *pool)
{
	while (all->running)
		drop(all, pool, all->running);
	for (size_t i = 0; i < all->ended.count; i++)
		sc_point_put(pool, &all->ended.items[i]);
	sc_vector_fini(&all->ended);
}

bool sc_agent_is_begun(const struct sc_op *op)
{
	return op->kind == SC_OP_AGENT && op->result == SC_RESULT_PENDING;
}

/* What waits for a host function comes after what the function waited for, but no clock of a stream
 * has that; so what a host function begins counts as its own, and as ended with it. */
static void begin_inside(struct sc_step *step)
{
	step->is_agent = 1;
	step->when = sc_callback_moment(step->inside, step->op);
}

/* `base` is what it comes after; owned by the operation from here on. */
static void begin_on(struct sc_agents *all, struct sc_step *step, uint32_t lane,
		     struct sc_clock *base)
{
	struct sc_agent_op *x = sc_heap_xcalloc(1, sizeof(*x));

	x->sequence = step->sequence;
	x->op = *step->op;
	x->end = (struct sc_point){.base = base, .lane = lane, .position = step->sequence + 1};
	HASH_ADD(hh, all->running, sequence, sizeof(x->sequence), x);
	step->is_agent = 1;
	step->when = (struct sc_interval){.start = x->end.base,
					  .lane = x->end.lane,
					  .position = step->sequence + 1,
					  .entered = step->sequence + 1};
}

void sc_agent_begin(struct sc_agents *all, struct sc_host *h, struct sc_step *step)
{
	struct sc_clock *base = NULL;

	sc_assert(step->op->kind == SC_OP_AGENT);
	if (step->inside) {
		begin_inside(step);
		return;
	}
	sc_host_join_into(h, step, &base);
	begin_on(all, step, sc_stream_lane(h->streams), base);
}

void sc_agent_begin_in(struct sc_agents *all, struct sc_host *h, struct sc_stream *s,
		       struct sc_clock *base, struct sc_step *step)
{
	sc_assert(step->op->kind == SC_OP_AGENT && !step->inside);
	if (!s->agent_lane)
		s->agent_lane = sc_stream_lane(h->streams) + 1;
	sc_clock_join_point(h->streams->pool, &base, &s->tail);
	s->agent_position = step->sequence + 1;
	begin_on(all, step, s->agent_lane - 1, base);
}

/* They are not forgotten: who did not wait for them is asked about that. */
static void leave(struct sc_agents *all, struct sc_host *h, const struct sc_step *step)
{
	if (all->is_left)
		return;
	all->is_left = 1;
	for (struct sc_agent_op *x = all->running; x; x = x->hh.next) {
		struct sc_target covers = {.point = x->end};

		sc_host_learn(h, step, &covers);
	}
	/* Of these another thread knows. */
	for (size_t i = 0; i < all->ended.count; i++) {
		struct sc_target covers = {.point = all->ended.items[i]};

		sc_host_learn(h, step, &covers);
	}
}

static void free_lanes(struct sc_agents *all, struct sc_host *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->ended.count; i++) {
		struct sc_point x = all->ended.items[i];

		if (!sc_host_is_over(h, x.lane, x.position)) {
			all->ended.items[kept++] = x;
			continue;
		}
		sc_assert(x.lane < h->streams->lanes);
		sc_vector_push(&h->streams->free_lanes, x.lane);
		sc_point_put(h->streams->pool, &x);
	}
	all->ended.count = kept;
	all->ended_most = 2 * kept;
}

static struct sc_agent_op *find(const struct sc_agents *all, const struct sc_op *end)
{
	uint64_t begin = end->link - 1;
	struct sc_agent_op *x;

	HASH_FIND(hh, all->running, &begin, sizeof(begin), x);
	return x;
}

/* Who learns of the end need not know that the stream has come there: nothing else does it learn.
 */
static struct sc_point bare_end(const struct sc_agent_op *x)
{
	return (struct sc_point){.lane = x->end.lane, .position = x->end.position};
}

void sc_agent_end_in(struct sc_agents *all, struct sc_host *h, struct sc_stream *s,
		     const struct sc_step *step)
{
	struct sc_agent_op *x = find(all, step->op);
	struct sc_point bare;

	sc_assert(step->op->kind == SC_OP_AGENT_END);
	if (x && x->op.stream == s->id) {
		sc_clock_join_point(h->streams->pool, &s->tail.base, &x->end);
		drop(all, h->streams->pool, x);
	} else if (x) {
		bare = bare_end(x);
		sc_clock_join_point(h->streams->pool, &s->tail.base, &bare);
	}
}

/* The lane stays that of its stream. */
static void end_for_host(struct sc_agents *all, struct sc_host *h, const struct sc_step *step,
			 struct sc_agent_op *x)
{
	struct sc_target covers = {.point = bare_end(x)};

	sc_host_learn(h, step, &covers);
	drop(all, h->streams->pool, x);
}

/* The lane is free once whoever uses it next comes after the operation anyway. */
static void end(struct sc_agents *all, struct sc_host *h, const struct sc_step *step,
		struct sc_agent_op *x)
{
	struct sc_target covers = {.point = x->end};

	sc_host_learn(h, step, &covers);
	sc_vector_push(&all->ended, x->end);
	x->end = (struct sc_point){0};
	drop(all, h->streams->pool, x);
	if (all->ended.count > all->ended_most)
		free_lanes(all, h);
}

void sc_agent_end(struct sc_agents *all, struct sc_host *h, const struct sc_step *step)
{
	struct sc_agent_op *x;

	sc_assert(step->op->kind == SC_OP_AGENT_END);
	if (sc_agent_how(step->op) == SC_AGENT_LEFT) {
		leave(all, h, step);
		return;
	}
	x = find(all, step->op);
	if (x && x->op.stream) {
		end_for_host(all, h, step, x);
		return;
	}
	if (x && sc_agent_how(step->op) == SC_AGENT_DESTROYED) {
		all->lost = x->op;
		all->lost_sequence = x->sequence;
	}
	if (x)
		end(all, h, step, x);
}

void sc_agents_visit(const struct sc_agents *all,
		     void (*see)(void *context, const struct sc_op *op, uint64_t sequence),
		     void *context)
{
	for (const struct sc_agent_op *x = all->running; x; x = x->hh.next)
		see(context, &x->op, x->sequence);
}
