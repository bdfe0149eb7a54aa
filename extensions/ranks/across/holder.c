/* Holders: lists of those that have memory open, and of frees that are not judged yet. */
#include "extensions/ranks/across/holder.h"

#include <stdlib.h>
#include "analyzer/finding/verdict.h"
#include "base/heap.h"

struct sc_holder_process {
	uint64_t last_ns; /* of its last event */
	bool is_lost;	  /* some of its records are missing */
	bool is_over;
};

void sc_holders_init(struct sc_holders *h, struct sc_shared *s, const struct sc_match *m,
		     struct sc_across_remarks *remarks)
{
	*h = (struct sc_holders){.shared = s,
				 .match = m,
				 .remarks = remarks,
				 .of = sc_heap_xcalloc(m->count + 1u, sizeof(*h->of))};
}

static struct sc_holder *find(struct sc_holders *h, const struct sc_sharing_object *x,
			      unsigned process)
{
	for (size_t i = h->list.count; i-- > 0;)
		if (h->list.items[i].object == x && h->list.items[i].process == process)
			return &h->list.items[i];
	return NULL;
}

/* A further open of the same memory counts as the first one; only the last close is its end. */
static void open(struct sc_holders *h, unsigned process, const struct sc_across_event *e)
{
	const struct sc_sharing_object *x = sc_shared_named(h->shared, e->group);
	const struct sc_holder *before = x ? find(h, x, process) : NULL;

	if (!x || x->is_event || (before && !before->is_closed))
		return;
	sc_vector_push(&h->list, ((struct sc_holder){.object = x,
						     .process = process,
						     .opened = e->sequence,
						     .opened_ns = e->time_ns}));
}

static void close(struct sc_holders *h, unsigned process, const struct sc_across_event *e)
{
	const struct sc_sharing_object *x = sc_shared_object(h->shared, process, e->tag);
	struct sc_holder *holder = x ? find(h, x, process) : NULL;

	if (!holder || holder->is_closed)
		return;
	holder->is_closed = 1;
	holder->is_unclear = e->value == SC_ACROSS_ENDED_OTHERWISE;
	holder->closed = e->sequence;
	holder->closed_ns = e->time_ns;
}

/* ---- judged ---- */

enum verdict { FINE, UNORDERED, OPEN };

static enum verdict judge(const struct sc_holders *h, const struct sc_freed *f,
			  const struct sc_holder *x)
{
	const struct sc_holder_process *p = &h->of[x->process];

	if (x->object != f->object || x->process == f->process || x->is_unclear ||
	    x->opened_ns > f->time_ns)
		return FINE;
	if (x->is_closed && sc_knowledge_has(f->clock, x->process, x->closed))
		return FINE;
	/* One that ended before has nothing open, and no order to lack. */
	if (!x->is_closed && p->last_ns < f->time_ns)
		return FINE;
	return x->is_closed && x->closed_ns < f->time_ns ? UNORDERED : OPEN;
}

static enum sc_doubt doubt_of(const struct sc_holders *h, const struct sc_freed *f,
			      const struct sc_holder *x, enum verdict v)
{
	if (f->object->is_far)
		return SC_DOUBT_CLOCKS;
	if (h->of[x->process].is_lost || h->of[f->process].is_lost)
		return SC_DOUBT_LOST;
	return v == OPEN ? SC_DOUBT_NONE : SC_DOUBT_CHANNEL;
}

/* What is not seen between processes that send each other nothing that is followed is all. */
static bool is_known(const struct sc_holders *h, const struct sc_freed *f,
		     const struct sc_holder *x)
{
	return sc_knowledge_is_whole(h->shared->knowledge, f->clock) &&
	       h->match->processes[f->process].rank && h->match->processes[x->process].rank;
}

static void file(struct sc_holders *h, const struct sc_freed *f, const struct sc_holder *x,
		 enum verdict v)
{
	enum sc_doubt doubt = doubt_of(h, f, x, v);
	struct sc_buf text = {0};

