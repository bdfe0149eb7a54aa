/* Allocations: what an address is, whose it is, and where its bytes are.
 *
 * All live allocations (device, managed, pinned, registered) stand in one table sorted by address,
 * because with unified addressing they share one address space. Arrays have bytes but no address
 * and stand outside. An allocation is counted: the table holds one reference, each op in flight
 * one more, so that a free while work is pending is harmless to this process.
 *
 * What is freed in the order of a stream is no address any more for calls, and stays one for
 * kernels until the op of the free is done: kernels may load it from memory, where no launch can
 * see it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/memory/backing.h"

enum sim_place {
	SIM_PLACE_PAGEABLE, /* no allocation of ours */
	SIM_PLACE_PINNED,
	SIM_PLACE_REGISTERED,
	SIM_PLACE_MANAGED,
	SIM_PLACE_DEVICE,
	SIM_PLACE_ARRAY,
};

struct sim_alloc {
	unsigned int refs;
	enum sim_place place;
	uintptr_t base;
	size_t size_bytes;
	uint64_t id; /* CU_POINTER_ATTRIBUTE_BUFFER_ID; never used twice */
	unsigned int flags;
	bool is_module; /* belongs to a module: not freed by cuMemFree */
	bool sync_memops;
	bool is_unmapped;	   /* ops that still run there fail */
	bool is_recycled;	   /* its address and bytes went on to a younger allocation */
	CUcontext context;	   /* borrowed; NULL for a pool's memory */
	CUmemoryPool pool;	   /* borrowed; NULL otherwise */
	struct sim_device *device; /* whose memory it uses, NULL for host memory */
	struct sim_backing *backing;
	struct sim_advice *advice;     /* owned; of managed memory, see managed.c; or NULL */
	struct sim_physical *physical; /* borrowed; what is mapped here, or NULL */
	uint64_t readers;	       /* then: the devices that may read and write it */
	uint64_t writers;
	unsigned int
		host_access; /* CUmemAccess_flags: of the host, to physical memory of its own */
	struct sim_graph_memory *graph_memory; /* counted; whose address it has, or NULL */
	size_t backing_offset;		       /* of its first byte in the backing */
	unsigned int opens;		       /* of another process's memory; 0: ours */
	uint64_t file;			       /* then: which it is (share.h) */
	struct sim_alloc *next_end;	       /* that ends with the same op (op.h) */
	struct sim_alloc *next;		       /* that goes with the same context (memory.c) */
};

bool sim_memory_init(void);

/* The live allocation that contains the address, or NULL. */
struct sim_alloc *sim_memory_find(uintptr_t address);

/* What the address is to a kernel that runs now, or NULL: where an allocation was freed in the
 * order of a stream, it is that one until the free is done, although another may be live there
 * already. */
struct sim_alloc *sim_memory_find_for_kernel(uintptr_t address);

/* The live allocation with that id, or NULL; looks at all of them. */
struct sim_alloc *sim_memory_find_id(uint64_t id);

/* The live import of that file of another process, or NULL. */
struct sim_alloc *sim_memory_find_import(uint64_t file);

/*
 * May some device access the whole range, which begins in the allocation? Mappings side by side
 * count as one range; access is checked where cuMemSetAccess gives it.
 */
bool sim_memory_covers(const struct sim_alloc *alloc, uintptr_t address, size_t size_bytes,
		       bool is_write);

/* True when some live allocation has a byte in the range. */
bool sim_memory_overlaps(uintptr_t address, size_t size_bytes);

/* Makes an allocation of its kind live; takes the backing over, also on failure (NULL). */
struct sim_alloc *sim_memory_add(struct sim_alloc initial);

/* New device memory of a device, charged to it. NULL result on CUDA_SUCCESS never happens. */
CUresult sim_memory_new_device(struct sim_device *device, size_t size_bytes,
			       struct sim_alloc **alloc);

/* The allocation is no longer an address; bytes live until the last op that uses them. */
void sim_memory_remove(struct sim_alloc *alloc);

/* It is one for kernels only, until sim_memory_end(). False when out of memory. */
bool sim_memory_retire(struct sim_alloc *alloc);
void sim_memory_end(struct sim_alloc *alloc);

/* The engines' view of the byte at that address; NULL: only through hostmem.h. */
static inline char *sim_memory_bytes(const struct sim_alloc *alloc, uintptr_t address)
{
	if (!alloc->backing->bytes)
		return NULL;
	return alloc->backing->bytes + alloc->backing_offset + (address - alloc->base);
}

void sim_memory_get(struct sim_alloc *alloc);
void sim_memory_put(struct sim_alloc *alloc);

/* What belongs to a context belongs to the other from now on. */
void sim_memory_move_context(CUcontext from, CUcontext to);

/* Frees all live memory of a context that is being destroyed; pool memory survives (P-13). */
void sim_memory_remove_context(CUcontext context);
