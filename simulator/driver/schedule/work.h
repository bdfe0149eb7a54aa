/* What an op does when its turn comes: resolved operands, ready to run without the lock.
 *
 * API functions and graph nodes describe copies and fills by addresses (copy.h, fill.h); when they
 * are enqueued, the addresses are resolved once to allocations, which the work then holds.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/memory/memory.h"

enum sim_work_kind {
	SIM_WORK_EMPTY, /* joins and marks; runs as soon as it is ready */
	SIM_WORK_KERNEL,
	SIM_WORK_COPY,
	SIM_WORK_FILL,
	SIM_WORK_HOST,
	SIM_WORK_MEMOP,
	SIM_WORK_DECISION,
};

/* One side of a copy, or the target of a fill: rows in slices. */
struct sim_operand {
	struct sim_alloc *alloc; /* counted; NULL for pageable memory */
	enum sim_place place;
	uintptr_t address; /* of the first byte, as the application sees it */
	char *bytes;	   /* the same byte as the engines see it, NULL: through hostmem */
	size_t pitch_bytes;
	size_t slice_bytes;
};

struct sim_copy {
	struct sim_operand dst;
	struct sim_operand src;
	size_t width_bytes;
	size_t height;
	size_t depth;
	bool is_gone;	       /* memory that a node was given is not locked any more */
	void *staged;	       /* owned; the source's bytes when they were read at the call */
	struct sim_copy *next; /* owned; further copies of one batch */
};

struct sim_fill {
	struct sim_operand dst;
	unsigned int value;
	unsigned int element_bytes;
	size_t width; /* elements */
	size_t height;
};

/* A kernel's outcome, and its shape for those who record it. */
struct sim_kernel {
	struct sim_run *run;	 /* owned; NULL: it is not executed, and ends as `outcome` says */
	struct sim_tally *tally; /* then: counts such launches */
	CUresult outcome;
	unsigned int grid[3], block[3];
	unsigned int cluster[3]; /* blocks; 0: nobody asked for one */
};

struct sim_decision;

struct sim_host {
	CUhostFn fn;		   /* either this */
	CUstreamCallback callback; /* or this, with its stream */
	CUstream stream;
	void *data;
};

/* One stream memory operation; barriers and flushes have no target. */
struct sim_memop {
	CUstreamBatchMemOpType type;
	struct sim_operand target;
	uint64_t value;
	unsigned int flags;
	CUstreamAtomicReductionOpType reduction; /* of an atomic reduction */
	size_t size;				 /* bytes of the target; 0: there is none */
};

struct sim_work {
	enum sim_work_kind kind;
	union {
		struct sim_kernel kernel;
		struct sim_copy copy;
		struct sim_fill fill;
		struct sim_host host;
		struct sim_memop memop;
		struct sim_decision *decision; /* owned */
	};
};

/* Performs a copy or a fill; needs no lock. False when pageable memory was not there. */
bool sim_work_copy(const struct sim_copy *copy);
bool sim_work_fill(const struct sim_fill *fill);

/* Reads the source of a copy now, with plain loads of the calling thread (drops the lock). */
bool sim_work_stage(struct sim_copy *copy);

/* The same work once more, of kernels, copies between memory that is known, fills, and work that
 * does nothing. False when out of memory. */
bool sim_work_repeat(const struct sim_work *work, struct sim_work *again);

/* Drops the references of a work. */
void sim_work_release(struct sim_work *work);
