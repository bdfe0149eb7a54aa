/* Barriers in shared memory that count bytes (op_async.c), for instructions that deliver them. */
#pragma once

#include "simulator/executor/warp.h"

#define EXEC_BULK_MOST ((1U << 20) - 1) /* bytes of a copy: as many as a barrier can count */

/* Bytes for which the barrier at an address waits have come, for one lane; false: the launch has
 * failed. */
bool exec_mbarrier_complete(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
			    uint64_t address, uint64_t bytes);

/* The address in a slot of 4 or 8 bytes. */
uint64_t exec_address_in(const struct exec_warp *w, const struct exec_instruction *in,
			 unsigned slot, unsigned lane);

/* The address in a slot of 4 or 8 bytes plus the offset in the slot after it. */
uint64_t exec_second_address(const struct exec_warp *w, const struct exec_instruction *in,
			     unsigned slot, unsigned lane);
