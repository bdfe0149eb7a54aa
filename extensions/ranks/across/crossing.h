/* Crossing: operations of NCCL that ranks enqueue in different orders, so that each waits for one
 * that another rank has after it. Each communicator alone may be in order.
 *
 * A process is a queue of its operations, in the order in which they were enqueued; a meeting
 * (nccl_operation.h) leaves the queues when all of it is at their heads. Operation a is before b of
 * the same queue, unless both are of one communicator in one group of calls, which is one
 * operation. If there is a cycle of such steps, from meeting to meeting, NCCL's documentation
 * demands another order ("Using multiple NCCL communicators concurrently", "Group Operation
 * Ordering Semantics"). It is proven if each step is within one stream, and each operation needs
 * the one before the next step: then none can begin. Otherwise the device may run both side by
 * side.
 *
 * Naive form: play all queues until nothing moves; what stays although all of it is there is in a
 * cycle, or after one (extensions/ranks/tests/test_across_crossing.c compares). Here meetings have
 * levels, which rise along all queues; a cycle is searched for only where a new step does not rise.
 * Memory: what is in flight.
 */
#pragma once

#include "extensions/ranks/across/nccl_operation.h"

#define SC_CROSSING_MOST 65536 /* operations in queues; with more, nothing is said any more */

struct sc_crossing_queue;
struct sc_crossing_meeting;

struct sc_crossing {
	const struct sc_match *match;	      /* borrowed: takes each event before this does */
	struct sc_across_remarks *remarks;    /* borrowed */
	struct sc_crossing_queue *queues;     /* owned: by process */
	struct sc_crossing_meeting *meetings; /* owned */
	struct sc_nccl_numbers numbers;
	struct sc_u64_map filed; /* which cycles were */
	struct sc_u64_map left;	 /* communicators of which nothing is said any more */
	size_t held;		 /* operations */
	uint64_t searches;
	uint64_t cycles;
	bool is_off; /* there were too many */
};

void sc_crossing_init(struct sc_crossing *c, const struct sc_match *m,
		      struct sc_across_remarks *remarks);
void sc_crossing_take(struct sc_crossing *c, uint32_t process, const struct sc_across_event *e);
void sc_crossing_fini(struct sc_crossing *c);
