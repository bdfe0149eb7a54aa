/* Crossing: queues of processes, and the search for a cycle whenever an operation comes to others
 * of its meeting. */
#include "extensions/ranks/across/crossing.h"

#include <inttypes.h>
#include <stdlib.h>
#include "analyzer/finding/verdict.h"
#include "base/heap.h"

#define SHOWN_MOST  4	 /* steps of a cycle that are put into words */
#define LOOKED_MOST 4096 /* meetings that one search looks at */

/* An operation in a queue. */
struct entry {
	struct entry *next, *before;
	struct sc_crossing_meeting *meeting;
	struct sc_across_event event;
	uint32_t process;
	uint64_t turn; /* group of calls */
};

struct sc_crossing_queue {
	struct entry *first, *last; /* owned */
	uint64_t turn;
	uint32_t thread; /* of the last one */
};

struct sc_crossing_meeting {
	struct sc_nccl_key key;
	unsigned expected, arrived;
	bool is_over;	/* it was in a cycle: those that come are not queued */
	uint64_t level; /* above that of all that is before it in a queue */
	uint64_t search;
	SC_VECTOR(struct entry *) entries;
	UT_hash_handle hh;
};

/* In one process `first` is before `then`, which is of the meeting that was reached before. */
struct step {
	struct entry *first, *then;
	unsigned from; /* the step before, + 1 */
};

struct search {
	SC_VECTOR(struct step) steps;
	size_t at;
	bool is_sure; /* follow steps within one stream only */
};

void sc_crossing_init(struct sc_crossing *c, const struct sc_match *m,
		      struct sc_across_remarks *remarks)
{
	*c = (struct sc_crossing){.match = m,
				  .remarks = remarks,
				  .queues = sc_heap_xcalloc(m->count + 1u, sizeof(*c->queues))};
}

/* ---- queues ---- */

/* `a` stands before `b` in their queue. */
static bool is_ordered(const struct entry *a, const struct entry *b)
{
	return a->turn != b->turn || a->event.group != b->event.group;
}

/* The device itself keeps the order. */
static bool is_in_stream(const struct entry *a, const struct entry *b)
{
	return a->turn != b->turn && a->event.link && a->event.link == b->event.link &&
	       a->event.thread == b->event.thread;
}

static void push(struct sc_crossing *c, struct entry *x)
{
	struct sc_crossing_queue *q = &c->queues[x->process];

	q->turn += !x->event.is_with || q->thread != x->event.thread;
	q->thread = x->event.thread;
	x->turn = q->turn;
	x->before = q->last;
	if (q->last)
		q->last->next = x;
	else
		q->first = x;
	q->last = x;
	c->held++;
}

static void take_out(struct sc_crossing *c, struct entry *x)
{
	struct sc_crossing_queue *q = &c->queues[x->process];

	*(x->before ? &x->before->next : &q->first) = x->next;
	*(x->next ? &x->next->before : &q->last) = x->before;
	c->held--;
	free(x);
}

static bool is_ahead(const struct sc_crossing *c, const struct entry *x)
{
	for (const struct entry *y = c->queues[x->process].first; y != x; y = y->next)
		if (is_ordered(y, x))
			return 0;
	return 1;
}

/* ---- meetings ---- */

static void drop(struct sc_crossing *c, struct sc_crossing_meeting *x)
{
	HASH_DEL(c->meetings, x);
	sc_vector_fini(&x->entries);
	free(x);
}

/* It is in no queue any more. */
static void empty(struct sc_crossing *c, struct sc_crossing_meeting *x)
{
	for (size_t i = 0; i < x->entries.count; i++)
		take_out(c, x->entries.items[i]);
	sc_vector_clear(&x->entries);
}

static bool can_happen(const struct sc_crossing *c, const struct sc_crossing_meeting *x)
{
	if (x->arrived < x->expected)
		return 0;
	for (size_t i = 0; i < x->entries.count; i++)
		if (!is_ahead(c, x->entries.items[i]))
			return 0;
	return 1;
}

