/* Slots as they are read: any byte may be hostile. */
#ifndef SC_TRACE_SLOT_READ_H
#define SC_TRACE_SLOT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "trace/format.h"

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

#endif
