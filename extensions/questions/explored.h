/* Explored: one program, run again and again on the simulated device, each time with pairs of its
 * operations in given orders, and recorded, so that each run says which of its pairs are open.
 *
 * An operation has a name that all runs share: its stream and its number there; an access of the
 * host's the operation that its thread enqueued last, and its number since. Names, operations and
 * pairs are kept in tables that grow with the runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "cmds/check/rerun.h"
#include "cmds/check/side_name.h"
#include "cmds/run/recording.h"
#include "extensions/questions/open_pairs.h"
#include "extensions/questions/run_results.h"

#define SC_EXPLORED_NAME 96

struct sc_explored_op {
	char name[SC_EXPLORED_NAME];
	uint64_t after[3]; /* of the host's: its thread + 1, and the stream and number of the
			      operation after which it comes; of the device's 0 */
	char *text;	   /* owned: what it is, and where */
};

struct sc_explored {
	struct sc_recording *recording; /* borrowed */
	const char *directory;		/* borrowed: paths below it are shown relative to it */
	struct sc_rerun rerun;
	unsigned runs; /* so far */
	size_t given;  /* pieces of memory, besides one of each pair */
	SC_VECTOR(struct sc_explored_op) ops;
	SC_VECTOR(struct sc_explored_pair) pairs;
};

/* Why a pair is left out, and how many are. */
struct sc_left_out {
	const char *reason;
	uint64_t count;
};

/* One run. */
struct sc_explored_run {
	const char *failure;		      /* it showed nothing, for this reason; or NULL */
	SC_VECTOR(uint32_t) pairs;	      /* that are open in it */
	SC_VECTOR(struct sc_open_pair) order; /* its operations that CUDA orders: a before b */
	SC_VECTOR(struct sc_left_out) left_out;
	struct sc_run_results results;
};

/* Before the first run; the recording is initialized. */
void sc_explored_begin(struct sc_explored *e, struct sc_recording *recording, char **argv,
		       const char *directory);
/* Runs the program; `first[i]` is the side of pair `pairs[i]` that is to be first. */
void sc_explored_go(struct sc_explored *e, struct sc_explored_run *run, const uint32_t *pairs,
		    const uint8_t *first, size_t count);
/* The value of STREAMCHECK_SIM_PAIR for that. */
void sc_explored_print(struct sc_buf *out, const struct sc_explored *e, const uint32_t *pairs,
		       const uint8_t *first, size_t count);
void sc_explored_run_fini(struct sc_explored_run *run);
void sc_explored_fini(struct sc_explored *e);