/* The first meeting at the head of a process that can happen. */
static struct sc_crossing_meeting *next_of(const struct sc_crossing *c, uint32_t process)
{
	const struct entry *first = c->queues[process].first;

	for (const struct entry *x = first; x && (x == first || !is_ordered(first, x)); x = x->next)
		if (can_happen(c, x->meeting))
			return x->meeting;
	return NULL;
}

/* Lets all happen that can, from the heads of these processes on. */
static void go_on(struct sc_crossing *c, uint32_t process)
{
	SC_VECTOR(uint32_t) list = {0};

	sc_vector_push(&list, process);
	while (list.count) {
		struct sc_crossing_meeting *x = next_of(c, *sc_vector_last(&list));

		if (!x) {
			list.count--;
			continue;
		}
		for (size_t i = 0; i < x->entries.count; i++)
			sc_vector_push(&list, x->entries.items[i]->process);
		empty(c, x);
		drop(c, x);
	}
	sc_vector_fini(&list);
}

/* ---- levels ---- */

/* The entries that come right before x, if `before`, or right after it: `see` each. All others do
 * so by these. */
static void see_near(struct entry *x, bool before, void (*see)(void *data, struct entry *y),
		     void *data)
{
	struct entry *near = NULL;

	for (struct entry *y = before ? x->before : x->next; y; y = before ? y->before : y->next) {
		if (near && is_ordered(y, near))
			return;
		if (!is_ordered(y, x))
			continue;
		near = near ? near : y;
		see(data, y);
	}
}

static void take_highest(void *level, struct entry *y)
{
	uint64_t *highest = level;

	*highest = y->meeting->level > *highest ? y->meeting->level : *highest;
}

struct rising {
	SC_VECTOR(struct sc_crossing_meeting *) list;
	uint64_t level; /* of the one that is looked at */
};

static void lift(void *rising, struct entry *y)
{
	struct rising *r = rising;

	if (y->meeting->level > r->level)
		return;
	y->meeting->level = r->level + 1;
	sc_vector_push(&r->list, y->meeting);
}

/* And what comes after it, wherever that would be below: so many levels at most as there are
 * meetings, unless they stand before themselves (a process that waits for itself alone, or a cycle
 * that the search gave up). Lower levels than there should be cost further searches. */
static void raise_level(const struct sc_crossing *c, struct sc_crossing_meeting *m, uint64_t level)
{
	const uint64_t most = level + HASH_COUNT(c->meetings);
	struct rising r = {.level = level};

	m->level = level;
	sc_vector_push(&r.list, m);
	while (r.list.count) {
		const struct sc_crossing_meeting *x = r.list.items[--r.list.count];

		r.level = x->level;
		for (size_t i = 0; r.level < most && i < x->entries.count; i++)
			see_near(x->entries.items[i], 0, lift, &r);
	}
	sc_vector_fini(&r.list);
}

/* ---- cycles ---- */

/* Adds the steps that lead to `then`; returns the one that closes a cycle with `target`. */
static bool add_steps(struct sc_crossing *c, struct search *s, struct entry *then, unsigned from,
		      const struct sc_crossing_meeting *target)
{
	for (struct entry *y = then->before; y; y = y->before) {
		bool closes = y->meeting == target;

		if (!is_ordered(y, then) || (s->is_sure && !is_in_stream(y, then)) ||
		    (!closes && y->meeting->search == c->searches))
			continue;
		y->meeting->search = c->searches;
		sc_vector_push(&s->steps, ((struct step){y, then, from}));
		if (closes)
			return 1;
	}
	return 0;
}

/* The shortest way back from the operation to its own meeting; the last step closes it. */
static bool find_cycle(struct sc_crossing *c, struct search *s, struct entry *x)
{
	c->searches++;
	sc_vector_clear(&s->steps);
	add_steps(c, s, x, 0, NULL);
	for (s->at = 0; s->at < s->steps.count && s->at < LOOKED_MOST; s->at++) {
		const struct entry *first = s->steps.items[s->at].first;

		for (size_t i = 0; i < first->meeting->entries.count; i++) {
			struct entry *then = first->meeting->entries.items[i];

			if (then->process != first->process &&
			    add_steps(c, s, then, (unsigned)s->at + 1, x->meeting))
				return 1;
		}
	}
	c->remarks->left_out += s->at < s->steps.count;
	return 0;
}

