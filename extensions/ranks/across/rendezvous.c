/* Rendezvous: turns, the meetings of their messages, and what waits for them. */
#include "extensions/ranks/across/rendezvous.h"

#include <stdlib.h>
#include "base/heap.h"

struct sc_turn_message {
	struct sc_match_key key;
	struct sc_across_event event;
	struct sc_nccl_key meeting;
	UT_hash_handle hh;
};

struct sc_turn {
	struct sc_awaiting begin; /* the first member: turns that it comes after; its clock has
				     what it comes after */
	struct sc_match_key key;  /* of its first message */
	struct sc_clock *after;	  /* owned: what those come after that come after it */
	unsigned needs;		  /* meetings that are not there */
	bool is_closed, has_begun, is_over;
	bool is_learned; /* it is of no use once it is over */
	SC_VECTOR(struct sc_turn_meeting *) meetings;
	SC_VECTOR(struct sc_awaiting *) waiting; /* owned */
	UT_hash_handle hh;
};

/* One operation of a turn. */
struct member {
	struct sc_turn *turn;
	bool gives, takes, has_begun;
};

struct sc_turn_meeting {
	struct sc_nccl_key key;
	struct sc_across_event event;		   /* of the first that came to it */
	unsigned expected, joined, begun, missing; /* missing: those that give and have not begun */
	bool is_there;
	struct sc_clock *clock; /* owned: of those that give */
	SC_VECTOR(struct member) members;
	UT_hash_handle hh;
};

/* A host that knows that a turn is over. */
struct host {
	struct sc_awaiting awaiting; /* the first member */
	unsigned process;
	uint64_t time_ns;
};

/* ---- turns ---- */

static struct sc_turn *turn_at(const struct sc_rendezvous *r, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_turn *t;

	HASH_FIND(hh, r->turns, &key, sizeof(key), t);
	return t;
}

static void free_turn(struct sc_rendezvous *r, struct sc_turn *t)
{
	HASH_DEL(r->turns, t);
	sc_clock_put(&r->knowledge->pool, t->begin.clock);
	sc_clock_put(&r->knowledge->pool, t->after);
	sc_vector_fini(&t->meetings);
	sc_vector_fini(&t->waiting);
	free(t);
}

static void note_over(struct sc_rendezvous *r, struct sc_turn *t)
{
	if (t->is_over || !t->has_begun || !t->is_closed || t->needs)
		return;
	t->is_over = 1;
	sc_vector_push(&r->ready, t);
}

/* Tells those that wait. Who goes on may make further turns be over. */
static void settle(struct sc_rendezvous *r)
{
	if (r->is_settling)
		return;
	r->is_settling = 1;
	for (size_t i = 0; i < r->ready.count; i++) {
		struct sc_turn *t = r->ready.items[i];

		sc_clock_join(&r->knowledge->pool, &t->after, t->begin.clock);
		for (size_t k = 0; k < t->waiting.count; k++) {
			struct sc_awaiting *a = t->waiting.items[k];

			sc_clock_join(&r->knowledge->pool, &a->clock, t->after);
			if (!--a->missing)
				a->go_on(r, a);
		}
		sc_vector_clear(&t->waiting);
		if (t->is_learned && !r->has_given_up)
			free_turn(r, t);
	}
	sc_vector_clear(&r->ready);
	r->is_settling = 0;
}

/* ---- meetings ---- */

static void drop_meeting(struct sc_rendezvous *r, struct sc_turn_meeting *x)
{
	HASH_DEL(r->meetings, x);
	sc_clock_put(&r->knowledge->pool, x->clock);
	sc_vector_fini(&x->members);
	free(x);
}

static struct sc_turn_meeting *meeting_of(struct sc_rendezvous *r,
					  const struct sc_turn_message *message)
{
	const struct sc_match_group *g = sc_match_group(r->match, message->event.group);
	struct sc_turn_meeting *x;

	sc_hash_get(r->meetings, key, message->meeting, x);
	if (x->expected)
		return x;
	x->event = message->event;
	x->expected = sc_nccl_expected(g, &x->key);
	x->missing = sc_nccl_givers(g, &x->event);
	x->is_there = !x->missing;
	r->is_unsure |= sc_across_kind(&x->event) == SC_MESSAGE_COLLECTIVE &&
			sc_message_flow(x->event.value) == SC_FLOW_NONE;
	return x;
}

/* All have begun that give: those that take have what they need. */
static void meet(struct sc_rendezvous *r, struct sc_turn_meeting *x)
{
	x->is_there = 1;
	for (size_t i = 0; i < x->members.count; i++) {
		struct member *m = &x->members.items[i];

		if (!m->takes || !m->turn)
			continue;
		sc_clock_join(&r->knowledge->pool, &m->turn->after, x->clock);
		m->turn->needs--;
		note_over(r, m->turn);
		if (m->has_begun)
			m->turn = NULL;
	}
}

/* The ranks do not agree on what this is. */
static void spoil(struct sc_rendezvous *r, struct sc_turn_meeting *x)
{
	r->is_unsure = 1;
	if (!x->is_there)
		meet(r, x);
}

