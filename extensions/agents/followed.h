/* Followed: a function of a library called with whole words, as the program would have called it.
 *
 * All integers and pointers of a call are words of 64 bits to the processor, so that neither
 * headers nor the size of handles matter. Errors: those of the function.
 */
#ifndef SC_EXTENSIONS_AGENTS_FOLLOWED_H
#define SC_EXTENSIONS_AGENTS_FOLLOWED_H

#include <stdint.h>

#define SC_FOLLOWED_WORDS 13 /* parameters of the function with most */

/* Calls it and nothing else. */
uint64_t sc_followed_invoke(void *real, const uint64_t *words, unsigned count);
/* The same of a call that is followed, from the wrapper with this frame: the function sees the
 * errno of the program in *error, and leaves its own there; what it calls is not the program's. An
 * exception may leave it. */
uint64_t sc_followed_call(void *real, const uint64_t *words, unsigned count, const void *frame,
			  int *error);

#endif
