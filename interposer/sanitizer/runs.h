/* Runs of bytes that a launch touched (kernels/recording.h) as accesses: sorted, joined, and, where
 * they lie at equal distances, as rows of one access.
 *
 * Too many accesses become fewer by filling the gaps between those of one use and one allocation,
 * which are upper bounds then. Of an asynchronous copy only the first byte of each aligned sixteen
 * is read for certain: its run is an upper bound, and some of those bytes are an access of their
 * own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernels/recording.h"
#include "trace/attach.h"

#define SC_RUN_ACCESSES 2048u /* of a launch at most */

/* True if two addresses, the lower one first, are in one allocation as far as is known. */
typedef bool sc_runs_in_one_fn(uint64_t low, uint64_t high);

/* Changes the runs, and `room` for as many. Writes at most SC_RUN_ACCESSES accesses to `to` and
 * returns how many; more if there are more, which cannot become fewer. */
uint32_t sc_runs_accesses(struct sc_run *runs, uint32_t count, struct sc_run *room,
			  sc_runs_in_one_fn *are_in_one, struct sc_access *to);
