/* Waits: what each process waits for whose call has not returned.
 *
 * A process that waits can go on if those for whom it waits can: all of them, or one of them where
 * one is enough. Naively: call all processes able that wait for nobody or of which it is not known,
 * then those that wait for able ones only, until nothing changes. Who is left waits forever
 * (extensions/ranks/tests/traces/174-waits-for-rank). A process that took leave, or ended, answers
 * nobody.
 */
#include "extensions/ranks/across/wait.h"

#include <inttypes.h>
#include <stdlib.h>
#include "analyzer/finding/verdict.h"
#include "base/heap.h"

#define SHOWN_MOST 6 /* processes of a chain */

/* ---- for whom ---- */

static uint32_t process_at(const struct sc_match_group *g, uint32_t rank)
{
	const struct sc_match_member *x = sc_match_member(g, rank);

	return x ? x->process : SC_NO_PROCESS;
}

static bool is_followed(const struct sc_match_group *g, uint32_t rank, bool receives)
{
	const struct sc_match_member *x = sc_match_member(g, rank);

	return x && !x->is_vague && !(receives && x->is_closed);
}

/* All others of the group that have not entered this collective. */
static void add_missing(struct sc_rank_wait *w, const struct sc_match_group *g, uint64_t number)
{
	size_t before = w->whom.count;

	for (const struct sc_match_member *x = g->members; x; x = x->hh.next)
		if (x->process != w->process && x->last < number)
			sc_vector_push(&w->whom, x->process);
	if (g->size > HASH_COUNT(g->members))
		sc_vector_push(&w->whom, SC_NO_PROCESS);
	w->is_unknown |= w->whom.count == before;
}

static void add_others(struct sc_rank_wait *w, const struct sc_match_group *g)
{
	for (const struct sc_match_member *x = g->members; x; x = x->hh.next)
		if (x->process != w->process)
			sc_vector_push(&w->whom, x->process);
	if (g->size > HASH_COUNT(g->members))
		sc_vector_push(&w->whom, SC_NO_PROCESS);
	w->is_any = 1;
}

/* A send or a receive of which the other side was not seen. */
static void add_side(const struct sc_match *m, struct sc_rank_wait *w,
		     const struct sc_match_side *s)
{
	uint32_t own = s->is_receive ? s->to : s->from;

	if (s->is_matched || !is_followed(s->group, own, s->is_receive))
		w->is_unknown = 1;
	else if (!s->is_open)
		sc_vector_push(&w->whom, process_at(s->group, s->is_receive ? s->from : s->to));
	else if (sc_match_has_message(m, s->group, &s->event, s->to))
		w->is_unknown = 1;
	else if (s->event.peer)
		sc_vector_push(&w->whom, process_at(s->group, s->event.peer - 1));
	else
		add_others(w, s->group);
}

static void add_probe(const struct sc_match *m, struct sc_rank_wait *w,
		      const struct sc_across_event *e)
{
	const struct sc_match_group *g = sc_match_group(m, e->group);
	uint32_t own = g ? sc_match_rank(m, w->process, e->group) : 0;

	if (!own || !is_followed(g, own - 1, 1) || sc_match_has_message(m, g, e, own - 1))
		w->is_unknown = 1;
	else if (e->peer)
		sc_vector_push(&w->whom, process_at(g, e->peer - 1));
	else
		add_others(w, g);
}

/* Several requests: those of the process that are not over are as many, or it is not known which of
 * them are waited for. One from anybody among them makes that too hard a question. */
static void add_requests(const struct sc_match *m, struct sc_rank_wait *w)
{
	const struct sc_across_event *e = w->event;
	uint64_t count = 0;

	for (const struct sc_match_side *s = m->sides; s; s = s->hh.next) {
		if (s->key.process != w->process || s->key.sequence > e->sequence || s->is_probe)
			continue;
		count++;
		if (s->is_matched && !(e->value & SC_MESSAGE_ANY))
			continue;
		if (s->is_open && !s->is_matched && !s->event.peer)
			w->is_unknown = 1;
		add_side(m, w, s);
	}
	w->is_any = (e->value & SC_MESSAGE_ANY) != 0;
	w->is_unknown |= count != e->tag || !w->whom.count;
}

static void add_request(const struct sc_match *m, struct sc_rank_wait *w)
{
	const struct sc_match_side *s = sc_match_side(m, w->process, w->event->link - 1);

	if (s)
		add_side(m, w, s);
	else /* a collective, or over */
		w->is_unknown = 1;
}

