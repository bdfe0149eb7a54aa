/* Windows: with option window=calls, which parts of the run are recorded in full; the rest is
 * recorded for its order only (docs/user/live.md). Part of streamcheck.h. */
#pragma once

#include "calls.h"

/* What is between the two is inside. They may be nested, and called by any thread: the first begins
 * a window, the last ends it. Without the option they do nothing. */
static inline void streamcheck_window_begin(void)
{
	STREAMCHECK_CALL(window_begin, ());
}

static inline void streamcheck_window_end(void)
{
	STREAMCHECK_CALL(window_end, ());
}
