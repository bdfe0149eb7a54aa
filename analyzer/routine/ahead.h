/* Ahead: fetches the memory that the next op will use into the cache while this op is processed.
 *
 * Nothing is decided here and nothing is changed: only bytes of the next record are looked at, as
 * they lie in the reader's window, which may be hostile and so lead nowhere.
 */
#ifndef SC_ANALYZER_ROUTINE_AHEAD_H
#define SC_ANALYZER_ROUTINE_AHEAD_H

#include "analyzer/model.h"

/* With fewer streams, what ops look at is in the cache anyway. */
#define SC_AHEAD_STREAMS 128

void sc_ahead_fetch(const struct sc_analysis *a);

static inline void sc_ahead(const struct sc_analysis *a)
{
	if (a->order.streams.lanes > SC_AHEAD_STREAMS)
		sc_ahead_fetch(a);
}

#endif
