/* Events: snapshots by generation. */
#include "analyzer/order/event.h"

#include <stdlib.h>
#include "base/heap.h"
#include "base/assert.h"

static void drop(struct sc_events *all, struct sc_event_record *r)
{
	sc_clock_put_later(all->pool, r->snapshot.base);
	if (!r->launch)
		return;
	sc_point_put(all->pool, &r->launch->launched);
	sc_clock_put(all->pool, r->launch->begun);
	free(r->launch);
}

void sc_event_forget(struct sc_events *all, struct sc_event *e)
{
	sc_assert(sc_event_find(all, e->id) == e);
	drop(all, &e->newest);
	for (unsigned i = 0; i < SC_EVENT_KEPT - 1; i++)
		drop(all, &e->older[i]);
	HASH_DEL(all->by_id, e);
	all->recent[e->id % SC_EVENTS_RECENT] = NULL;
	sc_slab_give(&all->slab, e);
}

void sc_events_fini(struct sc_events *all)
{
	while (all->by_id)
		sc_event_forget(all, all->by_id);
	sc_slab_fini(&all->slab);
}

struct sc_event *sc_event_find(struct sc_events *all, uint32_t id)
{
	struct sc_event *e = sc_event_recall(all, id);

	if (e)
		return e;
	HASH_FIND(hh, all->by_id, &id, sizeof(id), e);
	if (e)
		all->recent[id % SC_EVENTS_RECENT] = e;
	return e;
}

struct sc_event *sc_event_of(struct sc_events *all, uint32_t id)
{
	struct sc_event *e = sc_event_find(all, id);

	if (!e) {
		e = sc_slab_take(&all->slab, sizeof(*e));
		*e = (struct sc_event){.id = id};
		HASH_ADD(hh, all->by_id, id, sizeof(e->id), e);
	}
	return e;
}

/* A new record begins: the newest record becomes an older one. */
static void begin_record(struct sc_events *all, struct sc_event *e)
{
	struct sc_event_record *place = &e->older[(e->records - 1) % (SC_EVENT_KEPT - 1)];

	if (e->records++) {
		drop(all, place);
		*place = e->newest;
	}
	e->is_captured = e->is_inside = 0;
	e->is_used = 1;
}

void sc_event_record(struct sc_events *all, struct sc_event *e, const struct sc_point *snapshot,
		     uint64_t sequence)
{
	begin_record(all, e);
	e->newest = (struct sc_event_record){.snapshot = sc_point_get(snapshot),
					     .record = sequence + 1};
}

void sc_event_record_launch(struct sc_events *all, struct sc_event *e, struct sc_clock *begun,
			    const struct sc_point *launched, uint64_t sequence)
{
	struct sc_event_launch *launch = sc_heap_xcalloc(1, sizeof(*launch));

	sc_assert(launched->position > 0);
	*launch = (struct sc_event_launch){.begun = begun, .launched = sc_point_get(launched)};
	begin_record(all, e);
	e->newest = (struct sc_event_record){.record = sequence + 1, .launch = launch};
}
