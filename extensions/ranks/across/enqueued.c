/* Enqueued: operations of NCCL that not all ranks of their communicator have enqueued.
 *
 * The device waits. The host of the process waits, too, if it has not returned from a wait for that
 * stream; then those for whom it waits are part of who can go on (wait.c). Otherwise there is
 * something to say only if one of them will never make the call.
 *
 * A call that has not returned may be about to, or wait until all ranks have come to theirs, as
 * NCCL's first ones of a communicator do: the host is said to wait there, and may go on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "extensions/ranks/across/wait.h"
#include "analyzer/finding/verdict.h"

#define SHOWN_MOST 3 /* ranks that are described */

/* ---- which ---- */

bool sc_match_is_enqueued(const struct sc_match *m, const struct sc_across_event *e)
{
	const struct sc_match_group *g = sc_match_group(m, e->group);

	return g && g->kind == SC_GROUP_NCCL;
}

static bool covers(const struct sc_match_process *p, const struct sc_match_group *g,
		   const struct sc_across_event *host, const struct sc_across_event *e)
{
	if (host->tag) /* the process may have other contexts */
		return !g->has_many;
	return host->peer && host->peer == e->link && p->nccl_thread == host->thread;
}

/* A call of NCCL that has not returned: that of the operation itself, if it is one. */
static const struct sc_across_event *find_call(const struct sc_match *m,
					       const struct sc_rank_wait *w)
{
	const struct sc_match_process *p = &m->processes[w->process];

	if (w->event->is_pending)
		return w->event;
	for (size_t i = 0; i < p->pending.count; i++)
		if (sc_match_is_enqueued(m, &p->pending.items[i]))
			return &p->pending.items[i];
	return NULL;
}

/* What the host waits for is certain only if it is a wait for this stream, in the thread that would
 * make all other calls of NCCL. */
static void find_host(const struct sc_match *m, struct sc_rank_wait *w)
{
	const struct sc_match_process *p = &m->processes[w->process];
	bool is_certain = 0;

	w->host = find_call(m, w);
	if (w->host) {
		w->is_unknown = 1;
		return;
	}
	for (size_t i = 0; i < p->stuck.count && !is_certain; i++) {
		is_certain = covers(p, w->group, &p->stuck.items[i], w->event);
		if (is_certain || !w->host)
			w->host = &p->stuck.items[i];
	}
	is_certain &= p->stuck.count == 1 && p->nccl_thread == w->host->thread;
	w->is_unknown |= !is_certain || w->group->is_aborted;
}

static void add_member(struct sc_rank_wait *w, const struct sc_match_member *x)
{
	sc_vector_push(&w->whom, x->process);
	w->is_refused |= x->has_parted && !w->group->is_aborted;
	w->is_unknown |= x->process == w->process; /* another thread may call */
}

static void push(struct sc_open_list *s, struct sc_rank_wait *w)
{
	find_host(s->m, w);
	if (w->whom.count)
		sc_vector_push(&s->list, *w);
}

static bool is_missing(const struct sc_match_member *x, const struct sc_rank_wait *w)
{
	return x->last < w->event->tag;
}

static void see_collective(void *data, const struct sc_match_group *g,
			   const struct sc_match_entry *e)
{
	struct sc_rank_wait w = {.process = e->process, .event = &e->event, .group = g};

	if (e->event.has_failed)
		return;
	for (const struct sc_match_member *x = g->members; x; x = x->hh.next)
		if (is_missing(x, &w))
			add_member(&w, x);
	if (g->size > HASH_COUNT(g->members))
		sc_vector_push(&w.whom, SC_NO_PROCESS);
	push(data, &w);
}

/* The earliest message of a channel. */
static void see_left(void *data, const struct sc_match_side *side)
{
	uint32_t other = side->is_receive ? side->from : side->to;
	struct sc_rank_wait w = {.process = (uint32_t)side->key.process,
				 .event = &side->event,
				 .group = side->group,
				 .side = side};

	if (side->group->is_out_of_step)
		return;
	add_member(&w, sc_match_member(side->group, other));
	push(data, &w);
}

static int by_process(const void *left, const void *right)
{
	const struct sc_rank_wait *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->event->sequence < b->event->sequence ? -1
						       : a->event->sequence > b->event->sequence;
}

void sc_open_list_find(struct sc_open_list *s, const struct sc_match *m)
{
	*s = (struct sc_open_list){.m = m};
	for (const struct sc_match_group *g = m->groups; g; g = g->hh.next)
		if (!g->is_out_of_step)
			sc_match_each_open(g, see_collective, s);
	sc_match_each_left(m, see_left, s);
	if (s->list.count)
		qsort(s->list.items, s->list.count, sizeof(*s->list.items), by_process);
}

void sc_open_list_fini(struct sc_open_list *s)
{
	sc_vector_fini(&s->list);
}

/* ---- words ---- */

