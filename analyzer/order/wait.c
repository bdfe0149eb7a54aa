/* Waits: targets and logs. */
#include "analyzer/order/wait.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

static uint64_t reached(const struct sc_target *t, uint32_t lane)
{
	uint64_t far = sc_clock_at(t->more, lane), near = sc_clock_at(t->point.base, lane);

	if (t->point.lane == lane && t->point.position > near)
		near = t->point.position;
	return near > far ? near : far;
}

bool sc_target_covers(const struct sc_target *t, const struct sc_interval *x)
{
	return !sc_interval_is_host(x) && reached(t, x->lane) >= x->position;
}

bool sc_target_covers_earlier(const struct sc_target *t, const struct sc_interval *x)
{
	return !sc_interval_is_host(x) && reached(t, x->lane) > 0;
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

void sc_wait_log_add(struct sc_clock_pool *pool, struct sc_wait_log *log, const struct sc_wait *w)
{
	struct sc_wait *place;

	sc_assert(w->kind <= SC_WAIT_LUCK);
	if (!log->ring)
		log->ring = sc_heap_xcalloc(SC_WAIT_LOG, sizeof(*log->ring));
	place = &log->ring[log->count++ % SC_WAIT_LOG];
	sc_clock_put_later(pool, place->covers.point.base);
	sc_clock_put(pool, place->covers.more);
	*place = *w;
	sc_clock_get(w->covers.point.base);
	sc_clock_get(w->covers.more);
}

bool sc_wait_log_at(const struct sc_wait_log *log, uint32_t i, struct sc_wait *w)
{
	if (i >= SC_WAIT_LOG || i >= log->count)
		return 0;
	*w = log->ring[(log->count - 1 - i) % SC_WAIT_LOG];
	return 1;
}

void sc_wait_log_fini(struct sc_clock_pool *pool, struct sc_wait_log *log)
{
	for (unsigned i = 0; log->ring && i < SC_WAIT_LOG; i++)
		sc_target_put(pool, &log->ring[i].covers);
	free(log->ring);
}
