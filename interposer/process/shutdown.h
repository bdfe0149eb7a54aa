/* Shutdown: however the process ends, its trace is closed and, unless a parent does it, analyzed.
 *
 * From then on no call of another thread returns to the program (sc_session_hold): what the program
 * has seen happen is in the trace. libc/exits.c, libc/execs.c and the handler of fatal signals call
 * this; the analyzer runs in a process of its own (spawn.h).
 */
#pragma once

#include <stdbool.h>

/* The process ends with `status`: closes, reports, and returns the status to end with. */
int sc_shutdown(int status);
/* The process ends, and has used no CUDA: reports this in the files that STREAMCHECK_OPTIONS asks
 * for, if no process of the run has written them. */
void sc_shutdown_unused(void);
/* The process is about to die by a signal; async-signal-safe. */
void sc_shutdown_crash(int number);
/* The process is about to become another program. True if it was recorded, and is no more. */
bool sc_shutdown_exec(void);
/* It has not become one. */
void sc_shutdown_stay(void);
