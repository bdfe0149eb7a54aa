/* Once: what processes of a run report alike, as one item.
 *
 *	item = sc_once_take(&joint->found, names, fingerprint, sc_alike_weight(f));
 *	if (item)
 *		…				writes what the finding is into the item's parts
 *	for (at = sc_once_begin(&joint->found); (item = sc_once_next(&joint->found, &at));)
 *		…
 *
 * Items are equal if their keys are; the words are those of the process in which the item weighs
 * most, of equals the first. Memory depends on how many different items there are, not on how many
 * processes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/vector.h"
#include "reports/sources/names.h"
#include "reports/many/rank_set.h"

#define SC_ONCE_PARTS	  4
#define SC_ONCE_PROCESSES 20 /* whose ids are kept of an item */
#define SC_ONCE_HIDDEN	  1  /* weight of a finding that is not reported */
#define SC_ONCE_LOUD	  12 /* weight from which on a finding fails a build */
#define SC_ONCE_WEIGHTS	  16

struct sc_once_item {
	uint64_t key;
	unsigned weight;
	unsigned rule;	      /* the format's own, as are the next three */
	uint64_t fingerprint; /* of a finding whose key is another */
	uint64_t group;	      /* which items belong together */
	struct sc_buf part[SC_ONCE_PARTS];
	uint64_t count; /* how often it was seen, in all processes */
	uint64_t processes;
	struct sc_rank_set ranks;
	SC_VECTOR(uint32_t) ids; /* of the first processes */
	int rank;		 /* of the first one, -1: none */
	char *command;		 /* of the first one; owned */
};

struct sc_once {
	SC_VECTOR(struct sc_once_item) items; /* in the order in which they came */
	struct sc_u64_map by_key;	      /* index + 1 */
};

struct sc_once_at {
	unsigned weight;
	size_t index;
};

void sc_once_fini(struct sc_once *o);
/* Counts the process, in which it was seen `count` times. Returns the item if its parts are to be
 * written, which are empty then; NULL if those of an earlier process stay. The item may move with
 * the next call. */
struct sc_once_item *sc_once_take(struct sc_once *o, const struct sc_names *names, uint64_t key,
				  unsigned weight, uint64_t count);
/* The items by weight, the heaviest first, of equals the one that came first; NULL at the end. */
struct sc_once_at sc_once_begin(void);
const struct sc_once_item *sc_once_next(const struct sc_once *o, struct sc_once_at *at);
