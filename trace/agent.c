/* Agents: messages in the records of operations. */
#include "trace/agent.h"

#include "trace/message.h"

#define VALUE_MASK ((UINT64_C(1) << (SC_AGENT_TAG_SHIFT - SC_AGENT_MESSAGE_SHIFT)) - 1)

uint64_t sc_agent_message_bytes(uint64_t value, const struct sc_access *accesses, size_t count)
{
	unsigned mode = sc_message_kind(value) == SC_MESSAGE_SEND ? SC_READ : SC_WRITE;
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		if (accesses[i].mode == mode)
			bytes += accesses[i].width * accesses[i].rows * accesses[i].slices;
	return bytes;
}

struct sc_op sc_agent_message(const struct sc_op *op, const struct sc_access *accesses,
			      size_t count)
{
	struct sc_op message = *op;

	message.src = op->value >> SC_AGENT_TAG_SHIFT;
	if (op->kind == SC_OP_AGENT && op->object) {
		message.kind = SC_OP_MESSAGE;
		message.value = op->value >> SC_AGENT_MESSAGE_SHIFT & VALUE_MASK;
		if (count)
			message.bytes = sc_agent_message_bytes(message.value, accesses, count);
	} else if (op->kind == SC_OP_AGENT_END && op->value & SC_AGENT_ENDS_MESSAGE) {
		message.kind = SC_OP_MESSAGE_END;
		message.value = 0;
	} else {
		message.kind = SC_OP_NONE;
	}
	return message;
}
