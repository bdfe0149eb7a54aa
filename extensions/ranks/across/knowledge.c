/* Knowledge: clocks of processes, carried by messages and collectives. */
#include "extensions/ranks/across/knowledge.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

/* Of a message that was sent: what its sender knew. Of one that is received, or looked for: what it
 * brings, once it is there. Of a synchronous send that was received: what that brings to the
 * sender. Of a collective: who is waited for there. Of the end of an epoch: for whom it waits. */
struct sc_letter {
	struct sc_match_key key;
	struct sc_clock *clock;	  /* owned */
	struct sc_clock *entered; /* owned: what the process knew that receives it */
	struct sc_quorum *quorum;
	struct sc_epoch_needs needs;
	uint32_t rank; /* of the process in the quorum */
	bool is_sent;
	bool is_synchronous;
	bool is_there;
	UT_hash_handle hh;
};

struct sc_clock *sc_knowledge_snapshot(struct sc_knowledge *k, unsigned process, uint64_t sequence)
{
	struct sc_clock *c = sc_clock_get(k->of[process].clock);

	sc_clock_raise(&k->pool, &c, process, sequence + 1);
	return c;
}

/* ---- letters ---- */

static struct sc_letter *letter_at(const struct sc_knowledge *k, struct sc_match_key key)
{
	struct sc_letter *x;

	HASH_FIND(hh, k->letters, &key, sizeof(key), x);
	return x;
}

static struct sc_letter *new_letter(struct sc_knowledge *k, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_letter *x = letter_at(k, key);

	if (x)
		return NULL;
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->key = key;
	HASH_ADD(hh, k->letters, key, sizeof(x->key), x);
	return x;
}

static void drop_letter(struct sc_knowledge *k, struct sc_letter *x)
{
	HASH_DEL(k->letters, x);
	sc_clock_put(&k->pool, x->clock);
	sc_clock_put(&k->pool, x->entered);
	sc_epoch_needs_fini(&x->needs);
	free(x);
}

void sc_knowledge_keep(struct sc_knowledge *k, unsigned process, uint64_t sequence,
		       struct sc_clock *brings)
{
	struct sc_letter *x = new_letter(k, process, sequence);

	if (x)
		x->clock = brings;
	else
		sc_clock_put(&k->pool, brings);
}

struct sc_clock *sc_knowledge_kept(const struct sc_knowledge *k, unsigned process,
				   uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	const struct sc_letter *x = letter_at(k, key);

	return x ? x->clock : NULL;
}

void sc_knowledge_drop(struct sc_knowledge *k, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_letter *x = letter_at(k, key);

	if (x)
		drop_letter(k, x);
}

/* ---- who is held ---- */

static void set_held(struct sc_knowledge *k, unsigned process, bool is_held)
{
	k->of[process].is_held = is_held;
	k->hold(k->hold_data, process, is_held);
}

static void await(struct sc_knowledge *k, unsigned process, const struct sc_letter *x)
{
	if (k->has_given_up)
		return;
	k->of[process].awaits = x->key;
	set_held(k, process, 1);
}

static bool is_awaited(const struct sc_knowledge *k, const struct sc_letter *x)
{
	const struct sc_knower *p = &k->of[x->key.process];

	return p->is_held && p->awaits.sequence == x->key.sequence;
}

static void open_letter(struct sc_knowledge *k, struct sc_letter *x)
{
	sc_clock_join(&k->pool, &k->of[x->key.process].clock, x->clock);
	drop_letter(k, x);
}

/* It is there now; who waited for it goes on. */
static void deliver(struct sc_knowledge *k, struct sc_letter *x)
{
	unsigned process = (unsigned)x->key.process;

	x->is_there = 1;
	if (!is_awaited(k, x))
		return;
	open_letter(k, x);
	set_held(k, process, 0);
}

/* The synchronous send is complete now, and its sender knows what the receiver did. */
static void answer(struct sc_knowledge *k, struct sc_letter *sent, const struct sc_letter *got)
{
	sc_clock_put(&k->pool, sent->clock);
	sent->clock = NULL;
	sent->is_sent = 0;
	if (got) {
		sent->clock = sc_clock_get(got->entered);
		sc_clock_raise(&k->pool, &sent->clock, (uint32_t)got->key.process,
			       got->key.sequence + 1);
	}
	deliver(k, sent);
}

static void see_pair(void *data, const struct sc_match_side *sent, const struct sc_match_side *got)
{
	struct sc_knowledge *k = data;
	struct sc_letter *from = letter_at(k, sent->key), *to = letter_at(k, got->key);

	if (from && to && from->is_sent)
		to->clock = sc_clock_get(from->clock);
	if (from && !got->is_probe) {
		if (from->is_synchronous)
			answer(k, from, to);
		else
			drop_letter(k, from);
	}
	if (to)
		deliver(k, to);
}

