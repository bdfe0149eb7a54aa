/* Running: the trace of a process that still writes it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "trace/reader.h"

/* The trace that a process writes now: returns 0, -ESRCH if there is no such process, -ENOENT if it
 * writes none, or another -errno. */
int sc_running_trace(int process, char path[PATH_MAX]);
/* The same of a process that may have mapped another one's: its own trace. */
bool sc_running_own_trace(int process, char path[PATH_MAX]);
/* True if the process has not ended, whoever has yet to wait for it. The end of one that is killed
 * is waited for, up to 10 s: until then it has its memory, and a report would call it running. */
bool sc_running_is_alive(int process);
/* Offers the processes that a process started, and that they started, while `take` is true. */
void sc_running_each_started(int process, bool (*take)(void *data, int process), void *data);
/* Of a trace that its process still writes: reads it as far as it will not change any more. */
void sc_running_settle(struct sc_reader *r, const char *path);
/* True if space of the trace is given back (option live-disk), so that only its reader can judge
 * it: now, by a process that lives; or, with `ever`, at any time so far. */
bool sc_running_gives(const char *path, bool ever);
/* The process that writes reports of such a trace when it gets SIGUSR1; 0: not known. */
int sc_running_reporter(const char *path);
