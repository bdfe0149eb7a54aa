/* Places: which operations were called from the line of an edit. */
#pragma once

#include <stdbool.h>
#include "extensions/repair/planner/edit.h"
#include "base/map.h"
#include "trace/reader.h"

/* Where in an op's stack its line is: so many return addresses and lines of Python lead to it. */
struct sc_repair_depth {
	uint32_t frames, lines;
	uint32_t inlined; /* frames at the last of these addresses that are further in */
	bool has_inner;	  /* one of these frames is of the program, not only of a launch */
	bool is_outer;	  /* the program's own code is further in, in this line's calls */
	bool is_foreign;  /* the line is not the program's own: no edit goes there */
};

/* Makes the place of an op; without a stack it is the op's own. */
struct sc_edit_place sc_place_of(const struct sc_reader *r, uint32_t stack, uint64_t op,
				 struct sc_repair_depth depth);

/* The line of a place: it is hit by all ops that are called from there, however deep. */
struct sc_edit_place sc_place_line(const struct sc_reader *r, const struct sc_edit_place *place);

/* The places of all edits of a plan, and which of them each stack leads to. */
struct sc_places {
	const struct sc_reader *reader;	      /* borrowed */
	SC_VECTOR(struct sc_edit_place) list; /* different ones */
	SC_VECTOR(uint32_t) hits;	      /* runs of numbers, each ended by SC_PLACE_END */
	struct sc_u64_map by_stack, by_op;    /* first hit + 1 */
};
#define SC_PLACE_END UINT32_MAX

/* Adds a place; its number. */
uint32_t sc_places_add(struct sc_places *p, const struct sc_edit_place *place);
/* The numbers of the places that an op was called from, up to SC_PLACE_END. */
const uint32_t *sc_places_of(struct sc_places *p, uint32_t stack, uint64_t op);
void sc_places_fini(struct sc_places *p);