static void see_lost(void *data, unsigned process, uint64_t sequence)
{
	struct sc_knowledge *k = data;
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_letter *x = letter_at(k, key);

	if (x && x->is_sent)
		answer(k, x, NULL);
	else if (x)
		deliver(k, x);
}

/* ---- collectives ---- */

/* All whose numbers of collectives are certain, or none. */
static bool is_counted(const struct sc_match_group *g)
{
	return !g->is_out_of_step && !g->has_vague;
}

static void leave_quorum(struct sc_knowledge *k, struct sc_letter *x)
{
	sc_quorum_leave(&k->quorums, x->quorum, x->rank, &k->of[x->key.process].clock);
	drop_letter(k, x);
}

static void let_leave(void *data, unsigned process)
{
	struct sc_knowledge *k = data;
	struct sc_letter *letter = letter_at(k, k->of[process].awaits);

	if (!letter || !k->of[process].is_held)
		return;
	leave_quorum(k, letter);
	set_held(k, process, 0);
}

/* For whom the rank waits; puts the root into `ranks` if it is that. */
static enum sc_quorum_whom whom_of(const struct sc_across_event *e, enum sc_message_flow flow,
				   bool is_root, struct sc_rank_list *ranks)
{
	switch (flow) {
	case SC_FLOW_ALL_TO_ALL: return SC_QUORUM_ALL;
	case SC_FLOW_ALL_TO_ONE: return is_root ? SC_QUORUM_ALL : SC_QUORUM_LISTED;
	case SC_FLOW_ONE_TO_ALL:
		if (!is_root && e->peer)
			sc_vector_push(&ranks->parts, ((struct sc_rank_list_part){
							      .mask = 1, .first = e->peer - 1}));
		return SC_QUORUM_LISTED;
	case SC_FLOW_SCAN: return SC_QUORUM_BEFORE;
	case SC_FLOW_LISTED:
	case SC_FLOW_NONE: break;
	}
	return e->value & SC_MESSAGE_FROM_ALL ? SC_QUORUM_ALL : SC_QUORUM_LISTED;
}

static void enter(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e,
		  struct sc_rank_list *ranks)
{
	const struct sc_match_group *g = sc_match_group(k->match, e->group);
	uint32_t own = sc_match_rank(k->match, process, e->group);
	bool is_fence = sc_across_kind(e) == SC_MESSAGE_FENCE;
	enum sc_message_flow flow = is_fence ? SC_FLOW_LISTED : sc_message_flow(e->value);
	struct sc_letter *letter;

	if (flow == SC_FLOW_NONE || !g || !own || !is_counted(g))
		return;
	letter = new_letter(k, process, e->sequence);
	if (!letter)
		return;
	if (flow == SC_FLOW_ONE_TO_ALL && e->peer && !sc_match_member(g, e->peer - 1))
		sc_knowledge_miss(k, process); /* what the root knew */
	letter->rank = own - 1;
	letter->quorum =
		sc_quorum_enter(&k->quorums, g, own - 1, e, whom_of(e, flow, e->peer == own, ranks),
				ranks, sc_knowledge_snapshot(k, process, e->sequence));
	*ranks = (struct sc_rank_list){0};
	if (letter->quorum)
		sc_quorum_each_ready(&k->quorums, letter->quorum, let_leave, k);
	else
		drop_letter(k, letter);
}

/* ---- epochs ---- */

static void meet_needs(struct sc_knowledge *k, struct sc_letter *x)
{
	sc_epochs_join(&k->epochs, &x->needs, &k->of[x->key.process].clock);
	drop_letter(k, x);
}

static void wake(void *data, unsigned process)
{
	struct sc_knowledge *k = data;
	struct sc_letter *x = k->of[process].is_held ? letter_at(k, k->of[process].awaits) : NULL;

	if (!x || !x->needs.list.count || !sc_epochs_are_met(&x->needs))
		return;
	meet_needs(k, x);
	set_held(k, process, 0);
}

static void take_epoch(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e,
		       const struct sc_rank_list *ranks)
{
	struct sc_clock *knows = sc_knowledge_snapshot(k, process, e->sequence);
	struct sc_epoch_needs needs = {0};
	struct sc_letter *letter;

	sc_epochs_take(&k->epochs, process, e, ranks, knows, &needs);
	letter = needs.list.count ? new_letter(k, process, e->sequence) : NULL;
	if (letter)
		letter->needs = needs;
	else
		sc_epoch_needs_fini(&needs);
	sc_clock_put(&k->pool, knows);
}

/* ---- events ---- */

static void send(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e)
{
	struct sc_letter *letter = new_letter(k, process, e->sequence);

	if (!letter)
		return;
	letter->is_sent = 1;
	letter->is_synchronous = (e->value & SC_MESSAGE_SYNCHRONOUS) != 0;
	letter->clock = sc_knowledge_snapshot(k, process, e->sequence);
}

