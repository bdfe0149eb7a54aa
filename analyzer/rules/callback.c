/* Rules 123, 316, 319, 405: host functions that wait, take long, are relied on, or never run. */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "base/heap.h"
#include "trace/sync.h"
#include "analyzer/order/context_order.h"

#define LONG_NS	    UINT64_C(10000000)
#define PENDING_MAX 4096 /* enqueued and not returned; more are not judged */
#define HELD_MAX    1024 /* locks that threads hold in calls that wait */

/* A host function that was enqueued and has not returned. */
struct pending {
	uint64_t sequence;
	struct sc_op op;
	struct sc_interval when;
	uint32_t execution; /* 0: not begun */
	uint64_t begun_ns;
	struct sc_op lock;    /* that it tries to get (a SYNC_ACQUIRE), or kind NONE */
	bool is_reported;     /* reported: which thread holds the lock */
	struct pending *next; /* older one */
};

/* A thread is in a call that waits for a host function, and holds a lock. */
struct held {
	uint32_t thread, lock;
	bool is_shared; /* as a reader */
	uint64_t wait;	/* sequence + 1 of the call; 0: the thread's next one */
	struct sc_op op;
	struct sc_target covers; /* owned */
};

/* A call of a thread that waited, and never came back. */
struct hung {
	uint64_t sequence;
	struct sc_op op;
	struct sc_target covers; /* owned */
};

/* What signals a semaphore or condition: a thread, or a host function. */
struct signal {
	bool by_thread;
	uint64_t callback,
		wait; /* sequence + 1 of the host function, and of the first wait for its signal */
	struct sc_op op, waiter;
	struct signal *next;
};

struct callbacks {
	struct pending *pending; /* owned, newest first */
	size_t count;
	SC_VECTOR(struct held) held;
	SC_VECTOR(struct hung) hung;
	struct sc_u64_map signals; /* struct signal * by object */
	struct signal *all;	   /* owned */
	bool has_any;		   /* a host function was seen; nothing is noted before */
	bool has_left;		   /* the program ended well */
};

static struct pending **find(struct callbacks *c, uint64_t sequence)
{
	struct pending **p = &c->pending;

	while (*p && (*p)->sequence != sequence)
		p = &(*p)->next;
	return p;
}

static void add_pending(struct callbacks *c, struct sc_analysis *a, const struct sc_step *step)
{
	struct pending *p;

	c->has_any = 1;
	if (!step->is_enqueued)
		return;
	if (c->count == PENDING_MAX) {
		a->coverage.host_functions++;
		return;
	}
	p = sc_heap_xcalloc(1, sizeof(*p));
	p->sequence = step->sequence;
	p->op = *step->op;
	p->when = step->when;
	p->when.start = NULL;
	p->next = c->pending;
	c->pending = p;
	c->count++;
}

static void drop(struct callbacks *c, struct pending **place)
{
	struct pending *p = *place;

	*place = p->next;
	c->count--;
	free(p);
}

static void begin(struct callbacks *c, const struct sc_op *op)
{
	struct pending *p = *find(c, op->link - 1);

	if (!p)
		return;
	p->execution = op->callback;
	p->begun_ns = op->time_ns;
}

/* SC-316: drivers run host functions one after the other. */
static void check_long(const struct callbacks *c, struct sc_analysis *a, const struct pending *p,
		       const struct sc_op *end)
{
	const struct pending *waiting = c->pending;
	struct sc_finding f;

	if (!p->begun_ns || end->time_ns < p->begun_ns + LONG_NS)
		return;
	while (waiting &&
	       (waiting == p || waiting->execution || waiting->op.stream == p->op.stream))
		waiting = waiting->next;
	if (!waiting)
		return;
	f = sc_finding_begin(SC_RULE_316, &p->op, p->sequence, &waiting->op, waiting->sequence);
	if (p->sequence > waiting->sequence)
		f = sc_finding_begin(SC_RULE_316, &waiting->op, waiting->sequence, &p->op,
				     p->sequence);
	sc_finding_file(a, &f, NULL, &p->op);
}

static void end(struct callbacks *c, struct sc_analysis *a, const struct sc_op *op)
{
	struct pending **place = find(c, op->link - 1);

	if (!*place)
		return;
	check_long(c, a, *place, op);
	drop(c, place);
}

static struct pending *running(const struct callbacks *c, uint32_t execution)
{
	struct pending *p = c->pending;

	while (p && p->execution != execution)
		p = p->next;
	return p;
}

/* Deadlocks. */

static void hold(struct callbacks *c, struct sc_analysis *a, const struct sc_op *op)
{
	if (c->held.count < HELD_MAX)
		sc_vector_push(&c->held,
			       ((struct held){.thread = op->thread,
					      .lock = op->object,
					      .is_shared = op->value == SC_SYNC_SHARED_LOCK}));
	else
		a->coverage.held_locks++;
}

static struct sc_target target_of(struct sc_order *o, const struct sc_op *op)
{
	const struct sc_event_record *record;
	struct sc_target t = {0};