/* Each operation of the cycle needs the one of its meeting that the step before it led to. */
static bool is_needed(const struct search *s)
{
	const struct step *last = sc_vector_last(&s->steps), *x = last;

	for (;;) {
		const struct step *next = x->from ? &s->steps.items[x->from - 1] : NULL;

		const struct sc_across_event *a = next ? &next->first->event : &last->first->event;

		if (!sc_nccl_is_same(a, &x->then->event) || !sc_nccl_takes(a) ||
		    !sc_nccl_gives(&x->then->event))
			return 0;
		if (!next)
			return 1;
		x = next;
	}
}

static void add_place(const struct sc_crossing *c, struct sc_buf *out, const struct entry *x)
{
	sc_buf_add(out, sc_match_call(c->match, x->event.call));
	sc_across_remark_place(out, x->process, x->event.sequence);
}

static void add_own(const struct sc_crossing *c, struct sc_buf *out, const struct step *own)
{
	sc_buf_add(out, "it is enqueued before ");
	add_place(c, out, own->then);
	if (own->first->event.group != own->then->event.group) {
		sc_buf_add(out, " of ");
		sc_match_name_group(out, sc_match_group(c->match, own->then->event.group));
	}
}

static const struct step *after(const struct search *s, const struct step *x)
{
	return x->from ? &s->steps.items[x->from - 1] : sc_vector_last(&s->steps);
}

static void file_step(struct sc_crossing *c, const struct search *s, const struct step *own,
		      enum sc_doubt doubt)
{
	struct sc_buf text = {0};
	unsigned shown = 0;

	add_own(c, &text, own);
	for (const struct step *x = after(s, own); x != own; x = after(s, x)) {
		if (shown++ == SHOWN_MOST) {
			sc_buf_add(&text, "; and so on");
			break;
		}
		sc_buf_add(&text, "; ");
		sc_match_name_rank(&text, c->match, sc_match_group(c->match, x->first->event.group),
				   x->first->event.own - 1);
		sc_buf_add(&text, " enqueues ");
		add_place(c, &text, x->first);
		sc_buf_add(&text, " before ");
		add_place(c, &text, x->then);
	}
	sc_buf_add(&text, ": these wait for each other");
	sc_across_remarks_add(c->remarks, own->first->process,
			      (struct sc_remark){.sequence = own->first->event.sequence,
						 .rule = 177,
						 .doubt = (uint8_t)doubt},
			      &text);
}

/* The same processes and communicators have the same cycle in each round of a loop. */
static bool is_new(struct sc_crossing *c, const struct search *s, enum sc_doubt doubt)
{
	const struct step *last = sc_vector_last(&s->steps), *x = last;
	uint64_t key = (uint64_t)doubt + 1, *seen;

	do {
		key += (x->first->event.group * 31 + x->then->event.group + x->first->process) *
		       UINT64_C(0x9e3779b97f4a7c15);
		x = after(s, x);
	} while (x != last);
	seen = sc_u64_map_get(&c->filed, key ? key : 1);
	return !(*seen)++;
}

static void file(struct sc_crossing *c, const struct search *s)
{
	const struct step *last = sc_vector_last(&s->steps), *x = last;
	enum sc_doubt doubt = SC_DOUBT_BESIDE;

	if (s->is_sure)
		doubt = is_needed(s) ? SC_DOUBT_NONE : SC_DOUBT_ALONE;
	c->cycles++;
	if (!is_new(c, s, doubt))
		return;
	do {
		file_step(c, s, x, doubt);
		x = after(s, x);
	} while (x != last);
}

