/* The state of the evaluator: the case it works on, its variables, what it knows so far. */
#pragma once

#include <stdbool.h>
#include "footprint/form.h"
#include "footprint/kernel.h"

#define SC_EVAL_FACTS 24
#define SC_EVAL_MADE  24

/* Numbers of variables. */
enum {
	SC_VAR_TID,
	SC_VAR_CTAID = 3,
	SC_VAR_COUNTER = 6, /* of the loops around the site, by depth */
	SC_VAR_MADE = SC_VAR_COUNTER + SC_FLOW_DEPTH,
	SC_VAR_FREE = SC_VAR_MADE + SC_EVAL_MADE
};

/* A part of the threads; kept between the evaluations of one site. */
struct sc_case {
	struct sc_linear_form leaves[6]; /* tid, ctaid */
	struct sc_constraint facts[SC_EVAL_FACTS];
	uint32_t fact_count;
	struct sc_form_variable made[SC_EVAL_MADE];
	uint32_t made_count;
	uint32_t splits;
	uint32_t restarts;
};

enum sc_request_kind {
	SC_REQUEST_NONE,
	SC_REQUEST_SPLIT,  /* form ≤ bound, or not */
	SC_REQUEST_DIGITS, /* variable = radix × q + d */
	SC_REQUEST_FUSE	   /* variable stands with factor 1 in form: replace the sum */
};

struct sc_request {
	enum sc_request_kind kind;
	struct sc_linear_form form;
	int64_t bound;
	uint32_t variable;
	int64_t radix;
};

/* A stay test, resolved: the loop goes on after iteration k exactly if form(k) ≤ bound. */
struct sc_resolved {
	struct sc_linear_form form; /* factor of the counter > 0, or 0 */
	int64_t bound;
};

enum sc_loop_state { SC_LOOP_NEW, SC_LOOP_BUSY, SC_LOOP_KNOWN };

struct sc_loop_value {
	uint32_t run;
	enum sc_loop_state state;
	uint32_t counter; /* variable */
	uint32_t count;
	struct sc_resolved tests[SC_GUARD_TESTS * 2];
	uint8_t reason; /* set if the tests are not the whole truth */
};

/* While a loop is being resolved its counter has no bound, so a value that is cut to fewer bits is
 * taken to fit; when the bound is known, it must. */
struct sc_promise {
	struct sc_linear_form form;
	unsigned bits;
	bool is_signed;
};

#define SC_EVAL_PROMISES 8

struct sc_eval {
	struct sc_footprint_kernel *k;
	const struct sc_footprint_launch *launch;
	const struct sc_memory_site *site;
	struct sc_case *now;
	struct sc_box box;
	uint32_t next_variable;
	struct sc_request request; /* once set, values mean nothing */
	struct sc_promise promises[SC_EVAL_PROMISES];
	uint32_t promise_count;
	uint32_t busy_loops; /* being resolved */
	bool is_trying;	     /* no requests now */
	bool failed;	     /* out of variables or steps */
	uint8_t failed_reason;
	uint32_t run;  /* stamp of unknowns and loops */
	uint32_t memo; /* stamp of memoised values */
	uint32_t depth;
	uint32_t fuel;		    /* steps left for this case */
	uint64_t spent;		    /* steps of all cases, those beyond what was left, too */
	uint32_t splits_left;	    /* of the site */
	uint32_t *memo_stamp;	    /* owned: of each node */
	uint32_t *memo_slot;	    /* owned */
	uint32_t *unknown_stamp;    /* owned: of each node and view */
	uint32_t *unknown_variable; /* owned */
	SC_VECTOR(struct sc_linear_form) values;
	struct sc_loop_value *loops; /* owned */
};
