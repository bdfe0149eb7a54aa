/* Random programs as traces: some streams, some allocations that are cut into tiles, and ops that
 * are mostly in order; host waits, host accesses, frees, callbacks and odd shapes come in between,
 * in some programs streams come and go, and in some a kernel is now and then in the wrong stream,
 * or a copy uses memory of a stack frame that ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/vector.h"
#include "trace/reader.h"
#include "trace/writer.h"

#define PROGRAM_STREAMS	    6
#define PROGRAM_ALLOCATIONS 6

struct program {
	uint64_t random;
	SC_VECTOR(struct sc_slot) slots;
	uint32_t streams;
	uint32_t ids[PROGRAM_STREAMS + 1]; /* of each stream */
	uint32_t next_id;
	bool churns;	/* streams come and go */
	bool frames;	/* some copies use memory of stack frames that end */
	uint32_t frame; /* so many so far */
	bool slips;	/* some kernels are in another stream than those before and after them */
	uint32_t lines; /* of the source, from which ops are called; 0: it is not known */
	unsigned care;	/* of ten exchanges so many are in order */
	uint32_t generation[PROGRAM_ALLOCATIONS];
};

/* Makes the program of a seed; with `lines` each op has one of so many call stacks. */
void program_generate(struct program *p, uint64_t seed, uint32_t lines);
/* Lets it end: perhaps its kernels' code is unloaded before, and the host looks at memory. */
void program_end(struct program *p);
void program_fini(struct program *p);
/* A trace of slots: a reader of a copy, which `data` keeps until it is freed after the reader. Ends
 * the test if it is none. */
struct sc_reader *program_open(const void *slots, size_t count, uint8_t **data);
