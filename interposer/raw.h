/* System calls without libc: for code whose libc functions this very library exports, and which may
 * run in a signal handler, before anything was resolved. Leave errno alone. */
#ifndef SC_INTERPOSER_RAW_H
#define SC_INTERPOSER_RAW_H

#include <stdint.h>
#include "base/raw.h"

static inline int sc_raw_mprotect(uint64_t start, uint64_t bytes, int protection)
{
	return (int)sc_raw(SYS_mprotect, start, bytes, (uint64_t)protection, 0, 0, 0);
}

#endif
