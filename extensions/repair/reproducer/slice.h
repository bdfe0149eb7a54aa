/* Slice: of a trace, what one finding is about, and nothing else.
 *
 * The steps are the two operations, the calls that make them happen (the launch of a graph, the
 * enqueue of a host function) and the call that came nearest to ordering them, in the order of the
 * trace. Leaving other calls out takes order away and adds none, except that an event wait takes
 * the last record: so no wait is kept without its record. Memory is found as it was when each step
 * was called. Reads the trace at most twice; a look-up of memory costs as much as the trace has
 * allocations.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/finding/finding.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

#define SC_SLICE_BYTES_MOST (UINT64_C(1) << 34) /* of one memory: no program asks for more */

/* Memory that steps use. */
struct sc_slice_memory {
	uint64_t start, bytes;
	uint64_t alias;	  /* its other address, or 0 */
	uint64_t place;	  /* + 1 of the op that began it; 0: the trace does not show it */
	uint32_t context; /* of that op, */
	uint32_t stream;  /* its stream, of a stream-ordered allocation, */
	uint32_t stack;	  /* and where it was called */
	uint16_t kind;	  /* enum sc_op_kind of it */
	uint8_t memory;	  /* enum sc_memory */
	bool is_live;
	bool is_used;	/* by a step */
	bool is_frame;	/* it ends when a function returns */
	uint32_t flags; /* enum sc_op_flag: write-combined, read-only */
};

/* Bytes of a memory: `rows` pieces of `width` bytes. */
struct sc_slice_range {
	size_t memory; /* + 1; 0: there are none */
	uint64_t address, width, pitch, rows;
};

struct sc_slice_step {
	struct sc_op op;
	uint64_t place;
	unsigned side;			/* 1 or 2 of the finding; 0: another call */
	size_t by;			/* + 1: the step that makes this one happen */
	bool writes;			/* of a kernel */
	struct sc_slice_range dst, src; /* a kernel's bytes are `dst` */
};

struct sc_slice {
	SC_VECTOR(struct sc_slice_step) steps; /* in order */
	SC_VECTOR(struct sc_slice_memory) memory;
	struct sc_u64_map memory_at;   /* start: index + 1 of the last one */
	struct sc_u64_map event_flags; /* of each event */
	struct sc_u64_map pieces;      /* of a pool, by address: place + 1 of the last one */
	uint64_t piece;		       /* + 1: of a pool, that a step gives back */
	bool uses_pageable;	       /* a device: pageable memory */
	const char *reason;	       /* why there is none; NULL: there is one */
};

/* Makes the slice of a finding; owned by the caller, also if there is a reason that there is none.
 * The reader is rewound. */
void sc_slice_make(struct sc_slice *s, struct sc_reader *r, const struct sc_finding *f);
void sc_slice_fini(struct sc_slice *s);
/* The step of a side (1 or 2), and the call that brought it to the device or ran it: itself, or the
 * one outermost. */
const struct sc_slice_step *sc_slice_side(const struct sc_slice *s, unsigned side);
const struct sc_slice_step *sc_slice_call(const struct sc_slice *s, unsigned side);
