/* Points: joined into clocks. */
#include "analyzer/clock/point.h"

void sc_clock_add_point(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_point *p)
{
	sc_clock_join(pool, c, p->base);
	sc_clock_raise(pool, c, p->lane, p->position);
}

void sc_point_put(struct sc_clock_pool *pool, struct sc_point *p)
{
	sc_clock_put(pool, p->base);
	*p = (struct sc_point){0};
}
