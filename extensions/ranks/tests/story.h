/* Story: what random ranks did, as events, which an engine gets in any order in which it lets them
 * go on, to be compared with a naive form. What is to be found in one case is a text trace
 * (extensions/ranks/tests/traces). */
#pragma once

#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/ranks/across/match.h"

#define WORLD	    UINT64_C(77)
#define RANKS	    3
#define EVENTS_MOST 4096

/* clang-format off */
enum call {
	NO_CALL, SEND, RECEIVE, BARRIER, BCAST, REDUCE, IBARRIER, SCAN, ALLTOALLV, FENCE, KERNEL,
	PROBE, WINDOW, NCCL_ALL_REDUCE, NCCL_BROADCAST, NCCL_REDUCE, NCCL_SEND, NCCL_RECEIVE
};

static const char *const call_names[] = {
	"", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Ibarrier",
	"MPI_Scan", "MPI_Ialltoallv", "MPI_Win_fence", "cuLaunchKernel", "MPI_Probe",
	"MPI_Win_complete", "ncclAllReduce", "ncclBroadcast", "ncclReduce", "ncclSend", "ncclRecv"
};
/* clang-format on */

/* As the recorder says it of these calls. */
static inline uint32_t value_of(enum sc_message kind, enum call call)
{
	static const enum sc_message_flow flows[] = {
		[BARRIER] = SC_FLOW_ALL_TO_ALL,
		[IBARRIER] = SC_FLOW_ALL_TO_ALL,
		[BCAST] = SC_FLOW_ONE_TO_ALL,
		[REDUCE] = SC_FLOW_ALL_TO_ONE,
		[SCAN] = SC_FLOW_SCAN,
		[ALLTOALLV] = SC_FLOW_LISTED,
		[NCCL_ALL_REDUCE] = SC_FLOW_ALL_TO_ALL,
		[NCCL_BROADCAST] = SC_FLOW_ONE_TO_ALL,
		[NCCL_REDUCE] = SC_FLOW_ALL_TO_ONE,
		[NCCL_RECEIVE] = SC_FLOW_NONE,
	};

	return kind |
	       sc_message_flow_bits(kind == SC_MESSAGE_COLLECTIVE ? flows[call] : SC_FLOW_NONE);
}

static inline const char *call_name(const void *data, uint32_t call)
{
	(void)data;
	return call_names[call];
}

static struct story {
	struct sc_across_event events[RANKS][EVENTS_MOST];
	size_t counts[RANKS];
	bool is_held[RANKS];
	struct sc_across_remarks remarks;
	struct sc_match match;
	uint64_t now_ns;
} story;

static uint64_t seed = 1;

static inline unsigned random_below(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 40) % n;
}

static inline struct sc_across_event *add(unsigned process, enum sc_across_what what)
{
	struct sc_across_event *e = &story.events[process][story.counts[process]];

	assert_true(story.counts[process] < EVENTS_MOST);
	*e = (struct sc_across_event){.sequence = story.counts[process]++,
				      .time_ns = story.now_ns++,
				      .what = (uint8_t)what,
				      .group = WORLD,
				      .thread = 1};
	return e;
}

static inline void join(unsigned process, uint64_t group, enum sc_message_group kind, unsigned rank,
			unsigned size)
{
	struct sc_across_event *e = add(process, SC_ACROSS_GROUP);

	e->group = group;
	e->value = kind;
	e->peer = rank + 1;
	e->bytes = size;
}

/* An operation of NCCL. */
static inline struct sc_across_event *enqueue_message(unsigned process, enum sc_message kind,
						      uint64_t group, unsigned rank, enum call call)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = value_of(kind, call);
	e->group = group;
	e->own = rank + 1;
	e->call = call;
	e->link = 1;
	e->bytes = 64;
	return e;
}

static inline void begin_match(void)
{
	sc_match_init(&story.match, RANKS, &story.remarks, call_name, NULL);
}

/* Gives all events to the engine; `give_up`, or NULL: all that are left are held. */
static inline void play(void (*take)(unsigned process, const struct sc_across_event *e),
			void (*give_up)(void))
{
	size_t at[RANKS] = {0}, left = 0;
	unsigned stuck = 0;

	for (unsigned i = 0; i < RANKS; i++) {
		for (; at[i] < story.counts[i] && sc_across_is_early(&story.events[i][at[i]]);
		     at[i]++)
			take(i, &story.events[i][at[i]]);
		left += story.counts[i] - at[i];
	}
	while (left && stuck < 20000) {
		unsigned i = random_below(RANKS);

		if (++stuck == 10000 && give_up) {
			give_up();
			memset(story.is_held, 0, sizeof(story.is_held));
		}
		if (at[i] == story.counts[i] || story.is_held[i])
			continue;
		take(i, &story.events[i][at[i]++]);
		left--;
		stuck = 0;
	}
	assert_int_equal(left, 0);
}

static inline void take_match(unsigned process, const struct sc_across_event *e)
{
	sc_match_take(&story.match, process, e);
}

static inline void finish_match(void)
{
	sc_match_fini(&story.match);
	sc_across_remarks_fini(&story.remarks);
}
