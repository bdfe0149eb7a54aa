/* A counter of time. */
#pragma once

#include <stdint.h>

/* The kernel's clock source that is even wherever this counter is. */
#define SC_COUNTER_SOURCE "tsc\n"

static inline uint64_t sc_counter_read(void)
{
	return __builtin_ia32_rdtsc();
}
