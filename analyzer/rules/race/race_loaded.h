/* Loaded addresses: launches that may use any of the host's memory that devices reach.
 *
 * A kernel that loads the addresses that it uses may use memory that nothing names. Where the bytes
 * that the launch touched are not known, a host access to such memory that comes neither before nor
 * after the launch may collide with it, and nothing more than that can be said. Of each stream the
 * last such launch is kept until the host knows its end: it ends after those before it.
 */
#pragma once

#include "analyzer/model/model.h"

struct sc_loaded_launch {
	struct sc_note *note; /* a reference */
	uint32_t node;
};

struct sc_loaded_launches {
	SC_VECTOR(struct sc_loaded_launch) list;
};

/* The launch may use such memory; `node` of its graph, if it is one's. */
void sc_race_loaded_note(struct sc_loaded_launches *all, struct sc_analysis *a,
			 struct sc_note *note, uint32_t node);
/* Adds launches with which a touch of the host, in this memory, collides so to the conflicts at
 * hand. */
void sc_race_loaded_check(struct sc_loaded_launches *all, struct sc_analysis *a,
			  const struct sc_allocation *memory, const struct sc_touch *touch);
void sc_race_loaded_fini(struct sc_loaded_launches *all, struct sc_analysis *a);