	if ((v == UNORDERED || f->object->is_far) && !is_known(h, f, x))
		return;
	sc_match_name(&text, h->match, x->process);
	sc_buf_add(&text, v == OPEN ? " still has this memory open, since the call"
				    : " has closed this memory by the call");
	sc_across_remark_place(&text, x->process, v == OPEN ? x->opened : x->closed);
	if (v == UNORDERED)
		sc_buf_add(&text, "; no message or collective orders that before it is freed");
	sc_across_remarks_add(
		h->remarks, f->process,
		(struct sc_remark){.sequence = f->sequence, .rule = 141, .doubt = (uint8_t)doubt},
		&text);
}

/* Files the worst of what there is to say of a free, and forgets those who had it open. */
static void settle(struct sc_holders *h, const struct sc_freed *f)
{
	const struct sc_holder *worst = NULL;
	enum verdict v = FINE;
	size_t kept = 0;

	for (size_t i = 0; i < h->list.count; i++) {
		enum verdict one = judge(h, f, &h->list.items[i]);

		if (one > v) {
			v = one;
			worst = &h->list.items[i];
		}
	}
	if (v != FINE && !h->match->is_double)
		file(h, f, worst, v);
	for (size_t i = 0; i < h->list.count; i++) {
		struct sc_holder x = h->list.items[i];

		if (x.object != f->object || x.opened_ns > f->time_ns)
			h->list.items[kept++] = x;
	}
	h->list.count = kept;
}

/* All others have come past it, so what they had open then is known. */
static bool is_past(const struct sc_holders *h, const struct sc_freed *f)
{
	for (size_t i = 0; i < f->object->sharers.count; i++) {
		unsigned p = f->object->sharers.items[i];

		if (p != f->process && !h->of[p].is_over && h->of[p].last_ns <= f->time_ns)
			return 0;
	}
	return 1;
}

static void settle_all(struct sc_holders *h, bool is_end)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->freed.count; i++) {
		struct sc_freed *f = &h->freed.items[i];

		if (!is_end && !is_past(h, f)) {
			h->freed.items[kept++] = *f;
			continue;
		}
		settle(h, f);
		sc_clock_put(&h->shared->knowledge->pool, f->clock);
	}
	h->freed.count = kept;
}

static void free_it(struct sc_holders *h, unsigned process, const struct sc_across_event *e)
{
	const struct sc_sharing_object *x = sc_shared_object(h->shared, process, e->tag);

	if (!x || x->is_event)
		return;
	settle_all(h, 0);
	sc_vector_push(&h->freed,
		       ((struct sc_freed){
			       .object = x,
			       .process = process,
			       .sequence = e->sequence,
			       .time_ns = e->time_ns,
			       .clock = sc_clock_get(h->shared->knowledge->of[process].clock)}));
}

/* ---- events ---- */

void sc_holders_take(struct sc_holders *h, unsigned process, const struct sc_across_event *e)
{
	struct sc_holder_process *p = &h->of[process];

	if (!sc_across_is_early(e))
		p->last_ns = e->time_ns;
	if (e->what == SC_ACROSS_VAGUE || (e->what == SC_ACROSS_DOUBT && e->value == SC_DOUBT_LOST))
		p->is_lost = 1;
	else if (e->what == SC_ACROSS_EXIT)
		p->is_over = 1;
	else if (e->what == SC_ACROSS_SHARE && e->peer == SC_SHARE_OPENED)
		open(h, process, e);
	else if (e->what == SC_ACROSS_ENDED && e->value == SC_ACROSS_ENDED_OWN)
		free_it(h, process, e);
	else if (e->what == SC_ACROSS_ENDED)
		close(h, process, e);
}

void sc_holders_finish(struct sc_holders *h)
{
	settle_all(h, 1);
}

void sc_holders_fini(struct sc_holders *h)
{
	for (size_t i = 0; i < h->freed.count; i++)
		sc_clock_put(&h->shared->knowledge->pool, h->freed.items[i].clock);
	sc_vector_fini(&h->freed);
	sc_vector_fini(&h->list);
	free(h->of);
}
