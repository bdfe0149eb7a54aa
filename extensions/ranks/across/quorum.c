/* Quorum: who has entered, and for whom each waits. */
#include "extensions/ranks/across/quorum.h"

#include <stdlib.h>
#include "base/heap.h"

/* Without gaps: it is hashed as bytes. */
struct quorum_key {
	uint64_t group, number;
};

/* A rank that has entered. */
struct entry {
	uint32_t rank; /* key */
	enum sc_quorum_whom whom;
	struct sc_rank_list ranks; /* owned: for whom it waits */
	uint64_t at;		   /* in there: those before have entered */
	struct sc_clock *clock;	   /* owned: what it knew */
	struct sc_clock *before;   /* owned: what those before it knew */
	bool has_before;	   /* all of them have entered */
	bool is_waiting;
	unsigned process;
	UT_hash_handle hh;
};

struct sc_quorum {
	struct quorum_key key;
	const struct sc_match_group *group; /* borrowed */
	uint32_t value, root;		    /* of the first that entered */
	struct entry *entries;		    /* owned, by rank */
	unsigned members, left;
	unsigned waiting, for_all; /* how many wait, and of them for all */
	unsigned refs;		   /* 1 until all have left, 1 while they are called */
	SC_VECTOR(uint32_t) order; /* of ranks that wait for those before them: all, ascending */
	size_t front;		   /* in there: those before have entered */
	struct sc_clock *below;	   /* owned: what they knew */
	struct sc_clock *all;	   /* owned: what all knew that have entered */
	UT_hash_handle hh;
};

static struct entry *entry_of(const struct sc_quorum *q, uint32_t rank)
{
	struct entry *x;

	HASH_FIND(hh, q->entries, &rank, sizeof(rank), x);
	return x;
}

static struct sc_quorum *quorum_of(struct sc_quorums *all, const struct sc_match_group *g,
				   const struct sc_across_event *e)
{
	struct quorum_key key = {.group = e->group, .number = e->tag};
	struct sc_quorum *q;

	sc_hash_get(all->list, key, key, q);
	if (q->refs)
		return q;
	q->group = g;
	q->value = e->value;
	q->root = e->peer;
	q->refs = 1;
	q->members = HASH_COUNT(g->members);
	return q;
}

