/* Slots as they are read: any byte may be hostile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "trace/checksum.h"
#include "trace/format.h"
#include "trace/op.h"

static inline uint32_t sc_slot_load_head(const uint8_t *slot)
{
	uint32_t head;

	memcpy(&head, slot, sizeof(head));
	return head;
}

/* True if `n` slots from `slot` on are those of one record, of which the first has this head. */
static inline bool sc_slot_is_whole(const uint8_t *slot, uint32_t head, uint32_t n)
{
	uint32_t wanted = SC_SLOT_NEXT | SC_SLOT_LEFT(head);

	for (const uint8_t *end = slot + (size_t)n * SC_SLOT_SIZE; (slot += SC_SLOT_SIZE) < end;)
		if (sc_slot_load_head(slot) != --wanted)
			return 0;
	return 1;
}

/* Slots that a record with this head wants; others are told from their heads. */
static inline uint32_t sc_slot_promised(uint32_t head, uint32_t type)
{
	uint32_t left = head - type; /* of other types: too many */

	return left < SC_RECORD_SLOTS ? left + 1 : 1;
}

/* The op of two slots. A host read is pending as long as it may turn out to be a poll; a process
 * that has ended reads nothing again. */
static inline void sc_slot_take_op(const uint8_t *slot, bool is_running, struct sc_op *out)
{
	memcpy(out, slot + sizeof(uint32_t), SC_SLOT_DATA);
	memcpy((uint8_t *)out + SC_SLOT_DATA, slot + SC_SLOT_SIZE + sizeof(uint32_t), SC_SLOT_DATA);
	out->reserved[0] = out->reserved[1] = 0;
	if (out->kind != SC_OP_HOST_READ || out->result != SC_RESULT_PENDING)
		return;
	out->result = 0;
	out->flags |= is_running ? SC_FLAG_UNDECIDED : 0;
}

/* What may have changed after the rest was written; its check changed before it, which is all that
 * a process that died may have done. */
static inline bool sc_slot_is_patched_well(const uint8_t *slot, bool is_closed)
{
	uint64_t check = sc_slot_word(slot + SC_SLOT_PATCH_CHECK);
	uint32_t flags;
	int32_t result;

	memcpy(&result, slot + SC_SLOT_RESULT, sizeof(result));
	memcpy(&flags, slot + SC_SLOT_FLAGS, sizeof(flags));
	if (check == sc_slot_patch_check(result, flags))
		return 1;
	return !is_closed && (result == SC_RESULT_PENDING ||
			      check == sc_slot_patch_check(result, SC_FLAG_POLLED));
}

/* Of the op of two slots. */
static inline uint64_t sc_slot_sum_read(const uint8_t *slot)
{
	return sc_slot_sum_op(sc_slot_load_head(slot), sc_slot_load_head(slot + SC_SLOT_SIZE),
			      slot + sizeof(uint32_t), slot + SC_SLOT_SIZE + sizeof(uint32_t));
}
