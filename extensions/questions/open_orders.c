/* Open orders: a closed relation in rows of bits. */
#include "extensions/questions/open_orders.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

static size_t words_of(const struct sc_open_orders *o)
{
	return (o->ops + 63) / 64;
}

void sc_open_orders_init(struct sc_open_orders *o, uint32_t ops)
{
	*o = (struct sc_open_orders){.ops = ops};
	o->rows = sc_heap_xcalloc(words_of(o) * ops + 1, sizeof(*o->rows));
}

void sc_open_orders_copy(struct sc_open_orders *o, const struct sc_open_orders *from)
{
	sc_open_orders_init(o, from->ops);
	memcpy(o->rows, from->rows, words_of(o) * o->ops * sizeof(*o->rows));
}

void sc_open_orders_fini(struct sc_open_orders *o)
{
	free(o->rows);
	*o = (struct sc_open_orders){0};
}

bool sc_open_orders_has(const struct sc_open_orders *o, uint32_t first, uint32_t then)
{
	return o->rows[first * words_of(o) + then / 64] >> then % 64 & 1;
}

bool sc_open_orders_add(struct sc_open_orders *o, uint32_t first, uint32_t then)
{
	const uint64_t *after = o->rows + then * words_of(o);

	if (first == then || sc_open_orders_has(o, then, first))
		return 0;
	if (sc_open_orders_has(o, first, then))
		return 1;
	for (uint32_t i = 0; i < o->ops; i++) {
		uint64_t *row = o->rows + i * words_of(o);

		if (i != first && !sc_open_orders_has(o, i, first))
			continue;
		row[then / 64] |= UINT64_C(1) << then % 64;
		for (size_t k = 0; k < words_of(o); k++)
			row[k] |= after[k];
	}
	return 1;
}

bool sc_open_orders_decides(const struct sc_open_orders *o, const struct sc_open_pair *p)
{
	return sc_open_orders_has(o, p->a, p->b) || sc_open_orders_has(o, p->b, p->a);
}

uint64_t sc_open_orders_count(const struct sc_open_orders *o, const struct sc_open_pair *pairs,
			      size_t count, uint64_t most)
{
	uint64_t found = 0;

	while (count && sc_open_orders_decides(o, pairs)) {
		pairs++;
		count--;
	}
	if (!count)
		return 1;
	for (unsigned turn = 0; turn < 2 && found < most; turn++) {
		struct sc_open_orders next;

		sc_open_orders_copy(&next, o);
		sc_open_orders_add(&next, turn ? pairs->b : pairs->a, turn ? pairs->a : pairs->b);
		found += sc_open_orders_count(&next, pairs + 1, count - 1, most - found);
		sc_open_orders_fini(&next);
	}
	return found;
}