	if (op->kind == SC_OP_CONTEXT_SYNC)
		return sc_context_target(&o->streams, sc_context_of(&o->streams, op->context),
					 NULL);
	if (op->kind != SC_OP_EVENT_SYNC) {
		struct sc_stream *s = sc_stream_of(&o->streams, op->stream, op->context);

		return s ? sc_stream_target(&o->streams, s, NULL) : t;
	}
	record = sc_event_bound(sc_event_of(&o->events, op->object));
	if (record)
		t.point = sc_point_get(&record->snapshot);
	return t;
}

static void forget_held(struct callbacks *c, struct sc_analysis *a, uint32_t thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->held.count; i++) {
		if (c->held.items[i].thread == thread)
			sc_target_put(&a->order.pool, &c->held.items[i].covers);
		else
			c->held.items[kept++] = c->held.items[i];
	}
	c->held.count = kept;
}

/* The host function waits for a lock that the holder gives back only when it is over. */
static bool excludes(const struct held *h, const struct pending *p)
{
	bool are_readers = h->is_shared && p->lock.value == SC_SYNC_SHARED_LOCK;

	return h->wait && h->lock == p->lock.object && !are_readers &&
	       sc_target_covers(&h->covers, &p->when);
}

/* A lock that another thread gives back, or a wait that fails, may end it: proven only if neither
 * the lock was ever got nor the holder's call returned. */
static bool has_hung(const struct held *h, const struct pending *p)
{
	return p->lock.result == SC_RESULT_PENDING && h->op.result == SC_RESULT_PENDING;
}

/* SC-123. A thread that runs the host function itself has made its next call, and holds nothing. */
static void check_lock(struct sc_analysis *a, const struct held *h, struct pending *p)
{
	struct sc_finding f;

	if (!p->lock.kind || !excludes(h, p))
		return;
	f = sc_finding_begin(SC_RULE_123, &p->op, p->sequence, &h->op, h->wait - 1);
	if (!has_hung(h, p)) {
		f.confidence = SC_POSSIBLE;
		f.doubt = SC_DOUBT_ENDED;
	}
	p->is_reported = 1;
	sc_finding_file(a, &f, &p->op, &h->op);
}

/* The host function comes to a lock. */
static void begin_lock(struct callbacks *c, struct sc_analysis *a, const struct sc_op *op)
{
	struct pending *p = running(c, op->callback);

	if (!p)
		return;
	p->lock = *op;
	for (size_t i = 0; i < c->held.count; i++)
		check_lock(a, &c->held.items[i], p);
}

static void end_lock(struct callbacks *c, const struct sc_op *op)
{
	struct pending *p = running(c, op->callback);

	if (p)
		p->lock.kind = SC_OP_NONE;
}

static void hang(struct callbacks *c, struct sc_analysis *a, const struct sc_op *op,
		 uint64_t sequence)
{
	struct hung h = {.sequence = sequence, .op = *op, .covers = target_of(&a->order, op)};

	sc_vector_push(&c->hung, h);
}

static bool is_held(const struct callbacks *c, uint32_t lock)
{
	for (size_t i = 0; i < c->held.count; i++)
		if (c->held.items[i].lock == lock)
			return 1;
	return 0;
}

/* SC-123. The host function never got the lock, and a thread that waits for it never went on, but
 * the lock's holder was not seen: the lock was taken before locks were watched. */
static void check_hung(const struct callbacks *c, struct sc_analysis *a, const struct pending *p)
{
	bool is_reported = !p->lock.kind || p->is_reported || p->lock.result != SC_RESULT_PENDING ||
			   is_held(c, p->lock.object);

	for (size_t i = 0; i < c->hung.count && !is_reported; i++) {
		const struct hung *h = &c->hung.items[i];
		struct sc_finding f;

		if (!sc_target_covers(&h->covers, &p->when))
			continue;
		f = sc_finding_begin(SC_RULE_123, &p->op, p->sequence, &h->op, h->sequence);
		f.confidence = SC_POSSIBLE;
		f.doubt = a->gap ? SC_DOUBT_LOST : SC_DOUBT_HOLDER;
		sc_finding_file(a, &f, &p->op, &h->op);
		is_reported = 1;
	}
}

/* The thread's next call, which may wait, is this one. */
static void wait(struct callbacks *c, struct sc_analysis *a, const struct sc_op *op,
		 uint64_t sequence)
{
	for (size_t i = 0; i < c->held.count; i++) {
		struct held *h = &c->held.items[i];

		if (h->thread != op->thread || h->wait)
			continue;
		h->wait = sequence + 1;
		h->op = *op;
		h->covers = target_of(&a->order, op);
		for (struct pending *p = c->pending; p; p = p->next)
			check_lock(a, h, p);
	}
}

/* Signals. */

static struct signal *signal_of(struct callbacks *c, uint32_t object)
{
	uint64_t *place = sc_u64_map_get(&c->signals, object);
	struct signal *s = (struct signal *)(uintptr_t)*place;

	if (s)
		return s;
	s = sc_heap_xcalloc(1, sizeof(*s));
	s->next = c->all;
	c->all = s;
	*place = (uintptr_t)s;
	return s;
}