/* The meeting of x happens all the same, so that the others go on. */
static void break_cycle(struct sc_crossing *c, struct sc_crossing_meeting *x)
{
	SC_VECTOR(uint32_t) list = {0};

	x->is_over = 1;
	for (size_t i = 0; i < x->entries.count; i++)
		sc_vector_push(&list, x->entries.items[i]->process);
	empty(c, x);
	if (x->arrived == x->expected)
		drop(c, x);
	for (size_t i = 0; i < list.count; i++)
		go_on(c, list.items[i]);
	sc_vector_fini(&list);
}

static bool look(struct sc_crossing *c, struct entry *x)
{
	struct search s = {.is_sure = 1};
	bool is_found = find_cycle(c, &s, x);

	if (!is_found) {
		s.is_sure = 0;
		is_found = find_cycle(c, &s, x);
	}
	if (is_found) {
		file(c, &s);
		break_cycle(c, x->meeting);
	}
	sc_vector_fini(&s.steps);
	return is_found;
}

/* ---- events ---- */

static void arrive(struct sc_crossing *c, uint32_t process, const struct sc_across_event *e,
		   const struct sc_match_group *g)
{
	struct sc_nccl_key key = sc_nccl_number(&c->numbers, e);
	struct sc_crossing_meeting *m;
	uint64_t below = 0;
	struct entry *x;

	sc_hash_get(c->meetings, key, key, m);
	if (!m->arrived++)
		m->expected = sc_nccl_expected(g, &key);
	if (m->is_over) {
		if (m->arrived == m->expected)
			drop(c, m);
		return;
	}
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->event = *e;
	x->process = process;
	x->meeting = m;
	push(c, x);
	sc_vector_push(&m->entries, x);
	see_near(x, 1, take_highest, &below);
	if (can_happen(c, m)) {
		go_on(c, process);
		return;
	}
	if (m->level > below || (m->entries.count > 1 && look(c, x)))
		return;
	raise_level(c, m, below + 1);
}

/* What is in flight there, or in all communicators, is not known any more. */
static void forget(struct sc_crossing *c, uint64_t group)
{
	struct sc_crossing_meeting *next;
	SC_VECTOR(uint32_t) list = {0};

	for (struct sc_crossing_meeting *x = c->meetings; x; x = next) {
		next = x->hh.next;
		if (group && x->key.group != group)
			continue;
		for (size_t i = 0; i < x->entries.count; i++)
			sc_vector_push(&list, x->entries.items[i]->process);
		empty(c, x);
		drop(c, x);
	}
	for (size_t i = 0; i < list.count; i++)
		go_on(c, list.items[i]);
	sc_vector_fini(&list);
}

static void leave(struct sc_crossing *c, uint64_t group)
{
	uint64_t *was = sc_u64_map_get(&c->left, group);

	if (!*was)
		forget(c, group);
	*was = 1;
}

/* A message to a rank without a trace meets nobody. */
static bool has_other(const struct sc_match_group *g, const struct sc_across_event *e)
{
	return sc_across_kind(e) == SC_MESSAGE_COLLECTIVE ||
	       (e->peer && sc_match_member(g, e->peer - 1));
}

void sc_crossing_take(struct sc_crossing *c, uint32_t process, const struct sc_across_event *e)
{
	const struct sc_match_group *g;

	if (e->what != SC_ACROSS_MESSAGE || !e->own || c->match->is_double || c->is_off)
		return;
	g = sc_match_group(c->match, e->group);
	if (g && !sc_nccl_is_known(g))
		leave(c, e->group);
	else if (sc_nccl_is_operation(c->match, e) && !e->has_failed && has_other(g, e))
		arrive(c, process, e, g);
	if (c->held > SC_CROSSING_MOST) {
		c->is_off = 1;
		c->remarks->left_out++;
		forget(c, 0);
	}
}

void sc_crossing_fini(struct sc_crossing *c)
{
	while (c->meetings) {
		struct sc_crossing_meeting *x = c->meetings;

		empty(c, x);
		drop(c, x);
	}
	sc_nccl_numbers_fini(&c->numbers);
	sc_u64_map_fini(&c->filed);
	sc_u64_map_fini(&c->left);
	free(c->queues);
}