static void receive(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e)
{
	struct sc_letter *letter = new_letter(k, process, e->sequence);

	if (letter)
		letter->entered = sc_clock_get(k->of[process].clock);
}

static void begin(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e,
		  struct sc_rank_list *ranks)
{
	switch (sc_across_kind(e)) {
	case SC_MESSAGE_SEND: send(k, process, e); return;
	case SC_MESSAGE_RECEIVE: receive(k, process, e); return;
	case SC_MESSAGE_PROBE: new_letter(k, process, e->sequence); return;
	case SC_MESSAGE_COLLECTIVE:
	case SC_MESSAGE_FENCE: enter(k, process, e, ranks); return;
	case SC_MESSAGE_ACCESS:
	case SC_MESSAGE_START:
	case SC_MESSAGE_COMPLETE:
	case SC_MESSAGE_POST:
	case SC_MESSAGE_AWAIT: take_epoch(k, process, e, ranks); return;
	case SC_MESSAGE_LIST:
	case SC_MESSAGE_WAIT:
	case SC_MESSAGE_LOCK:
	case SC_MESSAGE_UNLOCK:
	case SC_MESSAGE_PART:
	case SC_MESSAGE_LOSE:
	case SC_MESSAGES: return;
	}
}

void sc_knowledge_before(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e)
{
	struct sc_rank_list ranks = {0};

	if (e->what != SC_ACROSS_MESSAGE || e->own)
		return;
	if (sc_across_kind(e) == SC_MESSAGE_LIST) {
		sc_rank_list_add(&k->of[process].ranks, e);
		return;
	}
	sc_rank_list_take(&k->of[process].ranks, e, &ranks);
	if (!e->has_failed)
		begin(k, process, e, &ranks);
	sc_rank_list_fini(&ranks);
}

void sc_knowledge_miss(struct sc_knowledge *k, unsigned process)
{
	sc_clock_raise(&k->pool, &k->of[process].clock, k->lost, 1);
}

/* What the process would have to wait for is there; or nobody waits any more. */
static bool may_go_on(struct sc_knowledge *k, unsigned process, bool is_there)
{
	if (!is_there && k->has_given_up)
		sc_knowledge_miss(k, process);
	return is_there || k->has_given_up;
}

/* The process goes on after the message: it knows what that brought, or has to wait for it. */
static void complete(struct sc_knowledge *k, unsigned process, uint64_t sequence)
{
	struct sc_match_key key = {.sequence = sequence, .process = process};
	struct sc_letter *x = letter_at(k, key);

	if (!x || (x->is_sent && !x->is_synchronous))
		return;
	if (x->quorum) {
		if (may_go_on(k, process, sc_quorum_can_leave(x->quorum, x->rank))) {
			leave_quorum(k, x);
			return;
		}
		sc_quorum_wait(x->quorum, x->rank, process);
	} else if (x->needs.list.count) {
		if (may_go_on(k, process, sc_epochs_are_met(&x->needs))) {
			meet_needs(k, x);
			return;
		}
	} else if (may_go_on(k, process, x->is_there)) {
		open_letter(k, x);
		return;
	}
	await(k, process, x);
}

void sc_knowledge_after(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e)
{
	if ((e->what == SC_ACROSS_RETURN || e->what == SC_ACROSS_END) && e->link && !e->has_failed)
		complete(k, process, e->link - 1);
}

void sc_knowledge_give_up(struct sc_knowledge *k)
{
	k->has_given_up = 1;
	for (unsigned i = 0; i < k->count; i++) {
		if (k->of[i].is_held)
			sc_knowledge_miss(k, i);
		k->of[i].is_held = 0;
	}
}

void sc_knowledge_init(struct sc_knowledge *k, struct sc_match *m)
{
	m->see_pair = see_pair;
	m->see_lost = see_lost;
	m->see_data = k;
	*k = (struct sc_knowledge){
		.match = m,
		.count = m->count,
		.lost = m->count,
		.of = sc_heap_xcalloc(m->count + 1u, sizeof(*k->of)),
		.quorums = {.pool = &k->pool},
		.epochs = {.pool = &k->pool, .match = m, .wake = wake, .data = k}};
}

size_t sc_knowledge_size(const struct sc_knowledge *k)
{
	return HASH_COUNT(k->letters) + sc_quorums_count(&k->quorums) + sc_epochs_kept(&k->epochs);
}

void sc_knowledge_fini(struct sc_knowledge *k)
{
	while (k->letters)
		drop_letter(k, k->letters);
	sc_quorums_fini(&k->quorums);
	sc_epochs_fini(&k->epochs);
	for (unsigned i = 0; i < k->count; i++) {
		sc_clock_put(&k->pool, k->of[i].clock);
		sc_rank_list_fini(&k->of[i].ranks);
	}
	free(k->of);
	sc_clock_pool_fini(&k->pool);
}
