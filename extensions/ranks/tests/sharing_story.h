/* Sharing story: random ranks that share memory, given to the engine that orders them
 * (across/sharing.h), and the races that a naive form has. */
#pragma once

#include "extensions/ranks/across/sharing.h"
#include "extensions/ranks/tests/story.h"
#include "trace/attach.h"

#define MEMORY	      UINT64_C(1000) /* names; objects have the same ids in all processes */
#define BLOCK	      64
#define COMPARED_MOST 256 /* uses */

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

/* ---- a naive form ---- */

struct naive_form {
	unsigned count; /* of uses */
	struct sc_match_key (*key_of)(unsigned i);
	bool (*is_race)(unsigned i, unsigned k);
};

static struct naive_form compared;
static bool is_seen[COMPARED_MOST][COMPARED_MOST];

static inline unsigned number_of(struct sc_match_key key)
{
	for (unsigned i = 0; i < compared.count; i++) {
		struct sc_match_key own = compared.key_of(i);

		if (own.process == key.process && own.sequence == key.sequence)
			return i;
	}
	fail();
	return 0;
}

static inline void see_race(void *data, struct sc_match_key a, struct sc_match_key b)
{
	unsigned i = number_of(a), k = number_of(b);

	(void)data;
	is_seen[i][k] = is_seen[k][i] = 1;
}

/* Plays the story: the races that are seen are those of the naive form. Counts them, and the pairs
 * of uses of two processes that are none. */
static inline void compare(struct naive_form form, unsigned *races, unsigned *orders)
{
	assert_true(form.count <= COMPARED_MOST);
	compared = form;
	memset(is_seen, 0, sizeof(is_seen));
	begin_match();
	sc_sharing_init(&sharing, &story.match, &story.remarks, hold, NULL);
	sharing.see_race = see_race;
	play(take_sharing, give_up);
	sc_sharing_finish(&sharing);
	for (unsigned i = 0; i < form.count; i++)
		for (unsigned k = 0; k < i; k++) {
			struct sc_match_key a = form.key_of(i), b = form.key_of(k);
			bool is_one = form.is_race(i, k);

			if (is_one != is_seen[i][k])
				print_message("rank %u op %u, rank %u op %u: %d\n",
					      (unsigned)a.process, (unsigned)a.sequence,
					      (unsigned)b.process, (unsigned)b.sequence, is_one);
			assert_int_equal(is_one, is_seen[i][k]);
			*races += is_one;
			*orders += a.process != b.process && !is_one;
		}
}
