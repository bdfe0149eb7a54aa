/* Places: homes and the slab. */
#include "analyzer/memory/places.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/memory/span.h"
#include "base/heap.h"

void sc_places_fini(struct sc_places *p)
{
	sc_slab_fini(&p->slab);
	free(p->memory);
	p->homes = p->memory = NULL;
}

/* The first one, which begins a line. */
static struct sc_span *first_home(const struct sc_places *p)
{
	uintptr_t memory = (uintptr_t)p->memory;

	return (void *)(memory + (-memory & (SC_CACHE_LINE - 1)));
}

static void count_spans(struct sc_places *p, size_t count)
{
	p->count = count;
	if (!p->memory)
		p->memory = sc_heap_xcalloc(SC_PLACES_HOMES + 1, sizeof(struct sc_span));
	p->homes = count <= SC_PLACES_HOMES ? first_home(p) : NULL;
}

struct sc_span *sc_places_take(struct sc_places *p, uint64_t first, uint64_t end)
{
	uint64_t home = sc_places_home(first, end);

	count_spans(p, p->count + 1);
	if (p->homes && !p->homes[home].owner)
		return &p->homes[home];
	if (p->homes && !p->homes[home ^ 1].owner)
		return &p->homes[home ^ 1];
	return sc_slab_take(&p->slab, sizeof(struct sc_span));
}

void sc_places_give(struct sc_places *p, struct sc_span *s)
{
	bool is_at_home = (uintptr_t)s - (uintptr_t)first_home(p) < SC_PLACES_HOMES * sizeof(*s);

	if (!is_at_home)
		sc_slab_give(&p->slab, s);
	count_spans(p, p->count - 1);
}
