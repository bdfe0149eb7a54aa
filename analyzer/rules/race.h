/* Races: filing a conflict between two ops under its rule (15.0). */
#ifndef SC_ANALYZER_RULES_RACE_H
#define SC_ANALYZER_RULES_RACE_H

#include "analyzer/state.h"

/* How the later side ends memory, if it does. */
enum sc_race_end {
	SC_END_NONE,
	SC_END_LIBC,	    /* free, realloc, munmap */
	SC_END_MAY_WAIT,    /* a CUDA free that may wait for the device (H-3) */
	SC_END_NEVER_WAITS, /* a CUDA free that does not */
	SC_END_IN_STREAM    /* a stream-ordered free, not on the host's time line (P-2) */
};

/* A note of the op at hand, on the device's or on the host's side of it. */
struct sc_note *sc_race_note(struct sc_analysis *a, const struct sc_step *step, _Bool is_host);
/* Files one conflict with the later touch. */
void sc_race_file(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		  const struct sc_allocation *memory, enum sc_race_end end);

/* lifetime.c: the step ends the memory in its stream; races of what used it. */
void sc_lifetime_end_in_stream(struct sc_analysis *a, const struct sc_step *step,
			       const struct sc_allocation *memory);
/* What a node of a launch uses: checked, then remembered; false if anything collided. */
_Bool sc_race_node(struct sc_analysis *a, const struct sc_use *uses, size_t count,
		   struct sc_note *note, uint32_t node);
/* Remembers a use that stands for all uses of the launch in its allocation. */
void sc_race_launch(struct sc_analysis *a, const struct sc_use *use, struct sc_note *note,
		    uint32_t node);

#endif
