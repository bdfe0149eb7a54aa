/* Groups: findings of the same rule and the same pair of places.
 *
 * Two findings are in one group if they are of one rule, and the same kernels or calls meet at the
 * same places, whichever came first: the calls that lead there differ. Each finding keeps its own
 * data; groups only say which go together. Findings that follow from others are in none.
 */
#pragma once

#include <stdbool.h>
#include "base/vector.h"
#include "reports/words/words.h"

struct sc_group {
	size_t first;	 /* finding; the others come after it */
	size_t findings; /* how many */
	uint64_t count;	 /* how often they were seen, all together */
	size_t turned;	 /* findings in which what is second in the first one came first */
	size_t opposite; /* the first of these */
	bool is_turned;	 /* how the key has the sides of the first one */
};

struct sc_groups {
	SC_VECTOR(struct sc_group) list; /* by first finding */
	uint32_t *of;			 /* owned: by finding, number of its group from 1, or 0 */
	size_t findings;		 /* that are in groups */
};

/* Groups the findings of the report of `w` that are possible only for want of a kernel's code: a
 * program of a framework has many, and what would decide them is the same for all. `w` is left at
 * any finding. */
void sc_groups_init(struct sc_groups *g, struct sc_words *w);
/* The same of all other findings. */
void sc_groups_init_rest(struct sc_groups *g, struct sc_words *w);
void sc_groups_fini(struct sc_groups *g);
/* Appends "add(float*) at a.py:20 and mul(float*) at a.py:31"; for one side only that. */
void sc_group_describe(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
