/* Events: which work each record covers (E-1 to E-14).
 *
 * A record replaces the snapshot; waits bind to the snapshot that is current when they are called.
 * A few older snapshots are kept to say that a wait used the wrong one.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/wait.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/slab.h"

#define SC_EVENT_KEPT 4

/* An event record by a launch, which may fire long before the launch ends (L-3, L-4). */
struct sc_event_launch {
	struct sc_clock *begun;	  /* owned: all that the record covers */
	struct sc_point launched; /* owned: what it looks like */
};

struct sc_event_record {
	struct sc_point snapshot;	/* owned */
	uint64_t record;		/* sequence + 1 of the record op; 0 = no such record */
	struct sc_event_launch *launch; /* owned; NULL: recorded by a call */
};

/* Waits look at nothing but the first cache line. */
struct sc_event {
	uint32_t id;
	bool is_foreign;  /* another process may record it (E-12) */
	bool is_captured; /* last recorded in a capture (E-13) */
	bool is_inside;	  /* as what the capture had come to: a waiting stream joins it (G-3) */
	bool is_used;	  /* was ever recorded or captured */
	uint32_t records;
	struct sc_event_record newest;
	_Alignas(SC_CACHE_LINE) struct sc_event_record
		older[SC_EVENT_KEPT - 1]; /* a ring, the i-th record ever at i */
	UT_hash_handle hh;
};

#define SC_EVENTS_RECENT 2048

struct sc_events {
	struct sc_clock_pool *pool; /* borrowed */
	struct sc_slab slab;
	struct sc_event *by_id;			   /* in the slab */
	struct sc_event *recent[SC_EVENTS_RECENT]; /* borrowed: by low bits of the id, or NULL */
};

void sc_events_fini(struct sc_events *all);
/* The event of an id, made if it is new. */
struct sc_event *sc_event_of(struct sc_events *all, uint32_t id);
/* The same, or NULL. */
struct sc_event *sc_event_find(struct sc_events *all, uint32_t id);
/* The same, or NULL if the event was not looked up lately. */
static inline struct sc_event *sc_event_recall(const struct sc_events *all, uint32_t id)
{
	struct sc_event *e = all->recent[id % SC_EVENTS_RECENT];

	return e && e->id == id ? e : NULL;
}
void sc_event_forget(struct sc_events *all, struct sc_event *e);

/* Takes a snapshot (E-1, E-2). */
void sc_event_record(struct sc_events *all, struct sc_event *e, const struct sc_point *snapshot,
		     uint64_t sequence);
/* A launch records it (hands `begun` over): waiting for it is no wait for the kernel (E-14). */
void sc_event_record_launch(struct sc_events *all, struct sc_event *e, struct sc_clock *begun,
			    const struct sc_point *launched, uint64_t sequence);
/* The i-th last record (0 = the current one, of SC_EVENT_KEPT), or NULL. */
static inline const struct sc_event_record *sc_event_at(const struct sc_event *e, uint32_t i)
{
	sc_assert(i < SC_EVENT_KEPT);
	if (i >= e->records)
		return NULL;
	return i ? &e->older[(e->records - 1 - i) % (SC_EVENT_KEPT - 1)] : &e->newest;
}
/* All that a record by a launch covers; NULL for another record. Borrowed. */
static inline struct sc_clock *sc_event_begun(const struct sc_event_record *r)
{
	return r->launch ? r->launch->begun : NULL;
}
/* The record that a wait binds to (E-4). NULL: there is none, or it is not known which it is,
 * because another process may have recorded the event since (E-12). */
static inline const struct sc_event_record *sc_event_bound(const struct sc_event *e)
{
	return e->is_foreign ? NULL : sc_event_at(e, 0);
}
