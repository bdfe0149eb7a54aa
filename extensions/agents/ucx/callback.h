/* Callbacks that UCX is given instead of the program's: they call those, outside of UCX. */
#pragma once

#include "extensions/agents/ucx/options.h"
#include "extensions/agents/ucx/pending.h"

/* The callback in the options becomes ours, with the operation as its user data; the program's is
 * kept there. Nothing is changed if there is none. */
void sc_ucx_callback_replace(struct sc_ucx_pending *p, struct sc_ucx_options *o);
/* Ours for a handler of active messages, whose argument is then *argument; 0: there is no memory.
 */
uint64_t sc_ucx_callback_handler(uint64_t handler, uint64_t *argument);
