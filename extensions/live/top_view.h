/* Top's view: the lines that `streamcheck top` shows. */
#pragma once

#include "extensions/live/top_process.h"

/* Appends one line after the other, each ended; `now_ns`: CLOCK_MONOTONIC. Names of the program are
 * made fit for a terminal. Of `rows` > 0 lines streams get what threads leave them. */
void sc_top_view_add(struct sc_buf *out, struct sc_top_process *p, uint64_t now_ns, unsigned rows);
