/* Waits: targets and logs. */
#include "analyzer/order/wait.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

static uint64_t reached(const struct sc_target *t, uint32_t lane)
{
	uint64_t far = sc_clock_at(t->more, lane), near = sc_clock_at(t->point.base, lane);

	if (t->point.lane == lane && t->point.position > near)
		near = t->point.position;
	return near > far ? near : far;
}

bool sc_target_covers(const struct sc_target *t, const struct sc_when *x)
{
	return !sc_when_is_host(x) && reached(t, x->lane) >= x->position;
}

bool sc_target_covers_earlier(const struct sc_target *t, const struct sc_when *x)
{
	return !sc_when_is_host(x) && reached(t, x->lane) > 0;
}

bool sc_target_is_any(const struct sc_target *t)
{
	return t->point.position || t->more;
}

bool sc_target_is_in(const struct sc_target *t, const struct sc_clock *c)
{
	return sc_point_is_in(&t->point, c) && sc_clock_is_within(t->more, c);
}

bool sc_target_join(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_target *t)
{
	bool is_news = sc_clock_join_point(pool, c, &t->point);

	return sc_clock_join(pool, c, t->more) || is_news;
}

void sc_target_put(struct sc_clock_pool *pool, struct sc_target *t)
{
	sc_point_put(pool, &t->point);
	sc_clock_put(pool, t->more);
	t->more = 0;
}

void sc_wait_log_begin(struct sc_wait_log *log)
{
	log->ring = sc_heap_xlines(sizeof(struct sc_wait_ring) +
				   sc_wait_log_deep(log) * sizeof(struct sc_clock *));
}

void sc_wait_log_more(struct sc_clock_pool *pool, struct sc_wait_log *log, struct sc_clock *more)
{
	struct sc_wait_ring *ring = log->ring;

	if (!ring->more)
		ring->more = sc_heap_xcalloc(SC_WAIT_LOG, sizeof(*ring->more));
	sc_clock_set(pool, &ring->more[log->count % SC_WAIT_LOG], more);
}

bool sc_wait_log_at(const struct sc_wait_log *log, uint32_t i, struct sc_wait *w)
{
	const struct sc_wait_entry *e;
	uint32_t number = log->count - 1 - i;
	uint32_t deep = sc_wait_log_deep(log);

	if (i >= SC_WAIT_LOG || i >= log->count)
		return 0;
	e = &log->ring->last[number % SC_WAIT_LOG];
	*w = (struct sc_wait){.sequence = e->sequence,
			      .covers.point = {.lane = e->lane, .position = e->position},
			      .covers.more = log->ring->more ? log->ring->more[number % SC_WAIT_LOG]
							     : NULL,
			      .record = e->record,
			      .thread = e->thread,
			      .object = e->object,
			      .kind = e->kind};
	if (i < deep)
		w->covers.point.base = log->ring->bases[number % deep];
	w->is_part = e->has_base && !w->covers.point.base;
	return 1;
}

void sc_wait_log_deepen(struct sc_wait_log *log)
{
	struct sc_wait_ring *old = log->ring;
	uint32_t deep = sc_wait_log_deep(log);

	if (deep == SC_WAIT_LOG)
		return;
	log->deep = SC_WAIT_LOG;
	if (!old)
		return;
	sc_wait_log_begin(log);
	memcpy(log->ring->last, old->last, sizeof(old->last));
	log->ring->more = old->more;
	for (uint32_t i = 0; i < deep && i < log->count; i++) {
		uint32_t number = log->count - 1 - i;

		log->ring->bases[number % SC_WAIT_LOG] = old->bases[number % deep];
	}
	free(old);
}

void sc_wait_log_fini(struct sc_clock_pool *pool, struct sc_wait_log *log)
{
	struct sc_wait_ring *ring = log->ring;

	if (!ring)
		return;
	for (unsigned i = 0; i < sc_wait_log_deep(log); i++)
		sc_clock_put(pool, ring->bases[i]);
	for (unsigned i = 0; ring->more && i < SC_WAIT_LOG; i++)
		sc_clock_put(pool, ring->more[i]);
	free(ring->more);
	free(ring);
}
