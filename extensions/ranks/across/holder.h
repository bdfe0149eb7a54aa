/* Holders: processes that have memory of another one open, and whether that one frees it before
 * they have closed it (P-11, SC-141).
 *
 * A close comes before a free if the host of the owner knew of it when it called (knowledge.h).
 * Proven is a free before the close by the one clock of a node: whatever the hosts said to each
 * other, the memory was open. Kept are the frees that not all processes have come past, and the
 * holders of memory that is not freed.
 */
#pragma once

#include "extensions/ranks/across/remark.h"
#include "extensions/ranks/across/shared.h"

struct sc_holder_process;

/* A process that has opened it. */
struct sc_holder {
	const struct sc_sharing_object *object;
	uint32_t process;
	bool is_closed;
	bool is_unclear; /* it ended in a way that is not followed */
	uint64_t opened, opened_ns;
	uint64_t closed, closed_ns;
};

/* Its owner has freed it. */
struct sc_freed {
	const struct sc_sharing_object *object;
	uint32_t process;
	uint64_t sequence, time_ns;
	struct sc_clock *clock; /* owned: what the owner knew */
};

struct sc_holders {
	struct sc_shared *shared;	   /* borrowed */
	const struct sc_match *match;	   /* borrowed */
	struct sc_across_remarks *remarks; /* borrowed */
	struct sc_holder_process *of;	   /* owned: by process */
	SC_VECTOR(struct sc_holder) list;
	SC_VECTOR(struct sc_freed) freed;
};

void sc_holders_init(struct sc_holders *h, struct sc_shared *s, const struct sc_match *m,
		     struct sc_across_remarks *remarks);
/* The next event of a process, after the matcher and the engine of order have taken it. */
void sc_holders_take(struct sc_holders *h, unsigned process, const struct sc_across_event *e);
/* All events were taken: files what was found. */
void sc_holders_finish(struct sc_holders *h);
void sc_holders_fini(struct sc_holders *h);
