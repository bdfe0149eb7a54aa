/* Host threads: clocks of threads, and what synchronization objects carry. */
#include "analyzer/order/host.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

#define ENDED_MIN 256 /* threads; fewer are kept in any case */

void sc_host_init(struct sc_host *h, struct sc_streams *streams, struct sc_callbacks *callbacks,
		  bool is_strict)
{
	sc_assert(streams && callbacks);
	*h = (struct sc_host){
		.streams = streams, .callbacks = callbacks, .version = 1, .is_strict = is_strict};
}

void sc_host_fini(struct sc_host *h)
{
	struct sc_clock_pool *pool = h->streams->pool;

	while (h->threads) {
		struct sc_host_thread *t = h->threads;

		h->threads = t->next;
		sc_clock_put(pool, t->clock);
		free(t);
	}
	sc_recall_fini(&h->gone);
	while (h->syncs) {
		struct sc_sync *s = h->syncs;

		h->syncs = s->next;
		sc_clock_put(pool, s->clock);
		free(s);
	}
	sc_u64_map_fini(&h->threads_by_id);
	sc_u64_map_fini(&h->syncs_by_id);
	sc_wait_log_fini(pool, &h->waits);
	sc_luck_fini(pool, &h->luck);
	sc_luck_fini(pool, &h->pools);
	sc_clock_put(pool, h->clock);
}

struct sc_host_thread *sc_host_thread_of(struct sc_host *h, uint32_t id)
{
	uint64_t *place = sc_u64_map_get(&h->threads_by_id, id);
	struct sc_host_thread *t = (struct sc_host_thread *)(uintptr_t)*place;

	sc_assert(h->is_strict);
	if (t)
		return t;
	t = sc_heap_xcalloc(1, sizeof(*t));
	t->id = id;
	t->lane = sc_stream_lane(h->streams);
	t->has_ended = sc_recall_find(&h->gone, id) != NULL; /* it goes on after its end */
	t->version = ++h->versions;
	t->next = h->threads;
	h->threads = t;
	*place = (uintptr_t)t;
	return t;
}

/* ---- threads that have ended ---- */

/* Its lane may be another thread's from now on. */
static void forget_thread(struct sc_host *h, struct sc_host_thread **place)
{
	struct sc_host_thread *t = *place;

	sc_assert(t->ended && h->ended > 0);
	sc_assert(t->lane < h->streams->lanes);
	*place = t->next;
	h->ended--;
	sc_vector_push(&h->streams->free_lanes, t->lane);
	sc_clock_put(h->streams->pool, t->clock);
	sc_u64_map_remove(&h->threads_by_id, t->id);
	sc_recall_note(&h->gone, t->id, 0, NULL);
	free(t);
}

/* Those that all others know of; and of the rest the oldest, if there are too many. */
static void forget_ended(struct sc_host *h)
{
	struct sc_host_thread **place = &h->threads;
	size_t met = 0;

	while (*place) {
		struct sc_host_thread *t = *place;
		bool is_known = t->ended && sc_host_all_know(h, t->lane, t->ended);

		met += t->ended && !is_known;
		h->forgotten += t->ended && !is_known && met > h->remembered;
		if (is_known || (t->ended && met > h->remembered))
			forget_thread(h, place);
		else
			place = &t->next;
	}
	h->ended_most = 2 * h->ended;
}

/* It was forgotten, so all know of it. */
static bool is_gone(const struct sc_host *h, uint32_t id)
{
	return !sc_u64_map_find(&h->threads_by_id, id) && sc_recall_find(&h->gone, id);
}

static void end_thread(struct sc_host *h, const struct sc_step *step)
{
	struct sc_host_thread *t = sc_host_thread_of(h, step->op->thread);

	t->has_ended = 1;
	if (!h->remembered || t->ended)
		return;
	t->ended = step->sequence + 1;
	h->gone.most = h->remembered;
	if (++h->ended > ENDED_MIN && h->ended > h->ended_most)
		forget_ended(h);
}

static struct sc_sync *sync_of(struct sc_host *h, uint32_t object)
{
	uint64_t *place = sc_u64_map_get(&h->syncs_by_id, object);
	struct sc_sync *s = (struct sc_sync *)(uintptr_t)*place;

