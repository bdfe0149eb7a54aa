/* Threads: their numbers and scratch memory. */
#include "interposer/thread.h"

#include "interposer/arena.h"
#include "interposer/session.h"

uint32_t sc_thread_id(void)
{
	if (!sc_self.id)
		sc_self.id = 1 + atomic_fetch_add_explicit(&sc_session.thread_ids, 1,
							   memory_order_relaxed);
	return sc_self.id;
}

uint8_t *sc_thread_scratch(void)
{
	if (!sc_self.scratch)
		sc_self.scratch = sc_arena_get(SC_SCRATCH_BYTES);
	return sc_self.scratch;
}
