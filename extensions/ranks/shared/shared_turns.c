/* Shared turns: calls that go on, and turns whose end the host does not know. */
#include "extensions/ranks/shared/shared_turns.h"

#include <string.h>
#include "analyzer/finding/verdict.h"
#include "analyzer/model/model.h"
#include "trace/message.h"

#define TURNS_MOST 1024 /* whose end the host does not know; with more, nothing is proven */
#define LANES_MOST 64	/* of streams, of which only the last turn is named */

static struct sc_stream *stream_of(struct sc_analysis *a, uint32_t id)
{
	const uint64_t *place = sc_u64_map_find(&a->order.streams.by_id, id);

	return place ? (struct sc_stream *)(uintptr_t)*place : NULL;
}

bool sc_shared_turns_has(const struct sc_shared_turns *t, uint32_t thread)
{
	for (size_t i = 0; i < t->open.count; i++)
		if (t->open.items[i].thread == thread && !t->open.items[i].is_pending)
			return 1;
	return 0;
}

/* ---- turns that are not known to be over ---- */

void sc_shared_turns_before(const struct sc_shared_turns *t, const struct sc_interval *now,
			    void (*see)(void *data, uint64_t sequence), void *data)
{
	uint32_t lanes[LANES_MOST];
	unsigned count = 0, k;

	for (size_t i = t->over.count; i-- > 0;) {
		const struct sc_shared_op *x = &t->over.items[i];

		for (k = 0; k < count && lanes[k] != x->when.lane; k++)
			;
		if (k < count || !sc_interval_before(&x->when, now))
			continue;
		if (count < LANES_MOST)
			lanes[count++] = x->when.lane;
		see(data, x->sequence);
	}
}

void sc_shared_ops_learn(struct sc_shared_ops *ops, const struct sc_clock *host,
			 void (*see)(void *data, uint64_t sequence), void *data)
{
	size_t kept = 0;

	for (size_t i = 0; i < ops->count; i++) {
		const struct sc_shared_op *x = &ops->items[i];

		if (sc_clock_at(host, x->when.lane) >= x->when.position)
			see(data, x->sequence);
		else
			ops->items[kept++] = *x;
	}
	ops->count = kept;
}

/* ---- a call begins ---- */

static void keep_after(void *call, uint64_t sequence)
{
	struct sc_shared_call *c = call;

	sc_vector_push(&c->after, sequence);
}

static void keep_lane(void *call, uint32_t lane, uint64_t position)
{
	struct sc_shared_call *c = call;

	sc_vector_push(&c->lanes, ((struct sc_shared_point){lane, position}));
}

static void free_call(struct sc_shared_call *c)
{
	sc_vector_fini(&c->after);
	sc_vector_fini(&c->lanes);
}

static void open_call(struct sc_shared_turns *t, struct sc_analysis *a, const struct sc_record *r,
		      const struct sc_step *step)
{
	struct sc_shared_call c = {.sequence = r->sequence,
				   .thread = r->op.thread,
				   .group = r->op.object,
				   .stream = r->op.stream,
				   .is_pending = r->op.result == SC_RESULT_PENDING};
	struct sc_stream *s = stream_of(a, c.stream);
	struct sc_clock *clock = NULL;
	struct sc_interval now;

	if (s) {
		now = sc_order_next(&a->order, step, s, &clock);
		t->owner.lanes(t->owner.data, &now, keep_lane, &c);
		t->owner.before(t->owner.data, &now, keep_after, &c);
		sc_clock_put(&a->order.pool, clock);
	}
	sc_vector_push(&t->open, c);
}

/* ---- and returns ---- */

static bool is_of(const struct sc_shared_call *x, const struct sc_shared_call *first)
{
	return x->thread == first->thread && x->group == first->group;
}

/* The first of the turn in its stream. */
static bool is_first(const struct sc_shared_turns *t, size_t at)
{
	const struct sc_shared_call *x = &t->open.items[at];

	for (size_t i = 0; i < at; i++)
		if (is_of(&t->open.items[i], x) && t->open.items[i].stream == x->stream)
			return 0;
	return 1;
}

static void put_streams(struct sc_shared_turns *t, const struct sc_shared_call *first)
{
	for (size_t i = 0; i < t->open.count; i++) {
		const struct sc_shared_call *x = &t->open.items[i];

		if (!is_of(x, first) || !is_first(t, i))
			continue;
		for (size_t k = 0; k < x->after.count; k++)
			sc_across_log_note(t->log, SC_ACROSS_AFTER,
					   (struct sc_across_event){.link = x->after.items[k] + 1});
		for (size_t k = 0; k < x->lanes.count; k++)
			sc_across_log_note(
				t->log, SC_ACROSS_COVER,
				(struct sc_across_event){.own = x->lanes.items[k].lane,
							 .group = x->lanes.items[k].position});
		sc_across_log_note(t->log, SC_ACROSS_TURN_AFTER,
				   (struct sc_across_event){.tag = first->sequence + 1,
							    .peer = x->stream,
							    .operation = x->sequence + 1});
	}
}

