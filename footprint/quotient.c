/* Quotients of linear forms: linear where the remainder stays within one multiple. */
#include "footprint/eval.h"

#include <stdbool.h>
#include <stdlib.h>

#define SPLIT_WINDOWS 4 /* a quotient with at most so many values is split by value */

/* f = divisor × out + rest, with only what is no multiple in rest, its constant in [0, divisor). */
static bool divide_terms(const struct sc_linear_form *f, int64_t divisor,
			 struct sc_linear_form *out, struct sc_linear_form *rest)
{
	*out = sc_form_constant(sc_floor_div(f->constant, divisor));
	*rest = sc_form_constant(f->constant - out->constant * divisor);
	for (unsigned i = 0; i < f->count; i++) {
		struct sc_term_of t = f->terms[i];

		if (t.factor % divisor) {
			rest->terms[rest->count++] = t;
		} else {
			t.factor /= divisor;
			out->terms[out->count++] = t;
		}
	}
	return !f->base_kind;
}

static bool is_coordinate(uint32_t variable)
{
	return variable < SC_VAR_COUNTER || (variable >= SC_VAR_MADE && variable < SC_VAR_FREE);
}

/* Asks for coordinates in which the rest is a digit; false if there are none. */
static bool request_digits(struct sc_eval *e, const struct sc_linear_form *rest, int64_t divisor)
{
	int64_t least = INT64_MAX;
	unsigned at = 0;

	if (e->is_trying || sc_eval_stopped(e) || e->now->restarts >= 8 ||
	    e->now->made_count + 2 > SC_EVAL_MADE || e->now->fact_count + 3 >= SC_EVAL_FACTS)
		return 0;
	for (unsigned i = 0; i < rest->count; i++) {
		if (!is_coordinate(rest->terms[i].variable))
			return 0;
		if (llabs(rest->terms[i].factor) < least) {
			least = llabs(rest->terms[i].factor);
			at = i;
		}
	}
	for (unsigned i = 0; i < rest->count; i++)
		if (rest->terms[i].factor % least)
			return 0;
	if (rest->terms[at].factor < 0 || divisor % least)
		return 0;
	e->request =
		(struct sc_request){.kind = rest->count == 1 ? SC_REQUEST_DIGITS : SC_REQUEST_FUSE,
				    .variable = rest->terms[at].variable,
				    .radix = divisor / least};
	if (rest->count > 1) {
		e->request.form = *rest;
		e->request.form.constant = 0;
		for (unsigned i = 0; i < rest->count; i++)
			e->request.form.terms[i].factor /= least;
	}
	return 1;
}

bool sc_eval_quotient(struct sc_eval *e, const struct sc_linear_form *f, int64_t divisor,
		      struct sc_linear_form *out)
{
	const struct sc_linear_form whole = *f; /* out may be f */
	struct sc_linear_form rest;
	struct sc_form_span span;
	int64_t first, last;

	if (divisor <= 0 || !divide_terms(&whole, divisor, out, &rest))
		return 0;
	span = sc_eval_span(e, &rest);
	if (span.low <= -SC_INFINITE || span.high >= SC_INFINITE)
		return 0;
	first = sc_floor_div(span.low, divisor);
	last = sc_floor_div(span.high, divisor);
	if (first == last)
		return !__builtin_add_overflow(out->constant, first, &out->constant);
	if (last - first == 1 && sc_eval_split(e, &rest, divisor * (first + 1) - 1))
		return 1;
	if (request_digits(e, &rest, divisor))
		return 1;
	return last - first < SPLIT_WINDOWS && sc_eval_split(e, &rest, divisor * (first + 1) - 1);
}

bool sc_eval_magic(struct sc_eval *e, const struct sc_linear_form *x, uint64_t factor,
		   unsigned shift, struct sc_linear_form *out)
{
	struct sc_form_span span = sc_eval_span(e, x);
	unsigned __int128 power, divisor, excess;

	if (span.low < 0 || span.high > UINT32_MAX || !factor || factor > UINT32_MAX || shift < 1 ||
	    shift > 63)
		return 0;
	power = (unsigned __int128)1 << shift;
	if ((unsigned __int128)(uint64_t)span.low * factor / power ==
	    (unsigned __int128)(uint64_t)span.high * factor / power) {
		*out = sc_form_constant(
			(int64_t)((unsigned __int128)(uint64_t)span.low * factor / power));
		return 1;
	}
	divisor = (power + factor - 1) / factor;
	excess = divisor * factor - power;
	if (excess * (uint64_t)span.high >= power)
		return 0;
	return sc_eval_quotient(e, x, (int64_t)divisor, out);
}
