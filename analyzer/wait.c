/* Waits: targets and logs. */
#include "analyzer/wait.h"

#include <stdlib.h>
#include "base/heap.h"

static uint64_t reached(const struct sc_target *t, uint32_t lane)
{
	uint64_t far = sc_clock_at(t->more, lane), near = sc_clock_at(t->point.base, lane);

	if (t->point.lane == lane && t->point.position > near)
		near = t->point.position;
	return near > far ? near : far;
}

_Bool sc_target_covers(const struct sc_target *t, const struct sc_when *x)
{
	return !sc_when_is_host(x) && reached(t, x->lane) >= x->position;
}

_Bool sc_target_covers_earlier(const struct sc_target *t, const struct sc_when *x)
{
	return !sc_when_is_host(x) && reached(t, x->lane) > 0;
}

_Bool sc_target_is_any(const struct sc_target *t)
{
	return t->point.position || t->more;
}

_Bool sc_target_is_in(const struct sc_target *t, const struct sc_clock *c)
{
	return sc_point_is_in(&t->point, c) && sc_clock_is_within(t->more, c);
}

_Bool sc_target_join(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_target *t)
{
	_Bool is_news = sc_clock_join_point(pool, c, &t->point);

	return sc_clock_join(pool, c, t->more) || is_news;
}

struct sc_target sc_target_get(const struct sc_target *t)
{
	sc_clock_get(t->more);
	return (struct sc_target){.point = sc_point_get(&t->point), .more = t->more};
}

void sc_target_put(struct sc_clock_pool *pool, struct sc_target *t)
{
	sc_point_put(pool, &t->point);
	sc_clock_put(pool, t->more);
	t->more = 0;
}

void sc_wait_log_begin(struct sc_wait_log *log)
{
	log->last = sc_heap_xlines(SC_WAIT_LOG * sizeof(*log->last));
}

void sc_wait_log_add(struct sc_clock_pool *pool, struct sc_wait_log *log,
		     const struct sc_wait *wait)
{
	struct sc_wait *place = sc_wait_log_next(pool, log);

	*place = *wait;
	place->covers = sc_target_get(&wait->covers);
	log->has_more |= wait->covers.more != NULL;
}

const struct sc_wait *sc_wait_log_at(const struct sc_wait_log *log, uint32_t i)
{
	if (i >= SC_WAIT_LOG || i >= log->count)
		return 0;
	return &log->last[(log->count - 1 - i) % SC_WAIT_LOG];
}

void sc_wait_log_fini(struct sc_clock_pool *pool, struct sc_wait_log *log)
{
	for (unsigned i = 0; log->last && i < SC_WAIT_LOG; i++)
		sc_target_put(pool, &log->last[i].covers);
	free(log->last);
}
