/* What the kernel says about the process's mappings, and about processes (/proc). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* True if all of [start, start + bytes) is readable and writable, and not executable, so that
 * protecting and opening it leaves it as it was. False if that is not known. */
bool sc_maps_is_plain(uint64_t start, uint64_t bytes);
/* Bytes of the shared memory segment that is attached at `start`, whatever protection its pages
 * have; 0 if there is no mapping. */
uint64_t sc_maps_segment(uint64_t start);
/* True if another process traces this one: a debugger, which single steps would confuse. */
bool sc_maps_is_traced(void);

/* True if the signal ends the process: it neither catches nor ignores it. is_child: only if it is a
 * child of this one. */
bool sc_maps_is_ended_by(int process, int number, bool is_child);
/* Takes the children of this process, and theirs, that are in a group of processes (0: its own);
 * how many, of the first `most` descendants. */
unsigned sc_maps_descendants(int *out, unsigned most, int group);
/* The process that a descriptor of this one stands for (pidfd_open); 0: none. */
int sc_maps_process_of(int fd);