static void find_whom(const struct sc_match *m, struct sc_rank_wait *w)
{
	const struct sc_across_event *e = w->event;
	const struct sc_match_group *g = sc_match_group(m, e->group);
	const struct sc_match_side *s;

	switch (sc_across_kind(e)) {
	case SC_MESSAGE_SEND:
	case SC_MESSAGE_RECEIVE:
		s = sc_match_side(m, w->process, e->sequence);
		if (s)
			add_side(m, w, s);
		else
			w->is_unknown = 1;
		return;
	case SC_MESSAGE_PROBE: add_probe(m, w, e); return;
	case SC_MESSAGE_WAIT:
		if (e->tag == 1)
			add_request(m, w);
		else
			add_requests(m, w);
		return;
	case SC_MESSAGE_COLLECTIVE:
	case SC_MESSAGE_FENCE:
		if (g && !(g->is_out_of_step && g->kind != SC_GROUP_WORLD))
			add_missing(w, g, e->tag);
		else
			w->is_unknown = 1;
		return;
	case SC_MESSAGE_ACCESS:
	case SC_MESSAGE_LOCK:
	case SC_MESSAGE_UNLOCK:
	case SC_MESSAGE_START:
	case SC_MESSAGE_COMPLETE:
	case SC_MESSAGE_PART:
	case SC_MESSAGE_LOSE:
	case SC_MESSAGE_LIST:
	case SC_MESSAGE_POST:
	case SC_MESSAGE_AWAIT:
	case SC_MESSAGES: w->is_unknown = 1; return;
	}
}

/* ---- who can go on ---- */

static bool is_gone(const struct sc_match_process *p)
{
	return p->has_left || (p->has_ended && !p->signal);
}

bool sc_rank_wait_can_end(const struct sc_rank_waits *all, const struct sc_rank_wait *w)
{
	size_t able = 0;

	for (size_t i = 0; i < w->whom.count; i++)
		able += w->whom.items[i] == SC_NO_PROCESS || all->is_able[w->whom.items[i]];
	if (w->is_refused)
		return 0;
	return w->is_unknown || (w->is_any ? able > 0 : able == w->whom.count);
}

/* A process of several threads can go on if one of them can; a call may be two waits (a send and a
 * receive), which both have to end. */
static bool can_go_on(const struct sc_rank_waits *all, uint32_t process)
{
	const struct sc_across_event *last = NULL;
	bool is_able = 1;

	for (size_t i = all->wait_of[process] - 1; i < all->list.count; i++) {
		const struct sc_rank_wait *w = &all->list.items[i];

		if (w->process != process)
			break;
		if (w->group && !w->host) /* the host does not wait for it */
			continue;
		if (last && last->thread != w->event->thread)
			return 1;
		last = w->event;
		is_able &= sc_rank_wait_can_end(all, w);
	}
	return is_able;
}

static void find_able(struct sc_rank_waits *all)
{
	bool has_changed = 1;

	for (unsigned i = 0; i < all->m->count; i++)
		all->is_able[i] = !all->wait_of[i] && !is_gone(&all->m->processes[i]);
	while (has_changed) {
		has_changed = 0;
		for (unsigned i = 0; i < all->m->count; i++)
			if (all->wait_of[i] && !all->is_able[i] && can_go_on(all, i))
				has_changed = all->is_able[i] = 1;
	}
}

/* ---- words ---- */

/* Whom to name: one that cannot answer, if there is one. */
static uint32_t one_of(const struct sc_rank_waits *all, const struct sc_rank_wait *w)
{
	for (size_t i = 0; i < w->whom.count; i++)
		if (w->whom.items[i] != SC_NO_PROCESS && !all->is_able[w->whom.items[i]])
			return w->whom.items[i];
	return w->whom.items[0];
}

static void add_whom(struct sc_buf *out, const struct sc_rank_waits *all,
		     const struct sc_rank_wait *w)
{
	uint32_t one = one_of(all, w);

	if (one == SC_NO_PROCESS)
		sc_buf_add(out, "a rank without a trace");
	else
		sc_match_name(out, all->m, one);
	if (w->whom.count > 1)
		sc_buf_printf(out, " %s %zu other%s", w->is_any ? "or one of" : "and",
			      w->whom.count - 1, w->whom.count > 2 ? "s" : "");
}

void sc_rank_wait_add_idle(struct sc_buf *out, const struct sc_match *m, uint32_t process)
{
	const struct sc_match_process *p = &m->processes[process];

	if (p->has_left) {
		sc_buf_add(out, "has called MPI_Finalize");
	} else if (p->has_ended && p->signal) {
		sc_buf_printf(out, "was ended by signal %" PRIu32, p->signal);
	} else if (p->has_ended) {
		sc_buf_add(out, "has ended");
	} else {
		sc_buf_add(out, "waits for nobody");
	}
	if (p->last && !p->has_left) {
		sc_buf_printf(out, " after %s", sc_match_call(m, p->last_call));
		sc_across_remark_place(out, process, p->last - 1);
	}
}

