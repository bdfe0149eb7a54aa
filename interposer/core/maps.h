/* What the kernel says about the process's mappings (/proc/self/maps). */
#ifndef SC_INTERPOSER_CORE_MAPS_H
#define SC_INTERPOSER_CORE_MAPS_H

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

#endif
