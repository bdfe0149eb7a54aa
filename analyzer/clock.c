/* Clocks: copy-on-write vector clocks with free lists. */
#include "analyzer/clock.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define SMALLEST_CLASS 3

static unsigned class_of(uint32_t lanes)
{
	unsigned class = SMALLEST_CLASS;

	while ((UINT32_C(1) << class) < lanes)
		class ++;
	return class;
}

/* A clock with room for `lanes`, count 1, its entries undefined. */
static struct sc_clock *take(struct sc_clock_pool *pool, uint32_t lanes)
{
	unsigned class = class_of(lanes);
	struct sc_clock *c = pool->free[class];

	if (c) {
		pool->free[class] = c->next;
	} else {
		c = sc_heap_xcalloc(1, sizeof(*c) + (sizeof(c->at[0]) << class));
		c->room = UINT32_C(1) << class;
	}
	c->refs = 1;
	c->lanes = lanes;
	return c;
}

/* Makes *c ours alone, with at least `lanes` entries. */
static void own(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lanes)
{
	struct sc_clock *old = *c;
	uint32_t had = old ? old->lanes : 0;

	if (lanes < had)
		lanes = had;
	if (!old || old->refs > 1 || old->room < lanes) {
		*c = take(pool, lanes);
		if (old)
			memcpy((*c)->at, old->at, had * sizeof(old->at[0]));
		sc_clock_put(pool, old);
	}
	memset((*c)->at + had, 0, (lanes - had) * sizeof((*c)->at[0]));
	(*c)->lanes = lanes;
}

void sc_clock_pool_fini(struct sc_clock_pool *pool)
{
	for (unsigned i = 0; i < SC_CLOCK_CLASSES; i++) {
		while (pool->free[i]) {
			struct sc_clock *c = pool->free[i];

			pool->free[i] = c->next;
			free(c);
		}
	}
}

void sc_clock_put(struct sc_clock_pool *pool, struct sc_clock *c)
{
	unsigned class;

	if (!c || --c->refs)
		return;
	class = class_of(c->room);
	c->next = pool->free[class];
	pool->free[class] = c;
}

void sc_clock_set(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	struct sc_clock *old = *c;

	*c = sc_clock_get(other);
	sc_clock_put(pool, old);
}

void sc_clock_raise(struct sc_clock_pool *pool, struct sc_clock **c, uint32_t lane,
		    uint64_t position)
{
	if (sc_clock_at(*c, lane) >= position)
		return;
	own(pool, c, lane + 1);
	(*c)->at[lane] = position;
}

_Bool sc_clock_join(struct sc_clock_pool *pool, struct sc_clock **c, struct sc_clock *other)
{
	uint32_t mine = *c ? (*c)->lanes : 0, theirs = other ? other->lanes : 0;
	uint32_t both = mine < theirs ? mine : theirs;
	_Bool is_more = mine > theirs, is_less = mine < theirs;

	if (*c == other)
		return 0;
	for (uint32_t i = 0; i < both; i++) {
		is_more |= (*c)->at[i] > other->at[i];
		is_less |= (*c)->at[i] < other->at[i];
	}
	if (!is_less)
		return 0;
	if (!is_more) {
		sc_clock_set(pool, c, other);
		return 1;
	}
	own(pool, c, theirs);
	for (uint32_t i = 0; i < theirs; i++)
		if ((*c)->at[i] < other->at[i])
			(*c)->at[i] = other->at[i];
	return 1;
}

_Bool sc_clock_join_point(struct sc_clock_pool *pool, struct sc_clock **c, const struct sc_point *p)
{
	if (sc_point_is_in(p, *c))
		return 0;
	sc_clock_join(pool, c, p->base);
	sc_clock_raise(pool, c, p->lane, p->position);
	return 1;
}

struct sc_point sc_point_get(const struct sc_point *p)
{
	sc_clock_get(p->base);
	return *p;
}

void sc_point_put(struct sc_clock_pool *pool, struct sc_point *p)
{
	sc_clock_put(pool, p->base);
	*p = (struct sc_point){0};
}
