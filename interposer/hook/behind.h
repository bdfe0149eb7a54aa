/* Behind: calls wait while the reader that gives the trace's space back (option live-disk) has to
 * catch up.
 *
 * Threads wait where a call of the program enters the recorder: not inside the driver, not in host
 * functions, not while they hold a lock, as far as locks are followed
 * (interposer/sync/sync.h). Such calls pass and are counted; a quarter of the space is for them.
 * The reader waits for nothing that the program does, and nobody waits for a reader that has ended.
 */
#pragma once

#include <stdbool.h>
#include "interposer/core/session.h"

/* The slow part of sc_behind_meet. */
void sc_behind_wait(void);
/* True while the reader has to catch up; calls are not kept meanwhile (hook/site.h). */
static inline bool sc_behind_is_now(void)
{
	return __atomic_load_n(&sc_session.writer.is_behind, __ATOMIC_RELAXED);
}
/* A call of the program begins, which is recorded. */
static inline void sc_behind_meet(void)
{
	if (__builtin_expect(sc_behind_is_now(), 0))
		sc_behind_wait();
}
