/* Transfers: what a copy or fill promises to the host that calls it (C-S1 to C-S8, C-A1 to C-A4,
 * 4.5, 4.8), as one table by kind of memory.
 */
#ifndef SC_ANALYZER_ORDER_TRANSFER_H
#define SC_ANALYZER_ORDER_TRANSFER_H

#include <stdbool.h>
#include "analyzer/settings.h"
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

/* True of a copy or fill that is asynchronous, and of which sc_transfer_of says nothing at all
 * (C-A1 to C-A3, 4.8); most are. */
static inline bool sc_transfer_is_silent(const struct sc_op *op)
{
	const unsigned locked = 1u << SC_MEM_PINNED | 1u << SC_MEM_REGISTERED;
	unsigned from = 1u << op->src_mem, to = 1u << op->dst_mem;

	if (op->flags & SC_FLAG_SYNC)
		return 0;
	return op->kind == SC_OP_SET ||
	       (!((from | to) & 1u << SC_MEM_PAGEABLE) && !(from & locked && to & locked));
}

#endif
