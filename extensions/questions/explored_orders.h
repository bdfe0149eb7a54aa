/* Explored orders: a program run under every order that its pairs leave open.
 *
 * A search without a list of orders: a run shows pairs, each that nothing decides yet is decided,
 * the program runs again, and so on until a run has no other open pair: that is one order. Then the
 * last decision is turned. So a run that takes another path, with other operations, has its own
 * pairs decided, and no order is run twice. Where the first run leaves open more orders than
 * are allowed, orders are drawn at random, always the same ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/questions/explored.h"

/* An order, and what it came to. */
struct sc_explored_order {
	char *pairs;	/* owned: as STREAMCHECK_SIM_PAIR has it */
	char *sequence; /* owned: numbers of the operations, "1, 3, 2" */
	struct sc_run_results results;
	size_t like; /* the first order with the same results */
};

struct sc_explored_failure {
	const char *reason;
	uint64_t count;
};

struct sc_explored_orders {
	struct sc_explored all;
	const char *failure; /* of the first run, or NULL */
	uint64_t open;	     /* orders of the first run, */
	uint64_t open_max;   /* or at least so many */
	bool is_sampled;     /* they were drawn */
	bool is_ended;	     /* by the number of runs, or a signal */
	SC_VECTOR(struct sc_explored_order) orders;
	SC_VECTOR(struct sc_explored_failure) failures; /* of orders */
	SC_VECTOR(struct sc_left_out) left_out;
	SC_VECTOR(struct sc_run_result) unsteady; /* places that differ in one order */
};

#define SC_OPEN_COUNT_MAX 1000000

/* Runs `most` orders at most, and none once `*is_stopped` is not 0. */
void sc_explored_orders_run(struct sc_explored_orders *o, struct sc_recording *recording,
			    char **argv, const char *directory, uint64_t most,
			    const volatile sig_atomic_t *is_stopped);
/* The next difference of two orders, less what is unsteady; `d` is zero at first. */
bool sc_explored_orders_differ(const struct sc_explored_orders *o, size_t a, size_t b,
			       struct sc_run_difference *d);
void sc_explored_orders_fini(struct sc_explored_orders *o);
