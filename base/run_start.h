/* The start of a run: of all the processes under one LD_PRELOAD, which share their files.
 *
 * The run is the outermost process that was started with the library and all below it: what it
 * began is found by walking up /proc. No heap, little stack: the recorder asks inside the traced
 * program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* When the run that `process` is of began, in nanoseconds of the clock that files are stamped by;
 * rounded down by up to two ticks of 10 ms, since starts of processes and stamps of files are
 * coarse: no file of this run is earlier. 0: not known. */
uint64_t sc_run_start(int process);
/* True if the process is the outermost of its run: its parent was started without the library. */
bool sc_run_is_outermost(int process);
