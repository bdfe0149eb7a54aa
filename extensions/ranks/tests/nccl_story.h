/* A run of several processes with NCCL, event by event, and what its comparison says of it.
 *
 * A test that includes this describes the events of each process, takes them up in any order that
 * may be (run), and looks at the remarks.
 */
#ifndef SC_EXTENSIONS_RANKS_TESTS_NCCL_STORY_H
#define SC_EXTENSIONS_RANKS_TESTS_NCCL_STORY_H

#include <stdlib.h>
#include <string.h>
#include "extensions/ranks/across/match.h"
#include "analyzer/finding/verdict.h"

#define ALL	    UINT64_C(77) /* communicators */
#define PART	    UINT64_C(78)
#define WORLD	    UINT64_C(79) /* of MPI */
#define RANKS	    3
#define EVENTS_MOST 512
#define STREAM	    5

enum { REDUCE = 1, BROADCAST, SEND, RECEIVE, SYNCHRONIZE };

struct story {
	struct sc_across_event events[RANKS][EVENTS_MOST];
	size_t counts[RANKS], at[RANKS];
	uint64_t numbers[RANKS][2];
	struct sc_across_remarks remarks;
	struct sc_match match;
};

static struct story story;
static uint64_t seed = 1;

static inline unsigned random_number(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 40);
}

static inline const char *call_name(const void *data, uint32_t call)
{
	static const char *const names[] = {"",		"ncclAllReduce", "ncclBroadcast",
					    "ncclSend", "ncclRecv",	 "cudaStreamSynchronize"};

	(void)data;
	return names[call];
}

static inline struct sc_across_event *add(unsigned process, enum sc_across_what what)
{
	struct sc_across_event *e = &story.events[process][story.counts[process]];

	assert_true(story.counts[process] < EVENTS_MOST);
	*e = (struct sc_across_event){
		.sequence = story.counts[process]++, .what = (uint8_t)what, .thread = 1};
	return e;
}

static inline void join(unsigned process, uint64_t group, unsigned rank, unsigned size)
{
	struct sc_across_event *e = add(process, SC_ACROSS_GROUP);

	e->value = SC_GROUP_NCCL;
	e->group = group;
	e->peer = rank + 1;
	e->bytes = size;
}

static inline void begin(unsigned processes)
{
	memset(&story, 0, sizeof(story));
	for (unsigned i = 0; i < processes; i++)
		join(i, ALL, i, processes);
}

static inline struct sc_across_event *message(unsigned process, unsigned kind, uint64_t group,
					      unsigned rank, uint32_t call)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = kind;
	e->group = group;
	e->own = rank + 1;
	e->call = call;
	e->link = STREAM;
	e->bytes = 64;
	return e;
}

static inline struct sc_across_event *collective(unsigned process, uint64_t group, unsigned rank,
						 uint32_t call)
{
	struct sc_across_event *e = message(process, SC_MESSAGE_COLLECTIVE, group, rank, call);

	e->tag = ++story.numbers[rank][group == PART];
	return e;
}

static inline struct sc_across_event *to_peer(unsigned process, unsigned kind, unsigned peer)
{
	struct sc_across_event *e =
		message(process, kind, ALL, process, kind == SC_MESSAGE_SEND ? SEND : RECEIVE);

	e->peer = peer + 1;
	e->tag = 1;
	return e;
}

static inline struct sc_across_event *stuck(unsigned process)
{
	struct sc_across_event *e = add(process, SC_ACROSS_STUCK);

	e->peer = STREAM;
	e->call = SYNCHRONIZE;
	return e;
}

static inline void run(unsigned processes)
{
	size_t left = 0;

	sc_match_init(&story.match, processes, &story.remarks, call_name, NULL);
	for (unsigned i = 0; i < processes; i++)
		for (; story.at[i] < story.counts[i]; story.at[i]++) {
			if (!sc_across_is_early(&story.events[i][story.at[i]]))
				break;
			sc_match_take(&story.match, i, &story.events[i][story.at[i]]);
		}
	for (unsigned i = 0; i < processes; i++)
		left += story.counts[i] - story.at[i];
	while (left) {
		unsigned i = random_number() % processes;

		if (story.at[i] == story.counts[i])
			continue;
		sc_match_take(&story.match, i, &story.events[i][story.at[i]++]);
		left--;
	}
	sc_match_finish(&story.match);
	sc_across_remarks_sort(&story.remarks);
}

static inline void finish(void)
{
	sc_match_fini(&story.match);
	sc_across_remarks_fini(&story.remarks);
}

static inline const struct sc_remark *remark(size_t i)
{
	assert_true(i < story.remarks.list.count);
	return &story.remarks.list.items[i].remark;
}

static inline void expect_count(size_t count)
{
	assert_int_equal(story.remarks.list.count, count);
}

#endif
