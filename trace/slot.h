/* Slots: how one record lies in its neighbouring 64-byte slots (trace/format.h).
 *
 * Shared by the writer, which fills slots that other processes may be looking at, and the text
 * form, which fills plain memory. Nothing here allocates or fails.
 */
#pragma once

#include "trace/format.h"
#include "trace/writer.h"

/* The head of slot `i` of a record of `n`. */
static inline uint32_t sc_slot_head(uint32_t i, uint32_t n)
{
	uint32_t end = (i / SC_RECORD_SLOTS + 1) * SC_RECORD_SLOTS;
	uint32_t left = (end < n ? end : n) - i - 1;

	if (i % SC_RECORD_SLOTS)
		return SC_SLOT_NEXT | left;
	return (i ? SC_SLOT_MORE : SC_SLOT_FIRST) | left;
}

/* The sum of a record that lies in these `n` slots, whatever its check word says. */
uint64_t sc_slot_check(const struct sc_slot *slots, uint32_t n);
/* Of all above `check`. */
uint64_t sc_slot_check_header(const struct sc_trace_header *header);
/* Slots that the record takes, or 0 if it is longer than SC_RECORD_MOST or begins with a piece
 * that continues nothing. */
uint32_t sc_slot_count(const struct sc_attachment *attachments, unsigned count);
/* Fills `n` zeroed slots (n from sc_slot_count); the head of the first is stored last, with release
 * order (paired with the reader's look at the head: a record whose head is seen is whole). */
void sc_slot_fill(struct sc_slot *slots, uint32_t n, const struct sc_op *op,
		  const struct sc_attachment *attachments, unsigned count);
