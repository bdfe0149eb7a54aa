/* Luck: a ring of clocks. */
#include "analyzer/order/luck.h"

#include <stdbool.h>
#include "base/assert.h"

/* True if a clock has all that the two know. */
static bool is_known(const struct sc_clock *known, const struct sc_target *covers,
		     const struct sc_clock *host)
{
	return sc_point_is_surely_in(&covers->point, known) &&
	       sc_clock_is_within(covers->more, known) && sc_clock_is_within(host, known);
}

void sc_luck_add(struct sc_clock_pool *pool, struct sc_luck *l, uint64_t at,
		 const struct sc_target *covers, struct sc_clock *host)
{
	struct sc_clock *known = NULL;
	uint32_t last = (l->count + SC_LUCK_MOST - 1) % SC_LUCK_MOST;

	sc_assert(at > 0);
	if (l->count && is_known(l->list[last].known, covers, host))
		return;
	if (l->count)
		known = sc_clock_get(l->list[last].known);
	sc_clock_join(pool, &known, host);
	sc_target_join(pool, &known, covers);
	last = l->count++ % SC_LUCK_MOST;
	sc_clock_put(pool, l->list[last].known);
	l->list[last].known = known;
	l->list[last].at = at;
}

/* Something that was known at a position after x before y was enqueued. */
static bool leads(const struct sc_luck *l, const struct sc_interval *x, const struct sc_interval *y)
{
	if (sc_interval_is_host(x))
		return 0;
	for (uint32_t i = 0; i < SC_LUCK_MOST && i < l->count; i++)
		if (l->list[i].at < y->entered &&
		    sc_clock_at(l->list[i].known, x->lane) >= x->position)
			return 1;
	return 0;
}

bool sc_luck_orders(const struct sc_luck *l, const struct sc_interval *x,
		    const struct sc_interval *y)
{
	return leads(l, x, y) || leads(l, y, x);
}

void sc_luck_fini(struct sc_clock_pool *pool, struct sc_luck *l)
{
	for (unsigned i = 0; i < SC_LUCK_MOST; i++)
		sc_clock_put(pool, l->list[i].known);
	*l = (struct sc_luck){0};
}
