/* Followed: a call of a library's function with whole words, as the program would have called it.
 *
 * All integers and pointers of a call are words of 64 bits to the processor, so that neither
 * headers nor the size of handles matter. A wrapper hands its own on (words.h); the agent that has
 * the row finds the real function, calls it when and how it likes, and writes what was done.
 * Errors: those of the function. Numbers and structs as parameters are none: wrap.h.
 */
#pragma once

#include <stdint.h>
#include "interposer/arch/processor.h"
#include "interposer/library/enqueues.h"

#define SC_FOLLOWED_WORDS 13 /* parameters of the function with most */

struct sc_followed {
	struct sc_library_function *function; /* what it is called in the trace */
	struct sc_library_function *by;	      /* finds the real one; NULL: that was looked up */
	unsigned words;
	uint64_t *parameter; /* the wrapper's, which the function gets */
	const void *frame;   /* of the wrapper that the program called */
	void *real;	     /* function */
	double *number;	     /* one that is beside at most three words, or is returned; else NULL */
};

/* Where the wrapper returns to. */
static inline const void *sc_followed_caller(const struct sc_followed *c)
{
	return (const void *)sc_registers_of_caller(c->frame).pc;
}
/* Calls a function and nothing else. */
uint64_t sc_followed_invoke(void *real, const uint64_t *words, unsigned count);
uint64_t sc_followed_pass(const struct sc_followed *c);
/* The same of a call that is followed: the function sees the errno of the program in *error, and
 * leaves its own there; what it calls is not the program's. An exception may leave it. */
uint64_t sc_followed_run(const struct sc_followed *c, int *error);
/* The same, but what it enqueues is the program's: *e, NULL if nothing of that is to be said. With
 * `e` NULL nobody wants to know. */
uint64_t sc_followed_enqueue(const struct sc_followed *c, struct sc_enqueues **e, int *error);

/* What is done with a call that is followed, the real function among it. */
typedef uint64_t sc_followed_way(const struct sc_followed *c, int *error);
/* A call of a wrapper from beginning to end: finds the real function, or returns `not_there`, and
 * goes the way that `choose` has for it, with the program's errno. NULL, and while the recorder
 * itself runs: the function is called and nothing else. */
uint64_t sc_followed_call(struct sc_followed *c, sc_followed_way *(*choose)(struct sc_followed *c),
			  uint64_t not_there);
