/* The stream-ordered allocator: pools of memory, mostly of a device's (rules P-1 to P-8).
 *
 * Pools of host memory and of managed memory have pages of their own for each block. They are of
 * the first device where they name none, and a location only says what they prefer.
 */
#pragma once

#include <stdbool.h>

#include <cuda.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/schedule/op.h"
#include "simulator/driver/stream/stream.h"

struct sim_block;

struct CUmemPoolHandle_st {
	struct sim_device *device;
	enum sim_place place; /* of its memory: device, managed, pinned */
	bool is_default;
	size_t live_count;	  /* allocations not yet freed */
	struct sim_block *blocks; /* owned; freed memory that is kept for reuse */
	uint64_t release_threshold;
	uint64_t reserved_bytes; /* from the device, used or kept */
	uint64_t reserved_high;
	uint64_t used_bytes;
	uint64_t used_high;
	int reuse[3]; /* the three CU_MEMPOOL_ATTR_REUSE_* switches */
	CUmemAccess_flags access[SIM_MAX_DEVICES];
	CUmemAllocationHandleType handle_types; /* by which others may get it */
	int file;				/* owned: what its handle leads to, or -1 */
	bool is_imported;  /* from another process: nothing is allocated here */
	uint64_t origin;   /* of an imported one: the file that stands for it (ipc/share.h) */
	CUmemoryPool next; /* of the device's dying pools */
};

/*
 * Frees pool memory at once (stream NULL) or in the order of a stream: it is no address any more
 * for calls when the call returns, and one for kernels until the ops before the free are done.
 */
CUresult sim_pool_free(struct sim_alloc *alloc, CUstream stream);

/* What memory of that type at that location is, and whose. */
CUresult sim_pool_place(const CUmemLocation *location, CUmemAllocationType type,
			enum sim_place *place, struct sim_device **device);

/* A pool; NULL when out of memory. */
CUmemoryPool sim_pool_new(struct sim_device *device, enum sim_place place);

/* The pool that allocations of a device, or of other memory, come from; made on first use. NULL:
 * out of memory. */
CUmemoryPool sim_pool_current(struct sim_device *device, enum sim_place place);
void sim_pool_set_current(struct sim_device *device, enum sim_place place, CUmemoryPool pool);

/* The pool that is there from the start. NULL: out of memory. */
CUmemoryPool sim_pool_default(struct sim_device *device, enum sim_place place);

/* A host synchronization: what pools keep beyond their thresholds goes back (P-7). */
void sim_pool_synchronized(struct sim_device *device);
