/* Touch order: whether two touches of the same bytes race, and which one stands for another. */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/touch.h"

/* True if x is complete before y starts, nodes of graphs included. */
bool sc_touch_before_in_graph(const struct sc_touch *x, const struct sc_touch *y);
bool sc_touch_unordered_in_graph(const struct sc_touch *x, const struct sc_touch *y);

/* The same as sc_interval_before of the two notes. */
static inline bool sc_touch_before_plain(const struct sc_touch *x, const struct sc_touch *y)
{
	if (x->lane == y->lane && x->lane != SC_LANE_HOST)
		return x->position < y->position;
	if (x->lane == SC_LANE_HOST)
		return x->position < y->note->when.entered;
	return sc_clock_at(y->note->when.start, x->lane) >= x->position;
}

static inline bool sc_touch_before(const struct sc_touch *x, const struct sc_touch *y)
{
	if ((x->traits | y->traits) & SC_TRAIT_GRAPH)
		return sc_touch_before_in_graph(x, y);
	return sc_touch_before_plain(x, y);
}

static inline bool sc_touch_unordered(const struct sc_touch *x, const struct sc_touch *y)
{
	if ((x->traits | y->traits) & SC_TRAIT_GRAPH)
		return sc_touch_unordered_in_graph(x, y);
	return !(x->lane == y->lane && x->position == y->position) &&
	       !sc_touch_before_plain(x, y) && !sc_touch_before_plain(y, x);
}

/* One is a kernel's flag, the other one host code that reads or writes nothing but that word. */
static inline bool sc_touch_is_signal(const struct sc_touch *flag, const struct sc_touch *host)
{
	return flag->traits & SC_TRAIT_FLAG && host->traits & SC_TRAIT_HOST &&
	       host->first >= flag->first && host->end <= flag->end;
}

/* Both use the bytes at the same time by intent. */
static inline bool sc_touch_is_meant(const struct sc_touch *a, const struct sc_touch *b)
{
	return (a->traits & b->traits & SC_TRAIT_LIBRARY) || sc_touch_is_signal(a, b) ||
	       sc_touch_is_signal(b, a) ||
	       ((a->traits | b->traits) & SC_TRAIT_POLLED &&
		(sc_touch_is_polled(a, b) || sc_touch_is_polled(b, a)));
}

/* True if two touches of the same bytes collide unless they are ordered (0.4). */
static inline bool sc_touch_conflicts(const struct sc_touch *a, const struct sc_touch *b)
{
	return (sc_mode_writes(a->mode) || sc_mode_writes(b->mode)) &&
	       !(sc_mode_is_atomic(a->mode) && sc_mode_is_atomic(b->mode)) &&
	       sc_touch_unordered(a, b) && !sc_touch_is_meant(a, b);
}

/* True if `newer` is at least as sure as `older`, and collides with whatever that collides with.
 * One of another call site does not say that of this one (settings.keeps_sites). */
static inline bool sc_touch_outdoes(const struct sc_touch *newer, const struct sc_touch *older)
{
	return newer->site == older->site &&
	       (newer->mode == older->mode ||
		(newer->mode & SC_WRITE && older->mode != SC_ATOMIC)) &&
	       newer->known <= older->known &&
	       !(newer->traits & ~older->traits &
		 (SC_TRAIT_WEAK | SC_TRAIT_LIBRARY | SC_TRAIT_FLAG));
}

/* The same touch of the same launch, which was replayed. */
static inline bool sc_touch_is_replayed(const struct sc_touch *newer, const struct sc_touch *older)
{
	return newer->note == older->note && newer->node == older->node &&
	       newer->mode == older->mode && newer->known == older->known && newer->note->is_replay;
}

/* True if whatever races with `older` later also races with `newer`, at least as surely. */
static inline bool sc_touch_replaces(const struct sc_touch *newer, const struct sc_touch *older)
{
	return sc_touch_is_replayed(newer, older) ||
	       (sc_touch_outdoes(newer, older) && sc_touch_before(older, newer));
}
