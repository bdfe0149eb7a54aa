/* Events: snapshots by generation. */
#include "analyzer/event.h"

#include <stdlib.h>
#include "base/heap.h"

static void drop(struct sc_events *all, struct sc_event_record *r)
{
	sc_point_put(all->pool, &r->snapshot);
	sc_point_put(all->pool, &r->launched);
	sc_clock_put(all->pool, r->begun);
	*r = (struct sc_event_record){0};
}

void sc_event_forget(struct sc_events *all, struct sc_event *e)
{
	for (unsigned i = 0; i < SC_EVENT_KEPT; i++)
		drop(all, &e->last[i]);
	HASH_DEL(all->by_id, e);
	all->recent[e->id % SC_EVENTS_RECENT] = NULL;
	free(e);
}

void sc_events_fini(struct sc_events *all)
{
	while (all->by_id)
		sc_event_forget(all, all->by_id);
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
		e = sc_heap_xcalloc(1, sizeof(*e));
		e->id = id;
		HASH_ADD(hh, all->by_id, id, sizeof(e->id), e);
	}
	return e;
}

/* Room for the next generation. */
static struct sc_event_record *next_record(struct sc_events *all, struct sc_event *e,
					   uint64_t sequence)
{
	struct sc_event_record *r = &e->last[e->records++ % SC_EVENT_KEPT];

	if (e->has_launch && r->is_launch)
		drop(all, r);
	else
		sc_clock_put_later(all->pool, r->snapshot.base);
	r->record = sequence + 1;
	e->is_captured = e->is_inside = 0;
	e->is_used = 1;
	return r;
}

void sc_event_record(struct sc_events *all, struct sc_event *e, const struct sc_point *snapshot,
		     uint64_t sequence)
{
	next_record(all, e, sequence)->snapshot = sc_point_get(snapshot);
}

void sc_event_record_launch(struct sc_events *all, struct sc_event *e, struct sc_clock *begun,
			    const struct sc_point *launched, uint64_t sequence)
{
	struct sc_event_record *r = next_record(all, e, sequence);

	e->has_launch = r->is_launch = 1;
	r->snapshot = (struct sc_point){0};
	r->begun = begun;
	r->launched = sc_point_get(launched);
}