static void join(struct sc_rendezvous *r, struct sc_turn *t, const struct sc_turn_message *message)
{
	struct sc_turn_meeting *x = meeting_of(r, message);
	struct member m = {.turn = t,
			   .gives = sc_nccl_gives(&message->event),
			   .takes = sc_nccl_takes(&message->event)};

	if (!sc_nccl_is_same(&x->event, &message->event))
		spoil(r, x);
	x->joined++;
	if (m.takes && x->is_there)
		sc_clock_join(&r->knowledge->pool, &t->after, x->clock);
	t->needs += m.takes && !x->is_there;
	sc_vector_push(&x->members, m);
	sc_vector_push(&t->meetings, x);
}

/* It may have several operations in one meeting: a send to itself, and its receive. */
static void begin_in(struct sc_rendezvous *r, struct sc_turn *t, struct sc_turn_meeting *x)
{
	for (size_t i = 0; i < x->members.count; i++) {
		struct member *m = &x->members.items[i];

		if (m->turn != t || m->has_begun)
			continue;
		m->has_begun = 1;
		x->begun++;
		if (m->gives) {
			sc_clock_join(&r->knowledge->pool, &x->clock, t->begin.clock);
			if (x->missing && !--x->missing && !x->is_there)
				meet(r, x);
		}
		if (!m->takes || x->is_there)
			m->turn = NULL;
	}
}

static bool is_among(const struct sc_turn *t, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (t->meetings.items[i] == t->meetings.items[at])
			return 1;
	return 0;
}

static void begin(struct sc_rendezvous *r, struct sc_turn *t)
{
	if (t->has_begun)
		return;
	t->has_begun = 1;
	for (size_t i = 0; i < t->meetings.count; i++)
		if (!is_among(t, i))
			begin_in(r, t, t->meetings.items[i]);
	for (size_t i = 0; i < t->meetings.count; i++)
		if (!is_among(t, i) &&
		    t->meetings.items[i]->begun == t->meetings.items[i]->expected)
			drop_meeting(r, t->meetings.items[i]);
	sc_vector_clear(&t->meetings);
	note_over(r, t);
}

/* ---- things that wait ---- */

void sc_rendezvous_await(struct sc_rendezvous *r, unsigned process, struct sc_awaiting *a)
{
	struct sc_rendezvous_process *p = &r->processes[process];

	for (size_t i = 0; i < p->after.count; i++) {
		struct sc_turn *t = p->after.items[i];

		if (t->is_over) { /* by now */
			sc_clock_join(&r->knowledge->pool, &a->clock, t->after);
			continue;
		}
		a->missing++;
		sc_vector_push(&t->waiting, a);
	}
	sc_vector_clear(&p->after);
	if (!a->missing)
		a->go_on(r, a);
}

bool sc_rendezvous_after(struct sc_rendezvous *r, unsigned process, uint64_t sequence,
			 struct sc_clock **after)
{
	struct sc_turn *t = turn_at(r, process, sequence);

	if (!t)
		return 0;
	if (t->is_over)
		sc_clock_join(&r->knowledge->pool, after, t->after);
	else
		sc_vector_push(&r->processes[process].after, t);
	return 1;
}

static void let_know(struct sc_rendezvous *r, unsigned process, struct sc_clock *clock,
		     uint64_t time_ns)
{
	struct sc_knowledge *k = r->knowledge;

	if (r->learned)
		r->learned(r->data, clock, time_ns);
	sc_clock_join(&k->pool, &k->of[process].clock, clock);
}

static void release_host(struct sc_rendezvous *r, struct sc_awaiting *self)
{
	struct host *h = (struct host *)self;
	struct sc_knowledge *k = r->knowledge;

	let_know(r, h->process, self->clock, h->time_ns);
	sc_clock_put(&k->pool, self->clock);
	k->hold(k->hold_data, h->process, 0);
	free(h);
}

static void drop_host(struct sc_rendezvous *r, struct sc_awaiting *self)
{
	sc_clock_put(&r->knowledge->pool, self->clock);
	free(self);
}

bool sc_rendezvous_learn(struct sc_rendezvous *r, unsigned process, const struct sc_across_event *e)
{
	struct sc_turn *t = turn_at(r, process, e->link - 1);
	struct sc_knowledge *k = r->knowledge;
	struct host *h;

	if (!t)
		return 0;
	if (t->is_over) {
		let_know(r, process, t->after, e->time_ns);
		if (!r->has_given_up)
			free_turn(r, t);
		return 1;
	}
	t->is_learned = 1;
	h = sc_heap_xcalloc(1, sizeof(*h));
	*h = (struct host){.awaiting = {.missing = 1, .go_on = release_host, .drop = drop_host},
			   .process = process,
			   .time_ns = e->time_ns};
	sc_vector_push(&t->waiting, &h->awaiting);
	k->hold(k->hold_data, process, 1);
	return 1;
}

void sc_rendezvous_give_up(struct sc_rendezvous *r)
{
	r->is_unsure = r->has_given_up = 1;
	for (struct sc_turn *t = r->turns; t; t = t->hh.next)
		if (!t->is_over) {
			t->is_over = 1;
			sc_vector_push(&r->ready, t);
		}
	settle(r);
}

