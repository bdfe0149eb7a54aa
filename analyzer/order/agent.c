/* Agents: lanes of operations, what they come after, who learns of their end. */
#include "analyzer/order/agent.h"

#include <stdlib.h>
#include <uthash.h>
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

void sc_agent_begin(struct sc_agents *all, struct sc_host *h, struct sc_step *step)
{
	struct sc_agent_op *x;

	if (step->inside) {
		begin_inside(step);
		return;
	}
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->sequence = step->sequence;
	x->op = *step->op;
	x->end.lane = sc_stream_lane(h->streams);
	x->end.position = step->sequence + 1;
	sc_host_join_into(h, step, &x->end.base);
	HASH_ADD(hh, all->running, sequence, sizeof(x->sequence), x);
	step->is_agent = 1;
	step->when = (struct sc_interval){.start = x->end.base,
					  .lane = x->end.lane,
					  .position = step->sequence + 1,
					  .entered = step->sequence + 1};
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
		sc_vector_push(&h->streams->free_lanes, x.lane);
		sc_point_put(h->streams->pool, &x);
	}
	all->ended.count = kept;
	all->ended_most = 2 * kept;
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
	uint64_t begin = step->op->link - 1;
	struct sc_agent_op *x;

	if (sc_agent_how(step->op) == SC_AGENT_LEFT) {
		leave(all, h, step);
		return;
	}
	HASH_FIND(hh, all->running, &begin, sizeof(begin), x);
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
