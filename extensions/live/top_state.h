/* Top's state: what a process has in flight, as far as its trace shows.
 *
 * Fed with each record of a trace that is still written, and with what the record did to the order:
 * an operation is complete once the host knows so, by a wait or what it learned from one, or once a
 * device time says that it, or a later one of its stream, has ended. Else what has ended on the
 * device, and nobody waited for, counts as in flight. Memory depends on what is alive:
 * streams that were destroyed and are complete, threads that have ended, freed memory are gone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/finding/settings.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

/* Of one stream at most so many are kept; of more, two neighbours become one. */
#define SC_TOP_MARKS_MOST 4096

/* Operations of a stream that are complete when its lane is, up to a position. */
struct sc_top_mark {
	uint64_t position;
	uint64_t sequence; /* of the last one */
	uint64_t count;
	uint32_t lane;
};

struct sc_top_stream {
	uint32_t id;
	bool is_destroyed;
	uint64_t enqueued, complete;
	SC_VECTOR(struct sc_top_mark) marks; /* from `done` on: not complete, in order */
	size_t done;
	struct sc_op last; /* enqueued: work, or else an event's record or a wait for one */
};

struct sc_top_thread {
	uint32_t id;
	uint64_t sequence; /* of its last call */
	struct sc_op last;
};

struct sc_top_memory {
	uint64_t count, bytes;
};

/* An allocation that is alive. */
struct sc_top_block {
	uint64_t bytes;
	uint8_t memory; /* enum sc_memory */
};

struct sc_top_state {
	SC_VECTOR(struct sc_top_stream) streams;
	SC_VECTOR(struct sc_top_thread) threads;
	SC_VECTOR(struct sc_top_block) blocks;
	SC_VECTOR(size_t) free_blocks; /* places there that the next ones take */
	struct sc_u64_map streams_by_id, threads_by_id, blocks_by_address; /* index + 1 */
	struct sc_top_memory memory[SC_MEM_KINDS];
	struct sc_watch watch;	      /* for the analysis */
	const struct sc_order *order; /* borrowed: the analysis's; NULL before its first record */
};

void sc_top_state_init(struct sc_top_state *s);
void sc_top_state_fini(struct sc_top_state *s);
/* Takes the next record. */
void sc_top_state_note(struct sc_top_state *s, const struct sc_record *r);
/* Brings up to date which operations are complete; the order of streams may change. */
void sc_top_state_settle(struct sc_top_state *s);
/* The call that the thread is inside, as far as the trace shows now; false: none. */
bool sc_top_state_is_inside(const struct sc_top_thread *t, const struct sc_reader *r);
