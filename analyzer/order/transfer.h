/* Transfers: what a copy or fill promises to the host that calls it (C-S1 to C-S8, C-A1 to C-A4,
 * 4.5, 4.8), as one table by kind of memory.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/finding/settings.h"
#include "trace/op.h"

/* The edge from the device to the call's EXIT. */
enum sc_host_edge {
	SC_EDGE_NONE,
	SC_EDGE_TAIL, /* everything in the default stream before this op */
	SC_EDGE_END   /* this op is complete */
};

struct sc_transfer {
	uint8_t edge;	    /* enum sc_host_edge */
	bool host_reads;    /* the source is read by the host inside the call (C-S1) */
	bool is_barrier;    /* ordered with all streams of both devices (C-S6, D-2) */
	bool source_staged; /* C-A1: drivers stage the source before they return (class O) */
	bool result_waited; /* C-A2: drivers wait for the result before they return (class O) */
};

/* A batch of copies says how many there are; their accesses are attached (4.6). */
static inline bool sc_op_is_batch(const struct sc_op *op)
{
	return op->kind == SC_OP_COPY && op->value && op->dst_mem == SC_MEM_NONE;
}

/* For COPY and SET ops. `driver` is a version as in 13000. */
struct sc_transfer sc_transfer_of(const struct sc_op *op, unsigned driver, enum sc_profile profile);

/* The rule by which the call of an op with this edge, which seems to wait, may return before the op
 * is complete; 0: it waits, or does not seem to. */
unsigned sc_transfer_early(const struct sc_op *op, unsigned edge);