/* ---- events ---- */

static void begin_turn(struct sc_rendezvous *r, struct sc_awaiting *self)
{
	begin(r, (struct sc_turn *)self);
}

static struct sc_turn *own_turn(struct sc_rendezvous *r, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_turn *t;

	sc_hash_get(r->turns, key, key, t);
	if (t->begin.go_on)
		return t;
	t->begin.missing = 1; /* until it is closed */
	t->begin.go_on = begin_turn;
	return t;
}

static void see_message(struct sc_rendezvous *r, unsigned process, const struct sc_across_event *e)
{
	struct sc_turn_message *x;

	if (!sc_nccl_is_operation(r->match, e) || e->has_failed)
		return;
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->key = (struct sc_match_key){.sequence = e->sequence, .process = process};
	x->event = *e;
	x->meeting = sc_nccl_number(&r->numbers, e);
	HASH_ADD(hh, r->messages, key, sizeof(x->key), x);
}

/* Its communicator is not known any more, or has ranks without a trace that it needs. */
static bool is_followed(const struct sc_rendezvous *r, const struct sc_across_event *e)
{
	const struct sc_match_group *g = sc_match_group(r->match, e->group);

	return g && sc_nccl_is_known(g) &&
	       (sc_across_kind(e) == SC_MESSAGE_COLLECTIVE ||
		(e->peer && sc_match_member(g, e->peer - 1)));
}

static void add(struct sc_rendezvous *r, struct sc_turn *t, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_turn_message *x;

	HASH_FIND(hh, r->messages, &key, sizeof(key), x);
	if (!x)
		return;
	HASH_DEL(r->messages, x);
	if (is_followed(r, &x->event))
		join(r, t, x);
	else
		r->is_unsure = 1;
	free(x);
}

/* What was before the turn in one of its streams. */
static void put_after(struct sc_rendezvous *r, struct sc_turn *t, const struct sc_across_event *e,
		      unsigned process, struct sc_clock *now)
{
	struct sc_clock_pool *pool = &r->knowledge->pool;

	sc_clock_raise(pool, &now, process, e->operation);
	sc_clock_join(pool, &t->begin.clock, now);
	sc_clock_put(pool, now);
	sc_rendezvous_await(r, process, &t->begin);
}

/* Nothing more is known of the group: who waits for others there goes on. */
static void leave(struct sc_rendezvous *r, uint64_t group)
{
	for (struct sc_turn_meeting *x = r->meetings; x; x = x->hh.next)
		if (x->key.group == group)
			spoil(r, x);
	settle(r);
}

static void close_turn(struct sc_rendezvous *r, struct sc_turn *t)
{
	t->is_closed = 1;
	if (!--t->begin.missing)
		begin(r, t);
	settle(r);
}

void sc_rendezvous_take(struct sc_rendezvous *r, unsigned process, const struct sc_across_event *e,
			struct sc_clock *now)
{
	const struct sc_match_group *g = e->own ? sc_match_group(r->match, e->group) : NULL;

	if (e->what == SC_ACROSS_MESSAGE) {
		see_message(r, process, e);
		if (g && !sc_nccl_is_known(g))
			leave(r, e->group);
	} else if (e->what == SC_ACROSS_TURN) {
		add(r, own_turn(r, process, e->tag - 1), process, e->link - 1);
	} else if (e->what == SC_ACROSS_TURN_AFTER) {
		put_after(r, own_turn(r, process, e->tag - 1), e, process, now);
	} else if (e->what == SC_ACROSS_TURN_END) {
		close_turn(r, own_turn(r, process, e->tag - 1));
	}
}

/* ---- begin and end ---- */

void sc_rendezvous_init(struct sc_rendezvous *r, struct sc_knowledge *k, void *data)
{
	*r = (struct sc_rendezvous){.knowledge = k,
				    .match = k->match,
				    .data = data,
				    .processes =
					    sc_heap_xcalloc(k->count + 1u, sizeof(*r->processes))};
}

static void drop_waiting(struct sc_rendezvous *r, struct sc_turn *t)
{
	for (size_t i = 0; i < t->waiting.count; i++) {
		struct sc_awaiting *a = t->waiting.items[i];

		if (!--a->missing && a->drop)
			a->drop(r, a);
	}
	sc_vector_clear(&t->waiting);
}

void sc_rendezvous_fini(struct sc_rendezvous *r)
{
	while (r->messages) {
		struct sc_turn_message *x = r->messages;

		HASH_DEL(r->messages, x);
		free(x);
	}
	while (r->meetings)
		drop_meeting(r, r->meetings);
	for (struct sc_turn *t = r->turns; t; t = t->hh.next)
		drop_waiting(r, t);
	while (r->turns)
		free_turn(r, r->turns);
	for (unsigned i = 0; i < r->knowledge->count; i++)
		sc_vector_fini(&r->processes[i].after);
	sc_vector_fini(&r->ready);
	sc_nccl_numbers_fini(&r->numbers);
	free(r->processes);
}
