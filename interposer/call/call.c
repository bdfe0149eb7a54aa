/* What decoders need of a call: attachments, room for them, and counts of what is not decoded. */
#include "interposer/call/call.h"

#include "interposer/core/put.h"
#include "interposer/core/scratch.h"
#include "interposer/core/thread.h"
#include "trace/slot.h"

struct sc_access *sc_call_room(size_t count, unsigned each)
{
	size_t bytes;
	struct sc_access *room = NULL;

	if (!__builtin_mul_overflow(count, each * sizeof(*room), &bytes))
		room = sc_thread_room(bytes + SC_SLOT_DATA); /* and what else the record has */
	if (!room && count)
		sc_put_gap(SC_GAP_operands, count);
	return room;
}

void sc_call_count_blind(const struct sc_call *call, uint64_t count)
{
	static const char text[] = "calls without a decoder";
	struct sc_attachment part = {SC_ATTACH_TEXT, sizeof(text) - 1, text};
	struct sc_op op = {.kind = SC_OP_LOST, .call = call->op.call, .value = count};

	sc_put_op(&op, &part, 1);
}
