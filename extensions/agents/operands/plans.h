/* Plans of cuFFT, by their numbers: what each transforms, from the calls that made it.
 *
 * A plan that was not seen made, or that calls functions of the program (callbacks), is not known,
 * and nothing is said of what it touches.
 */
#pragma once

#include "interposer/library/enqueues.h"
#include "extensions/agents/operands/transform.h"

/* Sizes and steps as a function gets them: 32 or 64 bits each; NULL: there are none. */
struct sc_plan_sizes {
	const void *size, *in_embed, *out_embed;
	bool are_long;
};

/* A plan was made; NULL: of a kind that is not known. Keep errno. */
void sc_plans_set(int plan, const struct sc_transform *t);
void sc_plans_forget(int plan);
/* The same with arrays, which are read: at most SC_TRANSFORM_RANK of each. */
void sc_plans_set_many(int plan, struct sc_transform *t, const struct sc_plan_sizes *sizes);
/* A plan was executed with success: writes what it touched. Keeps errno. */
void sc_plans_note(const struct sc_enqueues *e, struct sc_library_function *function, int plan,
		   const void *in, const void *out);