static bool is_among(const uint32_t *list, unsigned count, uint32_t process)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i] == process)
			return 1;
	return 0;
}

/* "waits for rank 1, which waits in MPI_Recv for rank 0: rank 0 and rank 1 wait for each
 * other". */
static void add_chain(struct sc_buf *out, const struct sc_rank_waits *all,
		      const struct sc_rank_wait *w)
{
	uint32_t seen[SHOWN_MOST];
	unsigned count = 0;

	sc_buf_add(out, "waits for ");
	add_whom(out, all, w);
	seen[count++] = w->process;
	for (;;) {
		uint32_t next = one_of(all, w);

		if (next == SC_NO_PROCESS)
			return;
		if (is_among(seen, count, next)) {
			sc_buf_add(out, ": these wait for each other");
			return;
		}
		sc_buf_add(out, ", which ");
		if (!all->wait_of[next]) {
			sc_rank_wait_add_idle(out, all->m, next);
			return;
		}
		w = &all->list.items[all->wait_of[next] - 1];
		sc_buf_printf(out, "waits in %s", sc_match_call(all->m, w->event->call));
		sc_across_remark_place(out, next, w->event->sequence);
		if (!w->whom.count || count == SHOWN_MOST)
			return;
		sc_buf_add(out, " for ");
		add_whom(out, all, w);
		seen[count++] = next;
	}
}

/* What can still be answered was cut off: in a run that somebody ended, all that is known. */
static void file(struct sc_rank_waits *all, const struct sc_rank_wait *w)
{
	bool is_able = all->is_able[w->process];
	struct sc_buf text = {0};

	if (w->group) {
		sc_open_list_file(all, w);
		return;
	}
	if (!w->whom.count)
		return;
	add_chain(&text, all, w);
	sc_across_remarks_add(
		all->m->remarks, w->process,
		(struct sc_remark){.sequence = w->event->sequence,
				   .rule = 174,
				   .doubt = is_able ? SC_DOUBT_ANSWERED : SC_DOUBT_NONE},
		&text);
}

static void add(struct sc_rank_waits *all, struct sc_rank_wait w)
{
	sc_vector_push(&all->list, w);
	if (!all->wait_of[w.process] && !(w.group && !w.host))
		all->wait_of[w.process] = (uint32_t)all->list.count;
}

/* Calls of NCCL, after the operations that are open: those that all ranks have come to return. */
static void add_returning(struct sc_rank_waits *all, uint32_t process)
{
	const struct sc_match_process *p = &all->m->processes[process];

	for (size_t k = 0; k < p->pending.count; k++) {
		const struct sc_across_event *e = &p->pending.items[k];

		if (sc_match_is_enqueued(all->m, e))
			add(all,
			    (struct sc_rank_wait){.process = process, .event = e, .is_unknown = 1});
	}
}

static void find(struct sc_rank_waits *all)
{
	struct sc_open_list enqueued;
	size_t at = 0;

	sc_open_list_find(&enqueued, all->m);
	for (uint32_t i = 0; i < all->m->count; i++) {
		const struct sc_match_process *p = &all->m->processes[i];

		for (size_t k = 0; k < p->pending.count; k++) {
			struct sc_rank_wait w = {.process = i, .event = &p->pending.items[k]};

			if (sc_match_is_enqueued(all->m, w.event))
				continue;
			find_whom(all->m, &w);
			add(all, w);
		}
		while (at < enqueued.list.count && enqueued.list.items[at].process == i)
			add(all, enqueued.list.items[at++]);
		add_returning(all, i);
	}
	sc_open_list_fini(&enqueued);
}

void sc_match_finish_waits(struct sc_match *m)
{
	struct sc_rank_waits all = {.m = m,
				    .is_able = sc_heap_xcalloc(m->count + 1u, sizeof(*all.is_able)),
				    .wait_of =
					    sc_heap_xcalloc(m->count + 1u, sizeof(*all.wait_of))};

	find(&all);
	find_able(&all);
	for (size_t i = 0; i < all.list.count; i++)
		file(&all, &all.list.items[i]);
	for (size_t i = 0; i < all.list.count; i++)
		sc_vector_fini(&all.list.items[i].whom);
	sc_vector_fini(&all.list);
	free(all.is_able);
	free(all.wait_of);
}
