/* Check: which records of a hostile trace make sense.
 *
 * What passes can be used as an index into the tables of op.def and memory.def, and every known
 * attachment has the shape that op.h gives it. Ranges of addresses are not judged here: a program
 * may well hand nonsense to CUDA, and the op then says so truthfully.
 */
#pragma once

#include <stdbool.h>
#include "trace/op.h"

static inline bool sc_check_op(const struct sc_op *op)
{
	return op->kind != SC_OP_NONE && op->kind < SC_OP_KINDS && op->phase <= SC_PHASE_END &&
	       op->dst_mem < SC_MEM_KINDS && op->src_mem < SC_MEM_KINDS && op->engine < SC_ENGINES;
}

/* What was found among the attachments of a record. */
struct sc_checked {
	uint32_t used;	       /* bytes that they take, without the padding after them */
	uint32_t access_count; /* of the first list */
	const struct sc_access *accesses;
};

/* Walks the attachments in `data` (8-byte aligned, `bytes` long). True if all are whole and well
 * formed; *out then says what they are. */
bool sc_check_attachments(const uint8_t *data, uint32_t bytes, struct sc_checked *out);
