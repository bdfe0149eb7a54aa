/* Device addresses: a reserved range that the host cannot touch, given out first-fit.
 *
 * The range is mapped PROT_NONE once, so a host dereference of device memory faults as it does on a
 * machine with a GPU. Gaps are kept in ascending order and joined when freed, so that an address
 * is given out again soon, as CUDA does (ordering rule P-6).
 */
#ifndef SIM_RANGE_H
#define SIM_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_RANGE_ALIGNMENT 512

/* Reserves the range; false when the address space has no room. */
bool sim_range_init(void);

/* An address for that many bytes, or 0. */
uintptr_t sim_range_take(size_t size_bytes);

/* The same at a multiple of `alignment`, a power of two. */
uintptr_t sim_range_take_aligned(size_t size_bytes, size_t alignment);

void sim_range_give(uintptr_t base, size_t size_bytes);

#endif
