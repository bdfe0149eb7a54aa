/* Price: how much time of this run an edit would have taken, by the times that the device measured.
 *
 * A wait of a stream takes overlap: how long what comes after it ran before what it waits for had
 * ended. A wait of the host takes the time from the call until then. Times are the run's own, so
 * that each edit is priced as if it were alone. Without device times there are no prices, and
 * nothing is kept.
 */
#pragma once

#include "extensions/repair/planner/edit.h"
#include "analyzer/run/device_time.h"

struct sc_price {
	const struct sc_device_times *times; /* borrowed */
	struct sc_u64_map last;		     /* of each stream: place + 1 of its last work */
	uint64_t end_ns;		     /* of all work so far */
};

void sc_price_init(struct sc_price *p, const struct sc_device_times *times);
void sc_price_fini(struct sc_price *p);
/* Takes each op of the trace, in order. */
void sc_price_note(struct sc_price *p, uint64_t place, const struct sc_op *op);
/* Place + 1 of the last work in a stream so far; 0: none, or there are no times. */
uint64_t sc_price_last(const struct sc_price *p, uint32_t stream);
/* The op at `second` waits for the one at place `first` (+ 1; 0: not known). */
void sc_price_device(const struct sc_price *p, struct sc_edit *e, uint64_t first, uint64_t second);
/* The host waits for it, at the call of an op. */
void sc_price_host(const struct sc_price *p, struct sc_edit *e, uint64_t first,
		   const struct sc_op *at);
/* The host waits for all work so far. */
void sc_price_all(const struct sc_price *p, struct sc_edit *e, const struct sc_op *at);
