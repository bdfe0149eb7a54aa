/* The order of a context's streams, which is found when somebody looks, against one kept by hand.
 */
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/order/stream.h"

#define STREAMS 40

struct world {
	struct sc_clock_pool pool;
	struct sc_streams all;
	uint32_t order[STREAMS]; /* the last used first */
	uint32_t used;
	uint64_t position, random;
};

static uint32_t pick(struct world *w, uint32_t below)
{
	w->random = w->random * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)((w->random >> 33) % below);
}

static void push(struct world *w, uint32_t id)
{
	struct sc_interval unused;
	uint32_t i = 0;

	sc_stream_push(&w->all, sc_stream_of(&w->all, id, 1), ++w->position, &unused);
	while (i < w->used && w->order[i] != id)
		i++;
	w->used += i == w->used;
	memmove(w->order + 1, w->order, i * sizeof(w->order[0]));
	w->order[0] = id;
}

static void look(struct world *w)
{
	const struct sc_stream *s = sc_context_streams(sc_context_of(&w->all, 1));
	uint32_t count = 0;

	for (; s; s = s->next)
		assert_int_equal(s->id, w->order[count++]);
	assert_int_equal(count, w->used);
}

TEST(order_is_that_of_the_last_ops)
{
	struct world w = {.random = 1};

	w.all.pool = &w.pool;
	for (unsigned i = 0; i < 20000; i++) {
		push(&w, 1 + pick(&w, 1 + pick(&w, STREAMS)));
		if (!pick(&w, 1 + pick(&w, 100)))
			look(&w);
	}
	look(&w);
	sc_streams_fini(&w.all);
	sc_clock_pool_fini(&w.pool);
}
