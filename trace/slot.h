/* Slots: how one record lies in its neighbouring 64-byte slots (trace/format.h).
 *
 * Shared by the writer, which fills slots that other processes may be looking at, and the text
 * form, which fills plain memory. Nothing here allocates or fails.
 */
#ifndef SC_TRACE_SLOT_H
#define SC_TRACE_SLOT_H

#include "trace/format.h"
#include "trace/writer.h"

/* Slots that the record takes, or 0 if it is longer than SC_RECORD_SLOTS or begins with a piece
 * that continues nothing. */
uint32_t sc_slot_count(const struct sc_attachment *attachments, unsigned count);
/* Fills `n` zeroed slots (n from sc_slot_count); the head of the first is stored last, with release
 * order (paired with the reader's look at the head: a record whose head is seen is whole). */
void sc_slot_fill(struct sc_slot *slots, uint32_t n, const struct sc_op *op,
		  const struct sc_attachment *attachments, unsigned count);

#endif
