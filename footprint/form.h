/* Linear forms: base + constant + sum of coefficient × variable, over the integers.
 *
 * Variables are small numbers with a range each (struct sc_box): thread and block coordinates,
 * loop counters, unknown values. A form has at most one symbolic base. Operations fail (return
 * false) when a coefficient leaves 64 bits or there are too many terms; they never wrap.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_FORM_TERMS	 10
#define SC_BOX_VARIABLES 240
#define SC_INFINITE	 (INT64_C(1) << 62)

enum sc_form_base {
	SC_FORM_PLAIN,
	SC_FORM_PARAM,	/* base: offset of a pointer in the parameter image */
	SC_FORM_SYMBOL, /* base: a variable in global or constant memory */
	SC_FORM_PRIVATE /* shared, local or parameter memory */
};

struct sc_term_of {
	int64_t factor;
	uint32_t variable;
};

struct sc_linear_form {
	int64_t constant;
	uint32_t base;
	uint8_t base_kind; /* enum sc_form_base */
	uint8_t count;
	struct sc_term_of terms[SC_FORM_TERMS]; /* by variable, factors not 0 */
};

struct sc_form_variable {
	int64_t low;
	int64_t high;
	bool is_unknown; /* does not take every value for some thread */
	uint8_t reason;	 /* if so */
	uint32_t node;	 /* that it stands for, or 0 */
};

struct sc_box {
	struct sc_form_variable v[SC_BOX_VARIABLES];
};

/* low ≤ the terms of the form ≤ high; the form has no constant and no base. */
struct sc_constraint {
	struct sc_linear_form form;
	int64_t low;
	int64_t high;
};

struct sc_form_span {
	int64_t low; /* clamped to ±SC_INFINITE */
	int64_t high;
};

struct sc_linear_form sc_form_constant(int64_t value);
struct sc_linear_form sc_form_variable(uint32_t variable);
/* out = x + factor × y, y without a base unless the factor is 1 and x has none. */
bool sc_form_add(struct sc_linear_form *out, const struct sc_linear_form *x,
		 const struct sc_linear_form *y, int64_t factor);
bool sc_form_scale(struct sc_linear_form *out, const struct sc_linear_form *x, int64_t factor);
int64_t sc_form_factor(const struct sc_linear_form *f, uint32_t variable);
/* The form without that variable. */
struct sc_linear_form sc_form_without(const struct sc_linear_form *f, uint32_t variable);
/* Replaces a variable by a form. */
bool sc_form_replace(struct sc_linear_form *f, uint32_t variable, const struct sc_linear_form *by);
bool sc_form_has_unknown(const struct sc_linear_form *f, const struct sc_box *box, uint8_t *reason);
/* Least and greatest value over the box. */
struct sc_form_span sc_form_span(const struct sc_linear_form *f, const struct sc_box *box);
/* If the terms of f are λ times those of g (all of them), returns λ, else 0. */
int64_t sc_form_ratio(const struct sc_linear_form *f, const struct sc_linear_form *g);
/* Makes `form ≤ bound` or `≥` a constraint with coprime factors, the first positive. */
struct sc_constraint sc_form_at_most(const struct sc_linear_form *form, int64_t bound);
int64_t sc_floor_div(int64_t a, int64_t b);
int64_t sc_clamp(__int128 value);
