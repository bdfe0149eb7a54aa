/* Device addresses: a reserved range that the host cannot touch, given out first-fit.
 *
 * The range is mapped PROT_NONE once, so a host dereference of device memory faults as it does on a
 * machine with a GPU. Gaps are kept in ascending order and joined when freed, so that an address
 * is given out again soon, as CUDA does (ordering rule P-6). After each piece 16 KiB stay
 * free: an access that runs over its end does not reach the next piece, but ends its kernel
 * (SC-152). Only addresses are lost by that, no memory.
 *
 * With STREAMCHECK_SIM_HOST_ACCESS=1 the range is open: one file in memory, which is mapped twice,
 * for the host at the addresses that it sees, and for the engines (backing.h). Allocations begin at
 * pages then. Memory that is another file's gets its view for the host when it gets its address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_RANGE_ALIGNMENT 512
#define SIM_RANGE_LEAST	    ((size_t)1 << 28) /* bytes that are reserved at least */

/* Reserves the range; false when the address space has no room, or the environment is wrong. */
bool sim_range_init(void);

/* Says once on stderr that the process's address space has a limit (ulimit -v), if it has one: the
 * reason that there are no addresses for that many bytes. */
void sim_range_say_limit(size_t bytes);

/* The engines' view of an address of an open range, NULL: the range is closed. */
char *sim_range_engines(uintptr_t base);

/* In an open range, the host sees at `base` what is mapped for the engines at `bytes`, both at
 * pages; or it sees the range's own file again. False when out of memory. */
bool sim_range_show(uintptr_t base, size_t size_bytes, void *bytes);
void sim_range_hide(uintptr_t base, size_t size_bytes);

/* In a closed range, the host sees a file at `base`, both at pages, with these rights of mmap();
 * PROT_NONE: nothing again. False when out of memory. */
bool sim_range_grant(uintptr_t base, size_t size_bytes, int file, int rights);

/* Memory of an open range ends: its pages go; if another file was mapped there, both views are
 * those of the range's file again. */
void sim_range_restore(uintptr_t base, size_t size_bytes, bool was_shown);

/* An address for that many bytes, or 0. */
uintptr_t sim_range_take(size_t size_bytes);

/* The same at a multiple of `alignment`, a power of two. */
uintptr_t sim_range_take_aligned(size_t size_bytes, size_t alignment);

void sim_range_give(uintptr_t base, size_t size_bytes);
