/* Clauses: the conditions of an access site as a disjunction of linear constraints.
 *
 * Each clause is a conjunction over the variables of the evaluator. Their union covers every case
 * in which the site is reached; a clause with a reason may cover more.
 */
#pragma once

#include <stdbool.h>
#include "footprint/eval.h"

#define SC_CLAUSE_CONSTRAINTS 24
#define SC_CLAUSES	      24

struct sc_clause {
	struct sc_constraint constraints[SC_CLAUSE_CONSTRAINTS];
	uint32_t count;
	uint8_t reason;
};

struct sc_clauses {
	SC_VECTOR(struct sc_clause) list;
};

/* One clause without constraints. */
void sc_clauses_start(struct sc_clauses *c);
void sc_clauses_fini(struct sc_clauses *c);
void sc_clauses_copy(struct sc_eval *e, struct sc_clauses *to, const struct sc_clauses *from);
/* All clauses may cover more than the truth from now on. */
void sc_clauses_doubt(struct sc_clauses *c, uint8_t reason);
/* Demands form ≤ bound of every clause. */
void sc_clauses_at_most(struct sc_eval *e, struct sc_clauses *c, const struct sc_linear_form *form,
			int64_t bound);
/* Demands a predicate, or its opposite. */
void sc_clauses_literal(struct sc_eval *e, struct sc_clauses *c, uint32_t node, bool wanted);
/* Demands a path (one term of it at least) and the iteration of a loop that has been reached. */
void sc_clauses_path(struct sc_eval *e, struct sc_clauses *c, const struct sc_path *path);
void sc_clauses_iteration(struct sc_eval *e, struct sc_clauses *c, uint32_t loop);
