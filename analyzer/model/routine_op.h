/* Which ops are routine: work that went well and has nothing odd about it. Most records are, and
 * few rules look at them. */
#pragma once

#include <stdbool.h>
#include "trace/op.h"

static inline bool sc_op_is_routine(const struct sc_op *op)
{
	const uint32_t odd =
		SC_FLAG_IN_CALLBACK | SC_FLAG_CAPTURED | SC_FLAG_NODE | SC_FLAG_DEAD_HANDLE;

	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_COPY:
	case SC_OP_SET:
	case SC_OP_KERNEL:
		return !op->result && !op->callback && op->phase == SC_PHASE_ONCE &&
		       !(op->flags & odd);
	default: return 0;
	}
}
