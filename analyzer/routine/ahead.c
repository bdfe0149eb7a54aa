/* Ahead: the stream and the spans of the next record. */
#include "analyzer/routine/ahead.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "analyzer/memory/span.h"
#include "base/slab.h"

/* Where a byte of the record's op, and of what follows the op, lies in its slots. */
#define PLACE(byte)  ((byte) + (1 + (byte) / SC_SLOT_DATA) * sizeof(uint32_t))
#define FIELD(name)  PLACE(offsetof(struct sc_op, name))
#define BEHIND(byte) PLACE(sizeof(struct sc_op) + (byte))

static inline uint32_t word32(const uint8_t *slots, size_t at)
{
	uint32_t word;

	memcpy(&word, slots + at, sizeof(word));
	return word;
}

static inline uint64_t word64(const uint8_t *slots, size_t at)
{
	uint64_t word;

	memcpy(&word, slots + at, sizeof(word));
	return word;
}

static inline void fetch_lines(const void *item)
{
	if (!item)
		return;
	__builtin_prefetch(item, 1);
	__builtin_prefetch((const char *)item + SC_CACHE_LINE, 1);
}

static inline void fetch_span(const struct sc_analysis *a, uint64_t first, uint64_t bytes)
{
	__builtin_prefetch(&a->memory.notes.places.homes[sc_places_home(first, first + bytes)], 1);
}

/* The address of what is written lies in two slots. */
static inline void fetch_operands(const struct sc_analysis *a, const uint8_t *slots, bool is_copy)
{
	uint64_t bytes = word64(slots, FIELD(bytes));
	uint64_t low = word32(slots, FIELD(dst)), high = word32(slots, PLACE(SC_SLOT_DATA));

	fetch_span(a, high << 32 | low, bytes);
	if (is_copy)
		fetch_span(a, word64(slots, FIELD(src)), bytes);
}

/* Fetches the first two accesses, if accesses follow the op. */
static inline void fetch_accesses(const struct sc_analysis *a, const uint8_t *slots)
{
	if (word32(slots, BEHIND(0)) != SC_ATTACH_ACCESSES)
		return;
	fetch_span(a, word64(slots, BEHIND(8)), word64(slots, BEHIND(16)));
	if (word32(slots, BEHIND(4)) > sizeof(struct sc_access))
		fetch_span(a, word64(slots, BEHIND(64)), word64(slots, BEHIND(72)));
}

static inline void fetch_uses(const struct sc_analysis *a, const uint8_t *slots)
{
	switch (word32(slots, FIELD(kind)) & UINT16_MAX) {
	case SC_OP_COPY: fetch_operands(a, slots, 1); break;
	case SC_OP_SET: fetch_operands(a, slots, 0); break;
	case SC_OP_KERNEL: fetch_accesses(a, slots); break;
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
		fetch_lines(
			a->order.events.recent[word32(slots, FIELD(object)) % SC_EVENTS_RECENT]);
		break;
	}
}

void sc_ahead_fetch(const struct sc_analysis *a)
{
	const uint8_t *slots = sc_reader_peek(a->reader);

	if (!slots)
		return;
	fetch_lines(a->order.streams.recent[word32(slots, FIELD(stream)) % SC_STREAMS_RECENT]);
	if (a->memory.notes.places.homes)
		fetch_uses(a, slots);
}
