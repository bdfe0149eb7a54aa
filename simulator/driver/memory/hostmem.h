/* Reading and writing this process's memory past page protection, as DMA does.
 *
 * Goes through /proc/self/mem, which works on private memory whatever its protection. Costs a
 * system call each, about 90 us a MiB. Needs no lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when some byte of the range is not there (or, for a write, not writable at all). */
bool sim_hostmem_read(void *to, uintptr_t from, size_t size_bytes);
bool sim_hostmem_write(uintptr_t to, const void *from, size_t size_bytes);
