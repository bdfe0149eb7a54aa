/* Memory of the calling thread for what is needed during one call only. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "interposer/core/thread.h"

#define SC_SCRATCH_BYTES (64u << 10)

/* The calling thread's scratch memory, or NULL. */
uint8_t *sc_thread_make_scratch(void);
static inline uint8_t *sc_thread_scratch(void)
{
	return sc_self.scratch ? sc_self.scratch : sc_thread_make_scratch();
}
/* Memory for `bytes`, instead of the scratch, until the thread asks again; NULL: there is none. */
void *sc_thread_room(size_t bytes);
/* The calling thread ends: the next thread gets its memory. */
void sc_thread_end(void);