/* What the process of the rank does, as far as it matters. */
static void add_state(struct sc_buf *out, const struct sc_rank_waits *all,
		      const struct sc_match_member *x)
{
	const struct sc_match_process *p = &all->m->processes[x->process];

	if (x->has_parted) {
		sc_buf_add(out, ", and it takes no more part");
	} else if (p->has_ended && p->signal) {
		sc_buf_printf(out, ", and it was ended by signal %" PRIu32, p->signal);
	} else if (p->has_ended) {
		sc_buf_add(out, ", and it has ended");
	} else if (p->stuck.count) {
		const struct sc_across_event *host = &p->stuck.items[0];

		sc_buf_printf(out, ", and it waits in %s", sc_match_call(all->m, host->call));
		sc_across_remark_place(out, x->process, host->sequence);
	} else if (p->pending.count) {
		const struct sc_across_event *call = &p->pending.items[0];

		sc_buf_printf(out, ", and it waits in %s", sc_match_call(all->m, call->call));
		sc_across_remark_place(out, x->process, call->sequence);
	}
}

/* "; rank 1 has not called it: its last call there is ncclBroadcast at (place), and it has ended"
 */
static void add_missing(struct sc_buf *out, const struct sc_rank_waits *all,
			const struct sc_rank_wait *w, const struct sc_match_member *x)
{
	const char *what = !w->side ? "called" : w->side->is_receive ? "sent" : "received";

	sc_buf_add(out, "; ");
	sc_match_name_rank(out, all->m, w->group, x->rank);
	sc_buf_printf(out, " has not %s it: ", what);
	if (x->last_op) {
		sc_buf_printf(out, "its last call there is %s",
			      sc_match_call(all->m, x->last_call));
		sc_across_remark_place(out, x->process, x->last_op - 1);
	} else {
		sc_buf_add(out, "it has made no call there");
	}
	add_state(out, all, x);
}

static void add_without_trace(struct sc_buf *out, const struct sc_match_group *g)
{
	unsigned missing = g->size - HASH_COUNT(g->members);

	sc_buf_printf(out, "; %u rank%s of it ha%s no trace", missing, missing > 1 ? "s" : "",
		      missing > 1 ? "ve" : "s");
}

static void add_all_missing(struct sc_buf *out, const struct sc_rank_waits *all,
			    const struct sc_rank_wait *w)
{
	unsigned shown = 0;
	size_t count = 0;

	for (const struct sc_match_member *x = w->group->members; x; x = x->hh.next) {
		if (!is_missing(x, w))
			continue;
		count++;
		if (shown < SHOWN_MOST) {
			add_missing(out, all, w, x);
			shown++;
		}
	}
	if (count > shown)
		sc_buf_printf(out, "; %zu other%s ha%s not called it either", count - shown,
			      count - shown > 1 ? "s" : "", count - shown > 1 ? "ve" : "s");
	if (w->group->size > HASH_COUNT(w->group->members))
		add_without_trace(out, w->group);
}

static void describe(struct sc_buf *out, const struct sc_rank_waits *all,
		     const struct sc_rank_wait *w)
{
	if (w->side) {
		sc_buf_printf(out, "it is a message of rank %" PRIu32 " to rank %" PRIu32 " of ",
			      w->side->from, w->side->to);
		sc_match_name_group(out, w->group);
		add_missing(out, all, w,
			    sc_match_member(w->group,
					    w->side->is_receive ? w->side->from : w->side->to));
	} else {
		sc_buf_printf(out, "it is collective %" PRIu64 " of ", w->event->tag);
		sc_match_name_group(out, w->group);
		add_all_missing(out, all, w);
	}
	if (w->host == w->event) {
		sc_buf_add(out, "; the call has not returned");
	} else if (w->host) {
		sc_buf_printf(out, "; the host waits in %s", sc_match_call(all->m, w->host->call));
		sc_across_remark_place(out, w->process, w->host->sequence);
	}
}

/* One for whom it waits has ended of itself. */
static bool is_left_alone(const struct sc_rank_waits *all, const struct sc_rank_wait *w)
{
	for (size_t i = 0; i < w->whom.count; i++) {
		uint32_t process = w->whom.items[i];

		if (process != SC_NO_PROCESS && all->m->processes[process].has_ended &&
		    !all->m->processes[process].signal)
			return 1;
	}
	return 0;
}

/* It is proven that nobody will answer if one of the ranks is gone, or if all wait for each other.
 * Messages that are left over where both have ended are another rule's (SC-408). */
void sc_open_list_file(const struct sc_rank_waits *all, const struct sc_rank_wait *w)
{
	bool is_never = !w->group->is_aborted && (w->is_refused || is_left_alone(all, w));
	bool is_proven = is_never || (w->host && !sc_rank_wait_can_end(all, w) && !w->is_unknown);
	struct sc_buf text = {0};

	if (!w->host && (w->side || !is_never))
		return;
	describe(&text, all, w);
	sc_across_remarks_add(
		all->m->remarks, w->process,
		(struct sc_remark){.sequence = w->event->sequence,
				   .rule = 174,
				   .doubt = is_proven ? SC_DOUBT_NONE : SC_DOUBT_ANSWERED},
		&text);
}