static int by_rank(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void set_order(struct sc_quorum *q)
{
	for (const struct sc_match_member *x = q->group->members; x; x = x->hh.next)
		sc_vector_push(&q->order, x->rank);
	if (q->order.count)
		qsort(q->order.items, q->order.count, sizeof(uint32_t), by_rank);
}

/* Ranks without a trace are not in there. */
static void move_front(struct sc_quorums *all, struct sc_quorum *q)
{
	if (!q->order.count)
		set_order(q);
	for (; q->front < q->order.count; q->front++) {
		struct entry *x = entry_of(q, q->order.items[q->front]);

		if (!x)
			return;
		x->has_before = 1;
		sc_clock_publish_if_last(all->pool, &q->below);
		x->before = sc_clock_get(q->below);
		sc_clock_join(all->pool, &q->below, x->clock);
	}
}

struct sc_quorum *sc_quorum_enter(struct sc_quorums *all, const struct sc_match_group *g,
				  uint32_t rank, const struct sc_across_event *e,
				  enum sc_quorum_whom whom, struct sc_rank_list *ranks,
				  struct sc_clock *knows)
{
	struct sc_quorum *q = quorum_of(all, g, e);
	struct entry *x = entry_of(q, rank);

	if (x || q->root != e->peer || sc_message_flow(q->value) != sc_message_flow(e->value)) {
		sc_rank_list_fini(ranks);
		sc_clock_put(all->pool, knows);
		return NULL;
	}
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->rank = rank;
	x->whom = whom;
	x->ranks = *ranks;
	x->clock = knows;
	HASH_ADD(hh, q->entries, rank, sizeof(x->rank), x);
	if (whom == SC_QUORUM_BEFORE)
		move_front(all, q);
	return q;
}

static bool has_entered(const struct sc_quorum *q, uint32_t rank)
{
	return entry_of(q, rank) || !sc_match_member(q->group, rank);
}

static bool has_listed(const struct sc_quorum *q, struct entry *x)
{
	uint64_t at = x->at;
	uint32_t rank;

	while (sc_rank_list_next(&x->ranks, &at, &rank)) {
		if (!has_entered(q, rank))
			return 0;
		x->at = at;
	}
	return 1;
}

static bool is_ready(const struct sc_quorum *q, struct entry *x)
{
	switch (x->whom) {
	case SC_QUORUM_ALL: return HASH_COUNT(q->entries) == q->members;
	case SC_QUORUM_BEFORE: return x->has_before;
	case SC_QUORUM_LISTED: break;
	}
	return has_listed(q, x);
}

bool sc_quorum_can_leave(struct sc_quorum *q, uint32_t rank)
{
	struct entry *x = entry_of(q, rank);

	return !x || is_ready(q, x);
}

/* All have entered. */
static void join_all(struct sc_quorums *all, struct sc_quorum *q, struct sc_clock **knows)
{
	if (!q->all) {
		for (const struct entry *x = q->entries; x; x = x->hh.next)
			sc_clock_join(all->pool, &q->all, x->clock);
		sc_clock_publish_if_last(all->pool, &q->all);
	}
	sc_clock_join(all->pool, knows, q->all);
}

static void join_listed(struct sc_quorums *all, const struct sc_quorum *q, const struct entry *x,
			struct sc_clock **knows)
{
	uint64_t at = 0;
	uint32_t rank;

	while (sc_rank_list_next(&x->ranks, &at, &rank)) {
		const struct entry *other = entry_of(q, rank);

		if (other)
			sc_clock_join(all->pool, knows, other->clock);
	}
}

static void free_quorum(struct sc_quorums *all, struct sc_quorum *q)
{
	while (q->entries) {
		struct entry *x = q->entries;

		HASH_DEL(q->entries, x);
		sc_rank_list_fini(&x->ranks);
		sc_clock_put(all->pool, x->clock);
		sc_clock_put(all->pool, x->before);
		free(x);
	}
	HASH_DEL(all->list, q);
	sc_vector_fini(&q->order);
	sc_clock_put(all->pool, q->below);
	sc_clock_put(all->pool, q->all);
	free(q);
}

static void release(struct sc_quorums *all, struct sc_quorum *q)
{
	if (!--q->refs)
		free_quorum(all, q);
}

void sc_quorum_leave(struct sc_quorums *all, struct sc_quorum *q, uint32_t rank,
		     struct sc_clock **knows)
{
	const struct entry *x = entry_of(q, rank);

	if (x)
		switch (x->whom) {
		case SC_QUORUM_ALL: join_all(all, q, knows); break;
		case SC_QUORUM_BEFORE: sc_clock_join(all->pool, knows, x->before); break;
		case SC_QUORUM_LISTED: join_listed(all, q, x, knows); break;
		}
	if (++q->left == q->members)
		release(all, q);
}

void sc_quorum_wait(struct sc_quorum *q, uint32_t rank, unsigned process)
{
	struct entry *x = entry_of(q, rank);

	if (!x)
		return;
	q->waiting += !x->is_waiting;
	q->for_all += !x->is_waiting && x->whom == SC_QUORUM_ALL;
	x->is_waiting = 1;
	x->process = process;
}

void sc_quorum_each_ready(struct sc_quorums *all, struct sc_quorum *q,
			  void (*see)(void *data, unsigned process), void *data)
{
	bool is_for_all = q->waiting == q->for_all;

	if (!q->waiting || (is_for_all && HASH_COUNT(q->entries) < q->members))
		return;
	q->refs++;
	for (struct entry *x = q->entries; x && q->waiting; x = x->hh.next) {
		if (!x->is_waiting || !is_ready(q, x))
			continue;
		q->waiting--;
		q->for_all -= x->whom == SC_QUORUM_ALL;
		x->is_waiting = 0;
		see(data, x->process);
	}
	release(all, q);
}

size_t sc_quorums_count(const struct sc_quorums *all)
{
	return HASH_COUNT(all->list);
}

void sc_quorums_fini(struct sc_quorums *all)
{
	while (all->list)
		free_quorum(all, all->list);
}
