/* External semaphores (rule W-4): a word that another side reads and writes as well.
 *
 * The descriptor is that of a file in memory that cannot shrink; its first 8 bytes are the value of
 * a timeline semaphore, or how often a binary one was signalled. So signals are writes of a value,
 * and waits are waits for one; the n-th wait for a binary semaphore is for its n-th signal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/schedule/work.h"

/* A list of operations on semaphores, all of one kind, in order. */
struct sim_semaphores {
	CUexternalSemaphore *list; /* owned */
	uint64_t *values;	   /* owned; of timeline semaphores */
	unsigned int count;
};

/* INVALID_HANDLE if one of them is dead. */
CUresult sim_semaphores_check(const struct sim_semaphores *all);

/* The list becomes a copy of the other. */
CUresult sim_semaphores_copy(struct sim_semaphores *to, const struct sim_semaphores *from);
void sim_semaphores_fini(struct sim_semaphores *all);

/* What one of them does when its turn comes, enqueued now. */
struct sim_work sim_semaphore_work(CUexternalSemaphore semaphore, bool is_wait, uint64_t value);
