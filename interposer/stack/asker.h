/* Askers: who made a query, and what for (E-6).
 *
 * Two kinds of code do not ask for the program: code that never looks at the answer, or goes on
 * alike after it, and a caching allocator, which asks whether a block of its own may be handed out
 * again. The former is read from the instructions after the call (answer.h), the latter from the
 * symbols of the calling functions, once for each stack. What is not known is the program.
 */
#pragma once

#include <stdint.h>

enum sc_asker {
	SC_ASKER_PROGRAM,
	SC_ASKER_UNREAD, /* does not look at the answer */
	SC_ASKER_POOL,	 /* an allocator that keeps device memory */
};

/* Who made the query that the thread is in; `stack`: the id of its stack, 0: not known. */
enum sc_asker sc_asker_of(uint32_t stack);
