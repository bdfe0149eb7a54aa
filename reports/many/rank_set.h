/* Rank set: which ranks of a run, as ranges in ascending order that neither meet nor touch.
 *
 * The naive form is a sorted list of numbers. Ranges keep the ranks of a run of thousands in a few
 * words: most findings are of all ranks, of one, or of all but a few. `test_summary` compares the
 * two forms. Adding a rank in ascending order takes constant time, any other the number of ranges.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/vector.h"

struct sc_rank_range {
	uint32_t first, last;
};

struct sc_rank_set {
	SC_VECTOR(struct sc_rank_range) ranges;
};

void sc_rank_set_fini(struct sc_rank_set *s);
void sc_rank_set_add(struct sc_rank_set *s, uint32_t first, uint32_t last);
/* Adds all ranks of another set. */
void sc_rank_set_join(struct sc_rank_set *s, const struct sc_rank_set *other);
uint64_t sc_rank_set_count(const struct sc_rank_set *s);
/* Appends "0-5,7", all of it; "-" if the set is empty. */
void sc_rank_set_print(struct sc_buf *out, const struct sc_rank_set *s);
/* Reads what sc_rank_set_print wrote into an empty set, from `bytes` bytes; false if it is
 * something else: then the set is partly filled. */
bool sc_rank_set_parse(struct sc_rank_set *s, const char *text, size_t bytes);
/* Appends "rank 7", "ranks 0-5, 7" or, where that is shorter, "ranks 0-1023 except 7", for people:
 * of a long list the first ranges, and how many more there are. `all`: the ranks of the run, of
 * which the set is a part. Nothing for an empty set. */
void sc_rank_set_describe(struct sc_buf *out, const struct sc_rank_set *s,
			  const struct sc_rank_set *all);
