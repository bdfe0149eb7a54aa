/* Which wait or event between the two sides of a race came nearest to ordering them. */
#include "analyzer/rules/race/nearest_wait.h"

#include <stdbool.h>
#include "analyzer/rules/race/race.h"

/* What one wait says about a race; a higher rank says more. */
struct miss {
	uint8_t rank;
	uint8_t reach; /* enum sc_reach */
	unsigned cause;
	struct sc_wait wait; /* borrowed clocks; of rank 0: none */
};

/* True if another record of the event covers the work that was missed (E-2, E-4). */
static bool has_better_record(struct sc_order *o, const struct sc_wait *w,
			      const struct sc_interval *x)
{
	struct sc_event *e = sc_event_find(&o->events, w->object);

	for (uint32_t i = 0; e && i < SC_EVENT_KEPT; i++) {
		const struct sc_event_record *r = sc_event_at(e, i);
		struct sc_target t;

		if (!r)
			break;
		t = (struct sc_target){.point = r->snapshot};
		if (r->record != w->record && sc_target_covers(&t, x))
			return 1;
	}
	return 0;
}

static struct miss judge_event(struct sc_order *o, const struct sc_wait *w,
			       const struct sc_interval *x)
{
	if (has_better_record(o, w, x))
		return (struct miss){5, SC_REACH_RECORD, SC_RULE_111, *w};
	if (w->covers.point.lane == x->lane)
		return (struct miss){4, SC_REACH_EARLIER, SC_RULE_111, *w};
	return (struct miss){2, SC_REACH_OTHER, SC_RULE_112, *w};
}

/* E-14: the event says that the kernel began, and was read as its end. */
static struct miss judge_launch(struct sc_order *o, const struct sc_wait *w,
				const struct sc_interval *x)
{
	struct sc_event *e = sc_event_find(&o->events, w->object);

	for (uint32_t i = 0; e && i < SC_EVENT_KEPT; i++) {
		const struct sc_event_record *r = sc_event_at(e, i);
		struct sc_target t = {.point = r && r->launch ? r->launch->launched
							      : (struct sc_point){0}};

		if (r && r->record == w->record && sc_target_covers(&t, x))
			return (struct miss){6, SC_REACH_LAUNCH, SC_RULE_147, *w};
	}
	return (struct miss){2, SC_REACH_OTHER, 0, *w};
}

/* A query whose answer the program does not use; about other work it says nothing here. */
static struct miss judge_luck(const struct sc_wait *w, const struct sc_interval *x)
{
	bool is_pool = w->kind == SC_WAIT_POOL;

	if (!sc_target_covers(&w->covers, x))
		return (struct miss){0};
	return (struct miss){7, is_pool ? SC_REACH_POOL : SC_REACH_LUCK, 0, *w};
}

static bool is_luck(const struct sc_wait *w)
{
	return w->kind == SC_WAIT_LUCK || w->kind == SC_WAIT_POOL;
}

static struct miss judge(struct sc_order *o, const struct sc_wait *w, const struct sc_interval *x)
{
	switch ((enum sc_wait_kind)w->kind) {
	case SC_WAIT_NEVER: return (struct miss){6, SC_REACH_NEVER, SC_RULE_110, *w};
	case SC_WAIT_FOREIGN: return (struct miss){6, SC_REACH_FOREIGN, SC_RULE_215, *w};
	case SC_WAIT_NOT_READY: return (struct miss){3, SC_REACH_NOT_READY, 0, *w};
	case SC_WAIT_EVENT: return judge_event(o, w, x);
	case SC_WAIT_STREAM:
	case SC_WAIT_CONTEXT: return (struct miss){2, SC_REACH_OTHER, SC_RULE_112, *w};
	case SC_WAIT_LAUNCH: return judge_launch(o, w, x);
	case SC_WAIT_COPY: return (struct miss){1, SC_REACH_OTHER, 0, *w};
	case SC_WAIT_POOL:
	case SC_WAIT_LUCK: return judge_luck(w, x);
	}
	return (struct miss){0};
}

/* S-5: both are per-thread default streams, of two threads. */
static bool is_other_thread(struct sc_order *o, const struct sc_wait *w, const struct sc_note *a)
{
	const struct sc_stream *waited, *wanted;

	if (w->kind != SC_WAIT_STREAM || w->object == a->op.stream)
		return 0;
	waited = sc_stream_of(&o->streams, w->object, a->op.context);
	wanted = sc_stream_of(&o->streams, a->op.stream, a->op.context);
	return waited && wanted && waited->flags & wanted->flags & SC_FLAG_PER_THREAD;
}

/* The best miss of a log between the two ops, newest first among equals. */
static void search(struct sc_order *o, const struct sc_wait_log *log, const struct sc_note *a,
		   const struct sc_note *b, uint32_t thread, struct miss *best)
{
	struct sc_wait w;

	for (uint32_t i = 0; sc_wait_log_at(log, i, &w); i++) {
		struct miss m;

		if (w.sequence >= b->sequence || w.sequence <= a->sequence)
			continue;
		if (!is_luck(&w) &&
		    ((thread && w.thread != thread) || sc_target_covers(&w.covers, &a->when)))
			continue;
		m = judge(o, &w, &a->when);
		if (is_other_thread(o, &w, a))
			m = (struct miss){3, SC_REACH_OTHER, SC_RULE_146, w};
		if (m.rank > best->rank)
			*best = m;
	}
}

