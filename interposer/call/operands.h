/* Operands: the memory that a call reads, writes or frees, as its op says it. */
#pragma once

#include "interposer/call/call.h"

/* What repeated.def has instead of an event or kernel: the call is about memory. */
#define SC_OPERANDS ((const void *)1)

/* True of a call with this in repeated.def whose op is about memory, and so differs each time. */
static inline bool sc_operands_are_of(const struct sc_api *api, const void *object)
{
	return object == SC_OPERANDS || api->kind == SC_OP_ALLOC_ASYNC;
}

/* From the row's facts to the op: pointers are classified, arrays become ids (0.5, 4.1). */
void sc_operands_resolve(struct sc_call *call);
/* Decodes and resolves those of a call that comes again, whose op is known but for them. */
void sc_operands_renew(struct sc_call *call);
/* The op as it is before they are known. */
void sc_operands_clear(struct sc_op *op);
