/* The evaluator: nodes of the graph as linear forms, for one launch, one access site, one case.
 *
 * A value of w bits is a form that equals it modulo 2^w; where its number matters (comparisons,
 * extensions, divisions) the form is moved into the window of the type, if its span allows.
 * A case is a part of the launch's threads (and iterations), cut by facts: linear constraints.
 * Where a value is linear only piecewise, evaluation stops with a request to split the case; where
 * a quotient needs it, with a request to write a coordinate as two digits. The driver
 * (evaluate.c) splits and starts over. What stays unknown becomes a variable of its own.
 */
#pragma once

#include <stdbool.h>
#include "footprint/eval_state.h"

/* Value of a node for a user in `block`: loops between the two have ended. */
struct sc_linear_form sc_eval_node(struct sc_eval *e, uint32_t node, uint32_t block);
/* Number of a node's value, by its width and the sign. */
struct sc_linear_form sc_eval_number(struct sc_eval *e, uint32_t node, uint32_t block,
				     bool is_signed);
/* Moves a form into the window of a type; unknown if that is not possible. */
struct sc_linear_form sc_eval_window(struct sc_eval *e, const struct sc_linear_form *f,
				     unsigned bits, bool is_signed, uint32_t node);
/* Shifts a form by a multiple of 2^bits so that it lies in the window; false: it straddles. */
bool sc_eval_fit(const struct sc_eval *e, struct sc_linear_form *f, unsigned bits, bool is_signed);
struct sc_form_span sc_eval_window_of(unsigned bits, bool is_signed);
/* A variable for what is not known of a node; one per node, view and run. */
struct sc_linear_form sc_eval_unknown(struct sc_eval *e, uint32_t node, bool is_signed,
				      enum sc_footprint_reason reason);
struct sc_linear_form sc_eval_fresh(struct sc_eval *e, int64_t low, int64_t high,
				    enum sc_footprint_reason reason);
struct sc_form_span sc_eval_span(const struct sc_eval *e, const struct sc_linear_form *f);
/* Asks for a split; false if that is not allowed here. */
bool sc_eval_split(struct sc_eval *e, const struct sc_linear_form *form, int64_t bound);
/* Real value of a symbolic pointer, if the launch's key covers it. */
bool sc_eval_concrete(struct sc_eval *e, struct sc_linear_form *f);
/* Work is counted in steps, each about a node evaluated. Spends some of the case's allowance; when
 * there is none left, values are unknown and conditions are dropped. */
void sc_eval_spend(struct sc_eval *e, uint32_t steps);
/* The same for an operand of a node; where that takes no more, only the low bits are right. */
bool sc_eval_low(struct sc_eval *e, uint32_t node, struct sc_linear_form *f);
/* True if evaluation of this run is over: asked for something, or failed. */
bool sc_eval_stopped(const struct sc_eval *e);

/* Quotients (quotient.c): floor(f / divisor), divisor > 0; false: not linear. */
bool sc_eval_quotient(struct sc_eval *e, const struct sc_linear_form *f, int64_t divisor,
		      struct sc_linear_form *out);
/* floor(x × factor / 2^shift) where that is a division in disguise. */
bool sc_eval_magic(struct sc_eval *e, const struct sc_linear_form *x, uint64_t factor,
		   unsigned shift, struct sc_linear_form *out);

/* Arithmetic of nodes that is not plain (operate.c). */
struct sc_linear_form sc_eval_operate(struct sc_eval *e, uint32_t node);

/* Loops (loop.c). */
struct sc_loop_value *sc_eval_loop(struct sc_eval *e, uint32_t loop);
/* Takes a form to fit a window until the loop is resolved; false: no loop is being resolved. */
bool sc_eval_promise(struct sc_eval *e, const struct sc_linear_form *f, unsigned bits,
		     bool is_signed);
struct sc_linear_form sc_eval_header_phi(struct sc_eval *e, uint32_t node);
struct sc_linear_form sc_eval_after_loop(struct sc_eval *e, uint32_t loop,
					 const struct sc_linear_form *f);

/* Predicates (predicate.c). */
enum sc_truth { SC_FALSE, SC_TRUE, SC_UNCLEAR };
/* x - y of a comparison as numbers, such that the comparison is about its sign. */
bool sc_eval_difference(struct sc_eval *e, uint32_t node, struct sc_linear_form *out);
/* Truth of a predicate; if unclear and `asks`, requests a split where one helps. */
enum sc_truth sc_eval_truth(struct sc_eval *e, uint32_t node, uint32_t block, bool asks);
struct sc_linear_form sc_eval_join(struct sc_eval *e, uint32_t node); /* phi of a join */
