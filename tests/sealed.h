/* Makes the checksums of a trace right again after a test changed it, so that what is tested is not
 * the checksum. Records that are not whole stay as they are. */
#pragma once

#include <string.h>
#include "trace/slot.h"

/* Slots of the record that begins here, or 0. */
static inline uint32_t sealed_slots(const struct sc_slot *slot, uint64_t left)
{
	uint32_t n = 0, part;

	do {
		uint32_t type = n ? SC_SLOT_MORE : SC_SLOT_FIRST;

		if (n == left || SC_SLOT_TYPE(slot[n].head) != type)
			break;
		part = 1 + SC_SLOT_LEFT(slot[n].head);
		if (part > SC_RECORD_SLOTS || part > left - n)
			break;
		n += part;
	} while (part == SC_RECORD_SLOTS);
	for (uint32_t i = 0; i < n; i++)
		if (slot[i].head != sc_slot_head(i, n))
			return 0;
	return n < 2 ? 0 : n;
}

static inline void sealed_record(struct sc_slot *slot, uint32_t n)
{
	uint8_t *at = (uint8_t *)slot;
	uint64_t word;
	uint32_t flags;
	int32_t result;

	memcpy(&result, at + SC_SLOT_RESULT, sizeof(result));
	memcpy(&flags, at + SC_SLOT_FLAGS, sizeof(flags));
	word = sc_slot_patch_check(result, flags);
	memcpy(at + SC_SLOT_PATCH_CHECK, &word, sizeof(word));
	word = sc_slot_check(slot, n);
	memcpy(at + SC_SLOT_CHECK, &word, sizeof(word));
}

/* `trace` is writable and 8-byte aligned. */
static inline void sealed(uint8_t *trace, size_t bytes)
{
	struct sc_slot *slots = (struct sc_slot *)(trace + SC_TRACE_HEADER);
	struct sc_trace_header header;
	uint64_t count;

	if (bytes < SC_TRACE_HEADER || memcmp(trace, SC_TRACE_MAGIC, sizeof(header.magic)))
		return;
	memcpy(&header, trace, sizeof(header));
	header.check = sc_slot_check_header(&header);
	memcpy(trace + SC_TRACE_SEAL, &header, sizeof(header));
	count = (bytes - SC_TRACE_HEADER) / SC_SLOT_SIZE;
	for (uint64_t i = 0; i < count;) {
		uint32_t n = sealed_slots(&slots[i], count - i);

		if (n)
			sealed_record(&slots[i], n);
		i += n ? n : 1;
	}
}
