/* Cost: what the calls of a place in the program cost this run, for advice with numbers.
 *
 * Two ways to lose time: the host is blocked (from the BEGIN of a wait or of a synchronous copy to
 * its END; in a pageable copy until the device has done it), and the device is idle because the
 * host went on too late: a gap between two pieces of its work, if a wait of the host ended in the
 * gap and the work after the gap was enqueued only then. A gap counts for the first wait in it.
 * Without device times only the first is known. Sites are those of advice that was filed.
 */
#pragma once

#include "analyzer/symbol/callsite.h"
#include "analyzer/run/device_time.h"
#include "analyzer/finding/finding.h"

struct sc_cost {
	uint64_t blocked_ns, idle_ns;
};

/* A call that has begun and not ended, one a thread. */
struct sc_open_call {
	uint64_t link; /* sequence number + 1 of its BEGIN */
	uint64_t time_ns;
	size_t site; /* index + 1 of its cost; 0: not wanted */
};

/* A wait of the host that has ended. */
struct sc_wait_end {
	uint64_t time_ns;
	size_t site;
};

struct sc_costs {
	struct sc_u64_map sites; /* call site and kind of op, to index + 1 */
	SC_VECTOR(struct sc_cost) list;
	struct sc_u64_map threads; /* to index + 1 */
	SC_VECTOR(struct sc_open_call) open;
	SC_VECTOR(struct sc_wait_end) ends; /* in the order of the trace */
};

/* The cost of calls like this one will be asked for. */
void sc_costs_want(struct sc_costs *c, uint64_t site, const struct sc_op *op);
/* Takes each record of the second pass, in order. */
void sc_costs_visit(struct sc_costs *c, const struct sc_device_times *t, struct sc_callsites *sites,
		    const struct sc_reader *reader, const struct sc_record *r);
/* The pass is over: finds the device's idle gaps. */
void sc_costs_finish(struct sc_costs *c, const struct sc_device_times *t);
/* The cost of the calls like this one, or NULL. */
const struct sc_cost *sc_costs_of(const struct sc_costs *c, uint64_t site, const struct sc_op *op);
void sc_costs_fini(struct sc_costs *c);
