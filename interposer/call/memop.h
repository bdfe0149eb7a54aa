/* Stream memory operations and external semaphores (specification section 10). */
#pragma once

#include "interposer/call/call.h"

/* HAND functions: size and flags of a write or wait; their numbers are those of the trace. */
void sc_memop_write_32(struct sc_call *call);
void sc_memop_write_64(struct sc_call *call);
void sc_memop_wait_32(struct sc_call *call);
void sc_memop_wait_64(struct sc_call *call);
/* AFTER functions: every operation of a batch is an op of its own, in order (W-3). */
void sc_memop_batch(struct sc_call *call);
void sc_memop_signal(struct sc_call *call);
void sc_memop_signal_wait(struct sc_call *call);
/* AFTER function of the import of a semaphore: which kind it is. */
void sc_memop_semaphore(struct sc_call *call);