	if (s)
		return s;
	s = sc_heap_xcalloc(1, sizeof(*s));
	s->next = h->syncs;
	h->syncs = s;
	*place = (uintptr_t)s;
	return s;
}

struct sc_clock *sc_host_clock(struct sc_host *h, const struct sc_step *step)
{
	if (!h->is_strict || step->op->callback)
		return h->clock;
	return sc_host_thread_of(h, step->op->thread)->clock;
}

void sc_host_join_into(struct sc_host *h, const struct sc_step *step, struct sc_clock **clock)
{
	struct sc_clock_pool *pool = h->streams->pool;

	sc_assert(!step->inside);
	sc_clock_join(pool, clock, sc_host_clock(h, step));
	if (h->is_strict)
		sc_clock_raise(pool, clock, sc_host_thread_of(h, step->op->thread)->lane,
			       step->sequence + 1);
}

/* `observed`: all threads know what any of them does. */
static void join_any(struct sc_host *h, struct sc_stream *s)
{
	sc_clock_join(h->streams->pool, &s->tail.base, h->clock);
	s->host_version = h->version;
}

static void join_thread_of(struct sc_host *h, const struct sc_step *step)
{
	struct sc_host_thread *t = sc_host_thread_of(h, step->op->thread);
	struct sc_stream *s = step->stream;

	if (s->host_version != t->version)
		sc_clock_join(h->streams->pool, &s->tail.base, t->clock);
	s->host_version = t->version;
	sc_clock_raise(h->streams->pool, &s->tail.base, t->lane, step->sequence + 1);
}

/* A call inside a callback comes after its beginning; counting it after its end too hides nothing
 * but SC-122. */
static void join_callback(struct sc_host *h, struct sc_stream *s, const struct sc_callback *inside)
{
	sc_clock_join(h->streams->pool, &s->tail.base, inside->when.start);
	if (inside->when.lane != s->tail.lane)
		sc_clock_raise(h->streams->pool, &s->tail.base, inside->when.lane,
			       inside->when.position);
}

void sc_host_join_news(struct sc_host *h, const struct sc_step *step)
{
	if (step->inside)
		join_callback(h, step->stream, step->inside);
	else if (h->is_strict)
		join_thread_of(h, step);
	else
		join_any(h, step->stream);
}

static void touch(struct sc_host *h, struct sc_host_thread *t, bool has_changed)
{
	if (has_changed)
		t->version = ++h->versions;
}

static bool join(struct sc_host *h, struct sc_clock **clock, const struct sc_target *covers,
		 bool is_sure)
{
	struct sc_clock_pool *pool = h->streams->pool;
	struct sc_target all = *covers; /* by luck all that is known: a pair has no pairs */
	bool is_news;

	all.point.base = sc_clock_all(covers->point.base);
	all.more = sc_clock_all(covers->more);
	if (is_sure)
		is_news = sc_target_join(pool, clock, covers);
	else
		is_news = sc_target_join(pool, sc_clock_doubt(pool, clock), &all);
	sc_clock_settle(pool, clock);
	return is_news;
}

static void learn(struct sc_host *h, const struct sc_step *step, const struct sc_target *covers,
		  bool is_sure)
{
	struct sc_host_thread *t;

	if (step->inside) {
		join(h, &step->inside->when.start, covers, is_sure);
		return;
	}
	if (h->is_strict) {
		t = sc_host_thread_of(h, step->op->thread);
		touch(h, t, join(h, &t->clock, covers, is_sure));
	}
	if (!join(h, &h->clock, covers, is_sure))
		return;
	sc_clock_publish(h->streams->pool, &h->clock);
	h->version++;
	h->is_shared |= h->thread && h->thread != step->op->thread;
	h->thread = step->op->thread;
	sc_callbacks_pass(h->callbacks, h->clock);
}

void sc_host_learn(struct sc_host *h, const struct sc_step *step, const struct sc_target *covers)
{
	learn(h, step, covers, 1);
}

void sc_host_learn_of_pool(struct sc_host *h, const struct sc_step *step,
			   const struct sc_target *covers)
{
	learn(h, step, covers, 0);
}

