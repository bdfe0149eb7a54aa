/* The start of a run: of all the processes under one LD_PRELOAD, which share their files.
 *
 * The run is the outermost process that was started with the library and all below it: what it
 * began is found by walking up /proc. No heap, little stack: the recorder asks inside the traced
 * program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct sc_run_start {
	/* When it began, in nanoseconds of the clock that files are stamped by; rounded down by up
	 * to two ticks of 10 ms, since starts of processes and stamps of files are coarse: no file
	 * of this run is earlier. */
	uint64_t began;
	uint64_t ticks; /* its outermost process was started, since the machine was; and its id */
	int process;
};

/* Finds the run that `process` is of. False (and zeros) if that is not known. */
bool sc_run_find(int process, struct sc_run_start *out);
/* Marks an open file as written by the run, where the file system keeps such marks (an extended
 * attribute): of files stamped within those ticks only that tells one run from the one before. */
void sc_run_sign(int fd, const struct sc_run_start *run);
/* True if a process of the run wrote the file that `fd` has open (-1: it cannot be opened). */
bool sc_run_wrote(const struct sc_run_start *run, int fd, const struct stat *status);
/* True if the process is the outermost of its run: its parent was started without the library. */
bool sc_run_is_outermost(int process);
