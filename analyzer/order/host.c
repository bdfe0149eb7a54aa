/* Host threads: clocks of threads, and what synchronization objects carry. */
#include "analyzer/order/host.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/order/host_wait.h"
#include "base/heap.h"

void sc_hosts_fini(struct sc_order *o)
{
	struct sc_hosts *h = &o->hosts;

	while (h->threads) {
		struct sc_host_thread *t = h->threads;

		h->threads = t->next;
		sc_clock_put(&o->pool, t->clock);
		free(t);
	}
	while (h->syncs) {
		struct sc_sync *s = h->syncs;

		h->syncs = s->next;
		sc_clock_put(&o->pool, s->clock);
		free(s);
	}
	sc_u64_map_fini(&h->threads_by_id);
	sc_u64_map_fini(&h->syncs_by_id);
}

struct sc_host_thread *sc_host_thread_of(struct sc_order *o, uint32_t id)
{
	uint64_t *place = sc_u64_map_get(&o->hosts.threads_by_id, id);
	struct sc_host_thread *t = (struct sc_host_thread *)(uintptr_t)*place;

	if (t)
		return t;
	t = sc_heap_xcalloc(1, sizeof(*t));
	t->id = id;
	t->lane = o->streams.lanes++;
	t->version = ++o->hosts.versions;
	t->next = o->hosts.threads;
	o->hosts.threads = t;
	*place = (uintptr_t)t;
	return t;
}

static struct sc_sync *sync_of(struct sc_order *o, uint32_t object)
{
	uint64_t *place = sc_u64_map_get(&o->hosts.syncs_by_id, object);
	struct sc_sync *s = (struct sc_sync *)(uintptr_t)*place;

	if (s)
		return s;
	s = sc_heap_xcalloc(1, sizeof(*s));
	s->next = o->hosts.syncs;
	o->hosts.syncs = s;
	*place = (uintptr_t)s;
	return s;
}

struct sc_clock *sc_host_clock(struct sc_order *o, const struct sc_step *step)
{
	if (!o->hosts.is_strict || step->op->callback)
		return o->host.clock;
	return sc_host_thread_of(o, step->op->thread)->clock;
}

void sc_host_join(struct sc_order *o, const struct sc_step *step, uint64_t position)
{
	struct sc_stream *s = step->stream;
	struct sc_host_thread *t = NULL;
	uint64_t version = o->host.version;

	if (!o->hosts.is_strict && s->host_version == version)
		return;
	if (o->hosts.is_strict) {
		t = sc_host_thread_of(o, step->op->thread);
		version = t->version;
	}
	if (s->host_version != version)
		sc_clock_join(&o->pool, &s->tail.base, t ? t->clock : o->host.clock);
	s->host_version = version;
	if (t)
		sc_clock_raise(&o->pool, &s->tail.base, t->lane, position);
}

static void touch(struct sc_order *o, struct sc_host_thread *t, bool has_changed)
{
	if (has_changed)
		t->version = ++o->hosts.versions;
}

void sc_host_learn(struct sc_order *o, const struct sc_step *step, const struct sc_target *covers)
{
	struct sc_host_thread *t;

	if (!o->hosts.is_strict)
		return;
	t = sc_host_thread_of(o, step->op->thread);
	touch(o, t, sc_target_join(&o->pool, &t->clock, covers));
}

struct sc_when sc_host_moment(struct sc_order *o, const struct sc_step *step,
			      struct sc_clock *start)
{
	struct sc_when when = {.start = start,
			       .lane = SC_LANE_HOST,
			       .position = step->sequence + 1,
			       .entered = step->sequence + 1};

	if (o->hosts.is_strict && !step->op->callback) {
		when.lane = sc_host_thread_of(o, step->op->thread)->lane;
		when.is_thread = 1;
	}
	return when;
}

/* Everything that the thread, or the callback that it runs, knows and did goes into the object. */
static void release(struct sc_order *o, const struct sc_step *step)
{
	struct sc_sync *s = sync_of(o, step->op->object);
	struct sc_callback *inside = step->inside;

	if (inside) {
		sc_clock_join(&o->pool, &s->clock, inside->when.start);
		sc_clock_raise(&o->pool, &s->clock, inside->when.lane, inside->when.position);
		inside->has_signalled = 1;
		return;
	}
	sc_clock_join(&o->pool, &s->clock, sc_host_clock(o, step));
	if (o->hosts.is_strict)
		sc_clock_raise(&o->pool, &s->clock, sc_host_thread_of(o, step->op->thread)->lane,
			       step->sequence + 1);
	s->entered = step->sequence + 1;
}

static void acquire(struct sc_order *o, const struct sc_step *step)
{
	struct sc_sync *s = sync_of(o, step->op->object);
	struct sc_target carried = {.more = s->clock};

	sc_host_wait_learn(o, step, &carried);
	if (step->inside && step->inside->when.entered < s->entered)
		step->inside->when.entered = s->entered;
}

/* What another thread knows and did so far; its creator's or that of one that was joined. */
static void learn_from(struct sc_order *o, struct sc_host_thread *t, uint32_t from)
{
	struct sc_host_thread *other = sc_host_thread_of(o, from);
	struct sc_point last = {other->clock, other->lane, o->at};

	touch(o, t, sc_clock_join_point(&o->pool, &t->clock, &last));
}

static void begin_thread(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	if (op->object)
		acquire(o, step);
	else if (o->hosts.is_strict && op->peer && op->peer != op->thread)
		learn_from(o, sc_host_thread_of(o, op->thread), op->peer);
}

static void join_thread(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	if (o->hosts.is_strict && op->peer != op->thread && !step->inside)
		learn_from(o, sc_host_thread_of(o, op->thread), op->peer);
}

bool sc_host_sync(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	switch (op->kind) {
	case SC_OP_SYNC_RELEASE: release(o, step); return 1;
	case SC_OP_SYNC_ACQUIRE:
		if (op->phase != SC_PHASE_BEGIN && op->result == 0)
			acquire(o, step);
		return 1;
	case SC_OP_THREAD_BEGIN: begin_thread(o, step); return 1;
	case SC_OP_THREAD_JOIN: join_thread(o, step); return 1;
	case SC_OP_THREAD_END:
		if (o->hosts.is_strict)
			sc_host_thread_of(o, op->thread)->has_ended = 1;
		return 1;
	}
	return 0;
}

bool sc_hosts_know(const struct sc_order *o, uint32_t lane, uint64_t position)
{
	for (const struct sc_host_thread *t = o->hosts.threads; t; t = t->next)
		if (!t->has_ended && t->lane != lane && sc_clock_at(t->clock, lane) < position)
			return 0;
	return 1;
}

bool sc_host_knows_thread(struct sc_order *o, const struct sc_step *step, uint32_t thread,
			  uint64_t position)
{
	struct sc_host_thread *other = sc_host_thread_of(o, thread);
	const struct sc_clock *clock =
		step->inside ? step->inside->when.start : sc_host_clock(o, step);

	return thread == step->op->thread || sc_clock_at(clock, other->lane) >= position;
}
