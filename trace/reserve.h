/* Reserving slots the short way, for who writes a record in every call.
 *
 * What sc_writer_reserve does, as long as there is room, no bound and nothing to be asked for: one
 * addition to the cursor, and the next record's lines are fetched.
 */
#pragma once

#include "trace/room.h"

/* The next record's lines: stores that wait for theirs hold up the driver's next locked one. */
static inline void sc_reserve_fetch(const struct sc_slot *next)
{
	__builtin_prefetch(next, 1);
	__builtin_prefetch(next + 1, 1);
	__builtin_prefetch(next + 2, 1);
	__builtin_prefetch(next + 3, 1); /* of a launch */
}

/* Reserves n slots for that many records; returns the first one, or SC_NOT_WRITTEN (counted). Only
 * of an open trace. */
static inline uint64_t sc_reserve(struct sc_writer *w, uint32_t n, uint32_t records)
{
	uint64_t first;

	if (w->bound)
		return sc_writer_reserve(w, n, records);
	first = __atomic_fetch_add(&w->head->slots, n, __ATOMIC_SEQ_CST);
	/* Seq_cst of `closed`: see sc_writer_settle. The room ends within the trace, so what is far
	 * from its end is, too. Acquire: paired with publish_ready. */
	if (sc_room_is_closed(w) ||
	    first + SC_ROOM_NEAR > __atomic_load_n(&w->ready_slots, __ATOMIC_ACQUIRE))
		return sc_writer_settle(w, first, n, records);
	sc_reserve_fetch(w->slots + first + n);
	return first;
}
