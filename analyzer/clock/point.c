/* Points: joined into clocks. */
#include "analyzer/clock/point.h"

#include "base/assert.h"

void sc_clock_add_point(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_point *p)
{
	sc_assert(p->position > 0);
	sc_clock_join_op(pool, c, p->base, p->lane, p->position);
}

void sc_point_put(struct sc_clock_pool *pool, struct sc_point *p)
{
	sc_clock_put(pool, p->base);
	*p = (struct sc_point){0};
}
