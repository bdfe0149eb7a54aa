/* Progress: a line on the terminal while a long trace is analysed; nothing anywhere else. */
#ifndef SC_CMDS_PROGRESS_H
#define SC_CMDS_PROGRESS_H

#include "trace/reader.h"

/* From now on a line says, once a second, how much of the trace was read; only if standard error
 * is a terminal. The reader is borrowed until sc_progress_end. */
void sc_progress_begin(const struct sc_reader *r, const char *path);
/* Takes the line away. */
void sc_progress_end(void);

#endif