static void make_room(struct sc_shared_turns *t)
{
	if (t->over.count < TURNS_MOST)
		return;
	t->doubt = SC_DOUBT_PEERS;
	t->over.count /= 2;
	memmove(t->over.items, t->over.items + t->over.count,
		t->over.count * sizeof(*t->over.items));
}

/* A turn of which nothing was seen in the stream (a thread of the library enqueues it later) orders
 * nothing there. */
static void keep_over(struct sc_shared_turns *t, struct sc_analysis *a,
		      const struct sc_shared_call *first)
{
	for (size_t i = 0; i < t->open.count; i++) {
		const struct sc_shared_call *x = &t->open.items[i];
		const struct sc_stream *s = stream_of(a, x->stream);

		if (!is_of(x, first) || !is_first(t, i))
			continue;
		if (!s || s->tail.position <= x->sequence + 1) {
			t->doubt = SC_DOUBT_PEERS;
			continue;
		}
		make_room(t);
		sc_vector_push(&t->over,
			       ((struct sc_shared_op){.sequence = first->sequence,
						      .when = {.lane = s->tail.lane,
							       .position = s->tail.position}}));
	}
}

static void put_turn(struct sc_shared_turns *t, struct sc_analysis *a,
		     const struct sc_shared_call *first)
{
	for (size_t i = 0; i < t->open.count; i++)
		if (is_of(&t->open.items[i], first))
			sc_across_log_note(
				t->log, SC_ACROSS_TURN,
				(struct sc_across_event){.tag = first->sequence + 1,
							 .link = t->open.items[i].sequence + 1});
	put_streams(t, first);
	sc_across_log_note(t->log, SC_ACROSS_TURN_END,
			   (struct sc_across_event){.tag = first->sequence + 1});
	keep_over(t, a, first);
}

static void drop_calls(struct sc_shared_turns *t, uint32_t thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->open.count; i++)
		if (t->open.items[i].thread == thread)
			free_call(&t->open.items[i]);
		else
			t->open.items[kept++] = t->open.items[i];
	t->open.count = kept;
}

/* The communicators of a group of calls have a turn each. */
static void close_calls(struct sc_shared_turns *t, struct sc_analysis *a, const struct sc_record *r)
{
	for (size_t i = 0; i < t->open.count; i++) {
		bool is_one = t->open.items[i].thread == r->op.thread;

		for (size_t k = 0; k < i && is_one; k++)
			is_one = !is_of(&t->open.items[k], &t->open.items[i]);
		if (is_one)
			put_turn(t, a, &t->open.items[i]);
	}
	drop_calls(t, r->op.thread);
}

static bool is_last(const struct sc_shared_turns *t, const struct sc_op *op)
{
	for (size_t i = 0; i < t->open.count; i++)
		if (t->open.items[i].thread == op->thread &&
		    t->open.items[i].sequence + 1 == op->link)
			return 1;
	return 0;
}

bool sc_shared_turns_look(struct sc_shared_turns *t, struct sc_analysis *a,
			  const struct sc_record *r, const struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	enum sc_message kind = sc_message_kind(op->value);

	if (op->kind == SC_OP_GROUP && op->value == SC_GROUP_NCCL)
		*sc_u64_map_get(&t->groups, op->object) = 1;
	else if (op->kind == SC_OP_MESSAGE && (!op->result || op->result == SC_RESULT_PENDING) &&
		 (kind == SC_MESSAGE_COLLECTIVE || kind == SC_MESSAGE_SEND ||
		  kind == SC_MESSAGE_RECEIVE) &&
		 sc_u64_map_find(&t->groups, op->object))
		open_call(t, a, r, step);
	if (op->kind != SC_OP_MESSAGE_END || !is_last(t, op))
		return 0;
	close_calls(t, a, r);
	return 1;
}

/* A call that has returned without saying so enqueued what is not known. */
void sc_shared_turns_end(struct sc_shared_turns *t)
{
	for (size_t i = 0; i < t->open.count; i++) {
		if (!t->open.items[i].is_pending)
			t->doubt = SC_DOUBT_PEERS;
		free_call(&t->open.items[i]);
	}
	sc_vector_fini(&t->open);
	sc_vector_fini(&t->over);
	sc_u64_map_fini(&t->groups);
}
