/* Run results: what a run of a program on the simulated device can be compared by.
 *
 * The exit code, standard output, what each copy brought to the host, and the bytes that both of a
 * pair use: what a read finds, and, of two writes, what is left in the end.
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
	SC_RESULT_LEFT,	 /* in the end, where both of a pair write */
	SC_RESULT_PLACES
};

#define SC_RESULT_SHOWN 16

struct sc_run_result {
	uint8_t place; /* enum sc_result_place */
	uint8_t shown; /* bytes of `first` */
	char first[SC_RESULT_SHOWN];
	uint64_t key[3]; /* which one of the place: pair and piece; stream, number and part */
	uint64_t digest;
};

struct sc_run_results {
	SC_VECTOR(struct sc_run_result) list; /* by place and key */
};

/* Bytes that both of a pair use; the device is given the pair once for each. */
struct sc_explored_piece {
	struct sc_pair_names names;
	uint8_t mode[2]; /* enum sc_side_mode */
};

/* A pair as the runs have it. */
struct sc_explored_pair {
	struct sc_open_pair ops;		    /* indices of operations */
	SC_VECTOR(struct sc_explored_piece) pieces; /* at least one */
	bool is_cut;				    /* there are more */
};

/* Takes them from the end of a run in which `first[i]` was the first side of pair `pairs[i]`. */
void sc_run_results_take(struct sc_run_results *r, const struct sc_rerun_end *end,
			 const struct sc_explored_pair *all, const uint32_t *pairs,
			 const uint8_t *first, size_t count);
/* The next result that both have and that differs, from `at` of each on, which are 0 at first. */
struct sc_run_difference {
	size_t at[2];
	const struct sc_run_result *result[2]; /* borrowed */
};
bool sc_run_results_differ(const struct sc_run_results *a, const struct sc_run_results *b,
			   struct sc_run_difference *d);
/* Does it show the bytes of the pair? */
bool sc_run_results_have_pair(const struct sc_run_results *r, size_t pair);
/* Are they the same place? */
bool sc_run_result_is_of(const struct sc_run_result *a, const struct sc_run_result *b);
void sc_run_results_fini(struct sc_run_results *r);
