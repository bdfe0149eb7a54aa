/* Operands: which memory of the host an enqueued operation uses. */
#pragma once

#include <stdint.h>
#include "interposer/object/handle_record.h"
#include "interposer/object/memory.h"
#include "trace/op.h"
#include "trace/writer.h"

/* An operation that was enqueued, or a node of a graph, as far as the guard needs to know it. */
struct sc_enqueued {
	const struct sc_op *op;
	const struct sc_attachment *part;
	uint32_t parts;
	uint64_t sequence;		  /* SC_NOT_WRITTEN: it is not in the trace */
	struct sc_handle_ref stream;	  /* NULL: none */
	const struct sc_handle *function; /* of a launch */
	struct sc_handle_ref event;	  /* of a record */
};

/* Reports each host operand of a copy, a fill or a kernel; those of a kernel are allocations that a
 * parameter leads to (SC_KNOWN_PARAMETER). */
struct sc_operand_visitor {
	void (*operand)(void *context, const struct sc_access *access);
	void *context;
};
/* Where the last of its rows ends. */
static inline uint64_t sc_operand_end(const struct sc_access *a)
{
	return a->base + (a->slices - 1) * a->slice_pitch + (a->rows - 1) * a->pitch + a->width;
}
/* All of an allocation, as what a kernel may use. */
struct sc_access sc_operand_all_of(const struct sc_known_allocation *allocation);
void sc_operand_visit(const struct sc_enqueued *operation, struct sc_operand_visitor visitor);
