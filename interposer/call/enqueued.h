/* A call as the page guard sees it: the operation that it enqueued. */
#pragma once

#include "interposer/call/call.h"
#include "interposer/guard/operand.h"

static inline struct sc_enqueued sc_call_enqueued(const struct sc_call *call)
{
	return (struct sc_enqueued){.op = &call->op,
				    .part = call->part,
				    .parts = call->parts,
				    .sequence = call->sequence,
				    .stream = sc_call_stream(call),
				    .function = call->function,
				    .event = sc_call_object(call)};
}
