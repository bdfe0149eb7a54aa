/* Story: what ranks that share memory did, as events, given to the engine that orders them
 * (across/sharing.h) in any order in which it lets them go on. */
#ifndef SC_EXTENSIONS_RANKS_TESTS_SHARING_STORY_H
#define SC_EXTENSIONS_RANKS_TESTS_SHARING_STORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "extensions/ranks/across/sharing.h"
#include "analyzer/finding/verdict.h"
#include "trace/attach.h"

#define WORLD	    UINT64_C(77)
#define MEMORY	    UINT64_C(1000) /* names; objects have the same ids in all processes */
#define RANKS	    3
#define EVENTS_MOST 2048
#define BLOCK	    64

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
	struct sc_sharing sharing;
	unsigned ranks;
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

static inline void bind(unsigned process, uint64_t name, bool is_event, unsigned giver)
{
	struct sc_across_event *e = add(process, SC_ACROSS_BINDING);

	e->group = e->tag = name;
	e->value = is_event;
	e->peer = process == giver ? SC_SHARE_GIVEN : SC_SHARE_OPENED;
}

/* All are in one group, and share the memory and an event of each. */
static inline void begin(unsigned ranks)
{
	memset(&story, 0, sizeof(story));
	story.ranks = ranks;
	for (unsigned i = 0; i < ranks; i++) {
		struct sc_across_event *e = add(i, SC_ACROSS_GROUP);

		e->value = SC_GROUP_WORLD;
		e->peer = i + 1;
		e->bytes = ranks;
		bind(i, MEMORY, 0, 0);
		for (unsigned k = 0; k < ranks; k++)
			bind(i, MEMORY + 1 + k, 1, k);
	}
}

static inline void hold(void *data, unsigned process, bool is_held)
{
	(void)data;
	story.is_held[process] = is_held;
}

static bool (*see)(struct sc_match_key a, struct sc_match_key b);

static inline void see_race(void *data, struct sc_match_key a, struct sc_match_key b)
{
	(void)data;
	see(a, b);
}

static inline void run(void)
{
	size_t at[RANKS] = {0}, left = 0;
	unsigned stuck = 0;

	sc_match_init(&story.match, story.ranks, &story.remarks, call_name, NULL);
	sc_sharing_init(&story.sharing, &story.match, &story.remarks, hold, NULL);
	story.sharing.see_race = see ? see_race : NULL;
	for (unsigned i = 0; i < story.ranks; i++) {
		for (; at[i] < story.counts[i] && sc_across_is_early(&story.events[i][at[i]]);
		     at[i]++)
			sc_sharing_take(&story.sharing, i, &story.events[i][at[i]]);
		left += story.counts[i] - at[i];
	}
	while (left && stuck < 20000) {
		unsigned i = random_below(story.ranks);

		if (++stuck == 10000) {
			sc_sharing_give_up(&story.sharing);
			memset(story.is_held, 0, sizeof(story.is_held));
		}
		if (at[i] == story.counts[i] || story.is_held[i])
			continue;
		sc_sharing_take(&story.sharing, i, &story.events[i][at[i]++]);
		left--;
		stuck = 0;
	}
	assert_int_equal(left, 0);
	sc_sharing_finish(&story.sharing);
	sc_across_remarks_sort(&story.remarks);
}

static inline void finish(void)
{
	sc_sharing_fini(&story.sharing);
	sc_match_fini(&story.match);
	sc_across_remarks_fini(&story.remarks);
}

#endif
