/* Followed: a call of a library's function with whole words, as the program would have called it.
 *
 * All integers and pointers of a call are words of 64 bits to the processor, so that neither
 * headers nor the size of handles matter. A wrapper hands its own on (words.h); the agent that has
 * the row finds the real function, calls it when and how it likes, and writes what was done.
 * Errors: those of the function.
 */
#pragma once

#include <stdint.h>
#include "interposer/library/library.h"

#define SC_FOLLOWED_WORDS 13 /* parameters of the function with most */

struct sc_followed {
	enum sc_library_row number; /* what the function is called in the trace */
	unsigned words;
	const uint64_t *parameter; /* borrowed from the wrapper */
	const void *frame;	   /* of the wrapper that the program called */
	void *real;		   /* function */
};

/* Where the wrapper returns to. */
static inline const void *sc_followed_caller(const struct sc_followed *c)
{
	return ((void *const *)c->frame)[1];
}
/* Calls a function and nothing else. */
uint64_t sc_followed_invoke(void *real, const uint64_t *words, unsigned count);
static inline uint64_t sc_followed_pass(const struct sc_followed *c)
{
	return sc_followed_invoke(c->real, c->parameter, c->words);
}
/* The same of a call that is followed: the function sees the errno of the program in *error, and
 * leaves its own there; what it calls is not the program's. An exception may leave it. */
uint64_t sc_followed_run(const struct sc_followed *c, int *error);
