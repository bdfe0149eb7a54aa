/* What the page guard keeps of each thread. */
#pragma once

#include <stdint.h>
#include "interposer/core/thread.h"

#define SC_STEPS 34 /* pages that one single-stepped instruction may touch: a scatter */

struct sc_guard_thread {
	uint64_t step_page[SC_STEPS]; /* sc_self.steps of them are open */
	uint32_t traps;		      /* contexts that will trap after an instruction, for us */
	uint32_t retries;	      /* of one faulting address that is not guarded any more */
	uint64_t retry_address;
	uint64_t retry_openings;
	uint64_t own_stack, alternate_stack; /* where these begin, if it is known */
};

SC_THREAD_STATE(guard)
