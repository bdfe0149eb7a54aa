/* Runs of bytes that a launch touched (kernels/recording.h) as accesses: sorted, joined, and, where
 * they lie at equal distances, as rows of one access.
 *
 * Too many accesses become fewer by filling the gaps between them; those are upper bounds then. Of
 * an asynchronous copy only the first byte of each aligned sixteen is read for certain: its run is
 * an upper bound, and some of those bytes are an access of their own.
 */
#ifndef SC_INTERPOSER_SANITIZER_RUNS_H
#define SC_INTERPOSER_SANITIZER_RUNS_H

#include <stdint.h>
#include "kernels/recording.h"
#include "trace/attach.h"

#define SC_RUN_ACCESSES 2048u /* of a launch at most */

/* Changes the runs, and `room` for as many. Writes at most SC_RUN_ACCESSES accesses to `to` and
 * returns how many. */
uint32_t sc_runs_accesses(struct sc_run *runs, uint32_t count, struct sc_run *room,
			  struct sc_access *to);

#endif
