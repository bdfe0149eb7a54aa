/* A spin lock for the few places where the recorder changes shared tables.
 *
 * Held for a handful of stores, never across a real CUDA or libc call (appendix A, "lock order").
 * The holder is `busy`: hooks that interrupt it on the same thread pass through and take no lock.
 * Lock order: handles → memory → guard; nothing is taken inside `guard`.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include "base/assert.h"
#include "interposer/core/thread.h"

struct sc_lock {
	atomic_uint held;
};

static inline void sc_lock_get(struct sc_lock *lock)
{
	unsigned spins = 0;

	sc_self.busy++;
	atomic_signal_fence(memory_order_seq_cst);
	/* acquire: pairs with the release in sc_lock_put */
	while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire)) {
		if (++spins % 64 == 0)
			sched_yield();
	}
}

static inline void sc_lock_put(struct sc_lock *lock)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	sc_assert(sc_self.busy > 0);
	sc_self.busy--;
}
