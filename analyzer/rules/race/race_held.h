/* Held races: pairs that an operation in flight may yet order by a word in memory (order/talk.h).
 *
 * They are filed when it is known to have ended, or with the trace. Of the same two call sites few
 * are held; further ones are filed as possible at once.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/model/model.h"

struct sc_held_race {
	struct sc_finding f;
	struct sc_op ops[2];
	struct sc_interval when[2]; /* clocks owned */
	uint64_t known[2];	    /* when the host knew their ends; 0: it does not */
};

struct sc_held_races {
	SC_VECTOR(struct sc_held_race) list;
};

/* Makes a finding possible, of which words in memory are the doubt. */
void sc_race_doubt_talk(struct sc_finding *f, const struct sc_talk_way *way);
/* Takes a race over that may yet turn out to be ordered; false: it is to be filed now, and may be
 * possible only. `earlier` and `later` are operations of streams. */
bool sc_race_hold(struct sc_held_races *held, struct sc_analysis *a, struct sc_finding *f,
		  const struct sc_touch *earlier, const struct sc_touch *later);
/* After each record: files what is settled. */
void sc_race_held_step(struct sc_held_races *held, struct sc_analysis *a);
/* After the last record. */
void sc_race_held_finish(struct sc_held_races *held, struct sc_analysis *a);
