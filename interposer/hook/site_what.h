/* Which call of repeated.def a site is of. */
#pragma once

#include <stdint.h>

/* Row, form, and the number of repeated.def. Never 0: the highest bit is set. */
#define SC_SITE_WHAT(row, per_thread, number)                                            \
	(UINT64_C(1) << 63 | (uint64_t)(uint32_t)(number) << 16 | (uint64_t)(row) << 1 | \
	 (per_thread))
#define SC_SITE_ROW(what)    (((what)&0xffff) >> 1)
#define SC_SITE_NUMBER(what) ((uint32_t)((what) >> 16))
