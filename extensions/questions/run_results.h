/* Run results: what a run of a program on the simulated device can be compared by.
 *
 * The exit code, standard output, what each copy brought to the host, and, of each pair of
 * operations, the bytes that one of the two orders shows: what two writes leave, what a read finds.
 * Kept as digests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/vector.h"
#include "cmds/check/rerun.h"
#include "cmds/check/side_name.h"
#include "extensions/questions/open_orders.h"

enum sc_result_place {
	SC_RESULT_EXIT,
	SC_RESULT_OUTPUT,
	SC_RESULT_COPY,	 /* to the host */
	SC_RESULT_FOUND, /* by the one of a pair that reads */
	SC_RESULT_LEFT,	 /* by the two of a pair, which write */
	SC_RESULT_PLACES
};

#define SC_RESULT_SHOWN 16

struct sc_run_result {
	uint8_t place; /* enum sc_result_place */
	uint8_t shown; /* bytes of `first` */
	bool is_host;  /* what the host left: of the pair, since no operation shows it */
	char first[SC_RESULT_SHOWN];
	uint64_t key[3]; /* which one of the place */
	uint64_t digest;
};

struct sc_run_results {
	SC_VECTOR(struct sc_run_result) list; /* by place and key */
};

/* A pair as the runs have it. */
struct sc_explored_pair {
	struct sc_open_pair ops; /* indices of operations */
	struct sc_pair_names names;
	uint8_t mode[2]; /* enum sc_side_mode */
	bool is_host_known;
	struct sc_run_result host; /* what the host left, of which the device writes, too */
};

/* Takes them from the end of a run in which `first[i]` was the first side of pair `pairs[i]`. */
void sc_run_results_take(struct sc_run_results *r, const struct sc_rerun_end *end,
			 struct sc_explored_pair *all, const uint32_t *pairs, const uint8_t *first,
			 size_t count);
/* The next result that both have and that differs, from `at` of each on, which are 0 at first. */
struct sc_run_difference {
	size_t at[2];
	const struct sc_run_result *result[2]; /* borrowed */
};
bool sc_run_results_differ(const struct sc_run_results *a, const struct sc_run_results *b,
			   const struct sc_explored_pair *all, struct sc_run_difference *d);
/* Are they the same place? */
bool sc_run_result_is_of(const struct sc_run_result *a, const struct sc_run_result *b);
void sc_run_results_fini(struct sc_run_results *r);
