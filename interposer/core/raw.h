/* System calls without libc: for code whose libc functions this very library exports, and which may
 * run in a signal handler, before anything was resolved, or inside a function of another library
 * that comes after ours (an allocator's mmap). Leave errno alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include "base/sys.h"

#define SC_PAGE UINT64_C(4096)

/* New memory, or NULL; flags: MAP_PRIVATE or MAP_SHARED, and more. */
static inline void *sc_raw_map(uint64_t bytes, int flags)
{
	long at = sc_raw(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
			 (uint64_t)(flags | MAP_ANONYMOUS), ~UINT64_C(0), 0);

	return at < 0 && at >= -4095 ? NULL : (void *)at;
}

static inline void sc_raw_unmap(void *start, uint64_t bytes)
{
	sc_raw(SYS_munmap, (uint64_t)start, bytes, 0, 0, 0, 0);
}

static inline int sc_raw_mprotect(uint64_t start, uint64_t bytes, int protection)
{
	return (int)sc_raw(SYS_mprotect, start, bytes, (uint64_t)protection, 0, 0, 0);
}
