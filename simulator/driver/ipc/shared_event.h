/* An event that several processes record and wait for (rule E-12): a page that all of them map.
 *
 * Records are numbered across processes. A record is an op that writes its number into the page
 * when its turn comes; to wait for a record of another process is to wait for that number. Each
 * number has its place among the last SIM_SHARED_RECORDS, so that records of two processes may end
 * in any order. What another process writes there is believed: it can end a wait, no more.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "simulator/driver/memory/memory.h"
#include "simulator/driver/schedule/work.h"

#define SIM_SHARED_RECORDS     511
#define SIM_SHARED_EVENT_BYTES 4096

struct sim_shared_event {
	struct sim_alloc *page; /* counted; ops that write or read it hold it too */
	uint64_t own;		/* number of this process's last record, or 0 */
	bool is_imported;
};

/* NULL when out of memory. The second takes the descriptor over. */
struct sim_shared_event *sim_shared_event_new(void);
struct sim_shared_event *sim_shared_event_open(int fd);
void sim_shared_event_free(struct sim_shared_event *shared);

/* What a record does when its turn comes; the record is the last one from now on. */
struct sim_work sim_shared_event_record(struct sim_shared_event *shared);

/* True if another process has recorded it last, and that record is still to come. */
bool sim_shared_event_is_awaited(const struct sim_shared_event *shared);

/* Waits for that record. */
struct sim_work sim_shared_event_wait(const struct sim_shared_event *shared);

/* True if this process made the last record, so that its op stands for it. */
bool sim_shared_event_is_own(const struct sim_shared_event *shared);