/* True if a call that failed would have been before the second op: as a wait of its own, or as the
 * record that the best miss waits for. */
static bool is_of(const struct sc_wait *w, const struct sc_note *b, const struct miss *best)
{
	bool is_host = sc_note_is_by_host(b);

	switch (w->kind) {
	case SC_WAIT_NEVER:
		return best->rank && best->wait.object == w->object &&
		       best->wait.kind != SC_WAIT_STREAM;
	case SC_WAIT_EVENT: return !is_host && b->op.stream == w->object;
	default: return w->thread == b->op.thread;
	}
}

/* Calls between the two that would have ordered them, had they not failed. */
static void search_failed(struct sc_order *o, const struct sc_note *a, const struct sc_note *b,
			  struct miss *best)
{
	struct sc_wait w;

	for (uint32_t i = 0; sc_wait_log_at(&o->failed, i, &w); i++)
		if (w.sequence < b->sequence && w.sequence > a->sequence &&
		    sc_target_covers(&w.covers, &a->when) && is_of(&w, b, best)) {
			*best = (struct miss){8, SC_REACH_FAILED, best->cause, w};
			return;
		}
}

/* The host did wait for that stream, but another thread enqueued the first op after that wait: the
 * waiting thread may use the memory again before the first op is done with it. */
static void search_before(const struct sc_wait_log *log, const struct sc_note *a,
			  const struct sc_note *b, struct miss *best)
{
	struct sc_wait w;

	if (a->op.thread == b->op.thread)
		return;
	for (uint32_t i = 0; !best->rank && sc_wait_log_at(log, i, &w); i++) {
		if (w.sequence < a->sequence && w.thread == b->op.thread &&
		    sc_target_covers_earlier(&w.covers, &a->when))
			*best = (struct miss){1, SC_REACH_BEFORE, 0, w};
	}
}

static uint8_t device_of(struct sc_order *o, const struct sc_note *n)
{
	return sc_context_of(&o->streams, n->context)->device;
}

/* A wait names another thread's own default stream in vain: its handle means that of the caller. */
static bool is_out_of_reach(struct sc_order *o, const struct sc_note *a, const struct sc_note *b)
{
	const struct sc_stream *s = sc_stream_of(&o->streams, a->op.stream, a->context);

	return s && s->flags & SC_FLAG_PER_THREAD && a->op.thread != b->op.thread;
}

/* True if the op's device has other contexts, so that a wait for the device says nothing. */
static bool has_sibling(struct sc_order *o, const struct sc_note *n)
{
	for (const struct sc_context *c = o->streams.contexts; c; c = c->next)
		if (c->id && c->id != n->context && c->device == device_of(o, n))
			return 1;
	return 0;
}

static void fix_host(struct sc_order *o, const struct sc_note *a, const struct sc_note *b,
		     const struct miss *m, struct sc_finding *f)
{
	bool is_other_device = m->rank && m->wait.kind == SC_WAIT_CONTEXT && !has_sibling(o, a);

	f->fix = is_other_device || is_out_of_reach(o, a, b) ? SC_FIX_SYNC_CONTEXT
							     : SC_FIX_SYNC_STREAM;
	f->fix_stream = a->op.stream;
	f->fix_device = device_of(o, a);
	f->fix_before = b->sequence + 1;
	if (b->op.flags & SC_FLAG_FRAME) { /* it ended somewhere before the call that noticed it */
		f->fix = SC_FIX_FRAME;
		f->fix_before = 0;
	}
}

static void fix(struct sc_order *o, const struct sc_note *a, const struct sc_note *b,
		const struct miss *m, struct sc_finding *f)
{
	f->fix_after = a->sequence + 1;
	if (m->cause == SC_RULE_111 && m->reach == SC_REACH_EARLIER && m->wait.record) {
		f->fix = SC_FIX_MOVE;
		f->fix_before = m->wait.record;
	} else if (b->is_callback && !a->is_callback && !sc_note_is_by_host(a)) {
		f->fix = SC_FIX_CALLBACK; /* it may not wait (C-4) */
		f->fix_stream = a->op.stream;
	} else if (sc_note_is_by_host(a) || a->is_callback || b->is_callback ||
		   a->op.stream == b->op.stream) {
		f->fix = SC_FIX_RULE;
	} else if (sc_note_is_by_host(b)) {
		fix_host(o, a, b, m, f);
	} else {
		f->fix = SC_FIX_EVENT;
		f->fix_stream = b->op.stream;
		f->fix_before = b->sequence + 1;
	}
}

unsigned sc_nearest_wait_explain(struct sc_order *o, const struct sc_note *a,
				 const struct sc_note *b, struct sc_finding *f)
{
	bool is_host = sc_note_is_by_host(b);
	struct miss best = {0};

	if (!is_host && !b->is_callback) {
		struct sc_stream *s = sc_stream_of(&o->streams, b->op.stream, b->op.context);

		if (s)
			search(o, &s->waits, a, b, 0, &best);
	}
	search(o, &o->host.waits, a, b, b->op.thread, &best);
	if (is_host && !sc_note_is_by_host(a))
		search_before(&o->host.waits, a, b, &best);
	search_failed(o, a, b, &best);
	f->reach = best.reach;
	f->reach_op = best.rank ? best.wait.sequence + 1 : 0;
	f->reach_record = best.reach == SC_REACH_RECORD ? best.wait.record : 0;
	fix(o, a, b, &best, f);
	if (best.cause == SC_RULE_112 && !is_host)
		return 0;
	return best.cause;
}