struct sc_interval sc_host_moment(struct sc_host *h, const struct sc_step *step,
				  struct sc_clock *start)
{
	struct sc_interval when = {.start = start,
				   .lane = SC_LANE_HOST,
				   .position = step->sequence + 1,
				   .entered = step->sequence + 1};

	if (h->is_strict && !step->op->callback) {
		when.lane = sc_host_thread_of(h, step->op->thread)->lane;
		when.is_thread = 1;
	}
	return when;
}

/* Everything that the thread, or the callback that it runs, knows and did goes into the object. */
static void release(struct sc_host *h, const struct sc_step *step)
{
	struct sc_sync *s = sync_of(h, step->op->object);
	struct sc_callback *inside = step->inside;

	if (inside) {
		sc_clock_join(h->streams->pool, &s->clock, inside->when.start);
		sc_clock_raise(h->streams->pool, &s->clock, inside->when.lane,
			       inside->when.position);
		inside->has_signalled = 1;
		return;
	}
	sc_clock_join(h->streams->pool, &s->clock, sc_host_clock(h, step));
	if (h->is_strict)
		sc_clock_raise(h->streams->pool, &s->clock,
			       sc_host_thread_of(h, step->op->thread)->lane, step->sequence + 1);
	s->entered = step->sequence + 1;
}

static void acquire(struct sc_host *h, const struct sc_step *step)
{
	struct sc_sync *s = sync_of(h, step->op->object);
	struct sc_target carried = {.more = s->clock};

	sc_host_learn(h, step, &carried);
	if (step->inside && step->inside->when.entered < s->entered)
		step->inside->when.entered = s->entered;
}

/* What another thread knows and did so far; its creator's or that of one that was joined. */
static void learn_from(struct sc_host *h, struct sc_host_thread *t, uint32_t from,
		       uint64_t position)
{
	const struct sc_host_thread *other;
	struct sc_point last;

	if (is_gone(h, from))
		return;
	other = sc_host_thread_of(h, from);
	last = (struct sc_point){other->clock, other->lane, position};
	touch(h, t, sc_clock_join_point(h->streams->pool, &t->clock, &last));
}

static void begin_thread(struct sc_host *h, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	if (op->object)
		acquire(h, step);
	else if (h->is_strict && op->peer && op->peer != op->thread)
		learn_from(h, sc_host_thread_of(h, op->thread), op->peer, step->sequence + 1);
}

static void take_join(struct sc_host *h, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	if (h->is_strict && op->peer != op->thread && !step->inside)
		learn_from(h, sc_host_thread_of(h, op->thread), op->peer, step->sequence + 1);
}

bool sc_host_sync(struct sc_host *h, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	switch (op->kind) {
	case SC_OP_SYNC_RELEASE: release(h, step); return 1;
	case SC_OP_SYNC_ACQUIRE:
		if (op->phase != SC_PHASE_BEGIN && op->result == 0)
			acquire(h, step);
		return 1;
	case SC_OP_THREAD_BEGIN: begin_thread(h, step); return 1;
	case SC_OP_THREAD_JOIN: take_join(h, step); return 1;
	case SC_OP_THREAD_END:
		if (h->is_strict)
			end_thread(h, step);
		return 1;
	}
	return 0;
}

bool sc_host_all_know(const struct sc_host *h, uint32_t lane, uint64_t position)
{
	sc_assert(h->is_strict);
	for (const struct sc_host_thread *t = h->threads; t; t = t->next)
		if (!t->has_ended && t->lane != lane &&
		    sc_clock_at(sc_clock_sure(t->clock), lane) < position)
			return 0;
	return 1;
}

bool sc_host_is_over(const struct sc_host *h, uint32_t lane, uint64_t position)
{
	return h->is_strict ? sc_host_all_know(h, lane, position)
			    : sc_clock_at(h->clock, lane) >= position;
}

bool sc_host_knows_thread(struct sc_host *h, const struct sc_step *step, uint32_t thread,
			  uint64_t position)
{
	const struct sc_host_thread *other;
	const struct sc_clock *clock =
		step->inside ? step->inside->when.start : sc_host_clock(h, step);

	sc_assert(h->is_strict);
	if (thread == step->op->thread || is_gone(h, thread))
		return 1;
	other = sc_host_thread_of(h, thread);
	return sc_clock_at(clock, other->lane) >= position;
}