static bool is_lock(const struct sc_op *op)
{
	return op->value == SC_SYNC_LOCK || op->value == SC_SYNC_SHARED_LOCK;
}

static bool is_signal(const struct sc_op *op)
{
	return op->value == SC_SYNC_SEMAPHORE || op->value == SC_SYNC_CONDITION;
}

static void release(struct callbacks *c, const struct sc_op *op)
{
	const struct pending *p = op->callback ? running(c, op->callback) : NULL;
	struct signal *s;

	if (!is_signal(op))
		return;
	s = signal_of(c, op->object);
	if (p && !(p->op.flags & SC_FLAG_STREAM_CALLBACK)) {
		s->callback = p->sequence + 1;
		s->op = p->op;
	} else {
		s->by_thread = 1;
	}
}

/* SC-319: after an error host functions are not called, and a thread that waits without a limit
 * waits for ever (C-6). A thread that would signal in that case cannot be seen in a run that went
 * well, so it is never proven. */
static void check_signal(struct sc_analysis *a, const struct signal *s)
{
	struct sc_finding f;

	if (s->by_thread || !s->wait)
		return;
	f = sc_finding_begin(SC_RULE_319, &s->op, s->callback - 1, &s->waiter, s->wait - 1);
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_NOTIFIER;
	sc_finding_file(a, &f, &s->op, &s->waiter);
}

static void acquire(struct callbacks *c, struct sc_analysis *a, const struct sc_op *op,
		    uint64_t sequence)
{
	struct signal *s;

	if (op->callback) {
		if (op->phase == SC_PHASE_BEGIN && is_lock(op))
			begin_lock(c, a, op);
		else if (op->phase == SC_PHASE_END && is_lock(op))
			end_lock(c, op);
		return;
	}
	if (!is_signal(op) || op->flags & SC_FLAG_TIMED)
		return;
	s = signal_of(c, op->object);
	if (!s->callback || s->wait)
		return;
	s->wait = sequence + 1;
	s->waiter = *op;
}

static bool may_block(const struct sc_op *op)
{
	if (op->phase == SC_PHASE_END || op->callback)
		return 0;
	return op->kind == SC_OP_CONTEXT_SYNC || op->kind == SC_OP_STREAM_SYNC ||
	       op->kind == SC_OP_EVENT_SYNC ||
	       ((op->kind == SC_OP_COPY || op->kind == SC_OP_SET) && op->flags & SC_FLAG_SYNC);
}

/* Locks that a thread held in its last call are forgotten at its next one. */
static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct callbacks *c = state;

	(void)a;
	return c->held.count > 0;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct callbacks *c = state;
	const struct sc_op *op = &r->op;

	if (op->kind == SC_OP_HOST_FUNC)
		add_pending(c, a, step);
	if (!c->has_any)
		return;
	switch (op->kind) {
	case SC_OP_CALLBACK_BEGIN: begin(c, op); break;
	case SC_OP_CALLBACK_END: end(c, a, op); break;
	case SC_OP_SYNC_HOLD: hold(c, a, op); return;
	case SC_OP_SYNC_RELEASE: release(c, op); return;
	case SC_OP_SYNC_ACQUIRE: acquire(c, a, op, r->sequence); return;
	case SC_OP_EXIT: c->has_left |= !op->value; break;
	default: break;
	}
	if (may_block(op) && op->result == SC_RESULT_PENDING)
		hang(c, a, op, r->sequence);
	if (!c->held.count || sc_op_kind_class(op->kind) == SC_CLASS_DEFINE)
		return;
	if (may_block(op))
		wait(c, a, op, r->sequence);
	if (op->phase != SC_PHASE_BEGIN)
		forget_held(c, a, op->thread);
}

/* SC-405. One that the host has waited for was not called, because of an error (C-6). */
static void check_never_run(struct sc_analysis *a, const struct pending *p)
{
	struct sc_finding f;

	if (sc_clock_at(a->order.host.clock, p->when.lane) >= p->when.position || a->gap ||
	    sc_context_of(&a->order.streams, p->op.context)->faulted)
		return;
	f = sc_finding_begin(SC_RULE_405, NULL, 0, &p->op, p->sequence);
	sc_finding_file(a, &f, NULL, &p->op);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct callbacks *c = state;

	while (c->pending) {
		if (c->has_left)
			check_never_run(a, c->pending);
		check_hung(c, a, c->pending);
		drop(c, &c->pending);
	}
	while (c->all) {
		struct signal *s = c->all;

		c->all = s->next;
		check_signal(a, s);
		free(s);
	}
	for (size_t i = 0; i < c->held.count; i++)
		sc_target_put(&a->order.pool, &c->held.items[i].covers);
	for (size_t i = 0; i < c->hung.count; i++)
		sc_target_put(&a->order.pool, &c->hung.items[i].covers);
	sc_vector_fini(&c->held);
	sc_vector_fini(&c->hung);
	sc_u64_map_fini(&c->signals);
}

const struct sc_rule_family sc_rules_callback = {
	.state_bytes = sizeof(struct callbacks),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
