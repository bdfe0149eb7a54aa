/* Events: snapshots by generation. */
#include "analyzer/event.h"

#include <stdlib.h>
#include "base/heap.h"

void sc_event_forget(struct sc_events *all, struct sc_event *e)
{
	for (unsigned i = 0; i < SC_EVENT_KEPT; i++)
		sc_point_put(all->pool, &e->last[i].snapshot);
	HASH_DEL(all->by_id, e);
	free(e);
}

void sc_events_fini(struct sc_events *all)
{
	while (all->by_id)
		sc_event_forget(all, all->by_id);
}

struct sc_event *sc_event_find(struct sc_events *all, uint32_t id)
{
	struct sc_event *e;

	HASH_FIND(hh, all->by_id, &id, sizeof(id), e);
	return e;
}

struct sc_event *sc_event_of(struct sc_events *all, uint32_t id)
{
	struct sc_event *e = sc_event_find(all, id);

	if (!e) {
		e = sc_heap_xcalloc(1, sizeof(*e));
		e->id = id;
		HASH_ADD(hh, all->by_id, id, sizeof(e->id), e);
	}
	return e;
}

void sc_event_record(struct sc_events *all, struct sc_event *e, const struct sc_point *snapshot,
		     uint64_t sequence)
{
	struct sc_event_record *place = &e->last[e->records++ % SC_EVENT_KEPT];

	sc_point_put(all->pool, &place->snapshot);
	place->snapshot = sc_point_get(snapshot);
	place->record = sequence + 1;
	e->is_captured = 0;
	e->is_used = 1;
}

const struct sc_event_record *sc_event_at(const struct sc_event *e, uint32_t i)
{
	if (i >= SC_EVENT_KEPT || i >= e->records)
		return NULL;
	return &e->last[(e->records - 1 - i) % SC_EVENT_KEPT];
}
