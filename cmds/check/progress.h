/* Progress: a line on the terminal while a long trace is analysed; nothing anywhere else. */
#pragma once

#include "trace/reader.h"

/* From now on a line says, once a second, of which program how much was read; only if standard
 * error is a terminal. The reader is borrowed until sc_progress_end, and is at its start. */
void sc_progress_begin(struct sc_reader *r, const char *path);
/* Takes the line away. */
void sc_progress_end(void);
