/* Sharing story: random ranks that share memory, given to the engine that orders them
 * (across/sharing.h), and the races that a naive form has. */
#pragma once

#include "extensions/ranks/across/sharing.h"
#include "extensions/ranks/tests/naive_uses.h"
#include "trace/attach.h"

#define MEMORY UINT64_C(1000) /* names; objects have the same ids in all processes */
#define BLOCK  64

static struct sc_sharing sharing;

static inline void bind(unsigned process, uint64_t name, bool is_event, unsigned giver)
{
	struct sc_across_event *e = add(process, SC_ACROSS_BINDING);

	e->group = e->tag = name;
	e->value = is_event;
	e->peer = process == giver ? SC_SHARE_GIVEN : SC_SHARE_OPENED;
}

/* All are in one group, and share the memory and an event of each. */
static inline void begin(void)
{
	memset(&story, 0, sizeof(story));
	memset(&graph, 0, sizeof(graph));
	for (unsigned i = 0; i < RANKS; i++) {
		join(i, WORLD, SC_GROUP_WORLD, i, RANKS);
		bind(i, MEMORY, 0, 0);
		for (unsigned k = 0; k < RANKS; k++)
			bind(i, MEMORY + 1 + k, 1, k);
	}
}

static inline void hold(void *data, unsigned process, bool is_held)
{
	(void)data;
	story.is_held[process] = is_held;
}

static inline void take_sharing(unsigned process, const struct sc_across_event *e)
{
	sc_sharing_take(&sharing, process, e);
}

static inline void give_up(void)
{
	sc_sharing_give_up(&sharing);
}

static inline void finish(void)
{
	sc_sharing_fini(&sharing);
	finish_match();
}

/* ---- uses ---- */

/* The events of a use, but for its end. */
static inline struct sc_across_event *add_use(struct naive_use *u)
{
	struct sc_across_event *e = add(u->process, SC_ACROSS_ACCESS);

	e->tag = MEMORY;
	e->operation = u->first * BLOCK;
	e->bytes = u->count * BLOCK;
	e->value = sc_across_access_value(u->is_write ? SC_WRITE : SC_READ, SC_KNOWN_EXACT, 0);
	e->peer = (uint32_t)e->sequence; /* each is a place of its own */
	e->call = KERNEL;
	u->sequence = e->sequence;
	return e;
}

/* ---- compared ---- */

static bool is_seen[COMPARED_MOST][COMPARED_MOST];

static inline unsigned number_of(struct sc_match_key key)
{
	for (unsigned i = 0; i < graph.use_count; i++)
		if (graph.uses[i].process == key.process && graph.uses[i].sequence == key.sequence)
			return i;
	fail();
	return 0;
}

static inline void see_race(void *data, struct sc_match_key a, struct sc_match_key b)
{
	unsigned i = number_of(a), k = number_of(b);

	(void)data;
	is_seen[i][k] = is_seen[k][i] = 1;
}

/* Plays the story: the races that are seen are those of the naive form, but of uses that never are
 * (`is_stuck`, or NULL). Counts them, and the pairs of uses of two processes that are none. */
static inline void compare(bool (*is_stuck)(unsigned node), unsigned *races, unsigned *orders)
{
	memset(is_seen, 0, sizeof(is_seen));
	begin_match();
	sc_sharing_init(&sharing, &story.match, &story.remarks, hold, NULL);
	sharing.see_race = see_race;
	play(take_sharing, give_up);
	sc_sharing_finish(&sharing);
	for (unsigned i = 0; i < graph.use_count; i++)
		for (unsigned k = 0; k < i; k++) {
			const struct naive_use *a = &graph.uses[i], *b = &graph.uses[k];
			bool is_one = is_race(a, b) &&
				      !(is_stuck && (is_stuck(a->end) || is_stuck(b->end)));

			if (is_one != is_seen[i][k])
				print_message("rank %u op %u, rank %u op %u: %d\n", a->process,
					      (unsigned)a->sequence, b->process,
					      (unsigned)b->sequence, is_one);
			assert_int_equal(is_one, is_seen[i][k]);
			*races += is_one;
			*orders += a->process != b->process && !is_one;
		}
}
