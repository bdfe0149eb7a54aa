/* Checksums: what shows that a record is as it was written.
 *
 * The sum of a slot is that of its eight 64-bit words; the sum of a record is that of the sums of
 * its slots, each times an odd number more often than the next. So a change within one word never
 * goes unseen. `result` and the flag `polled`, which change later, count as 0 in it: they have a
 * check word of their own. An addition a word is all that a launch can afford.
 */
#pragma once

#include "trace/format.h"

static inline uint64_t sc_slot_word(const uint8_t *at)
{
	uint64_t word;

	__builtin_memcpy(&word, at, sizeof(word));
	return word;
}

/* Of a slot with this head and these data. */
static inline uint64_t sc_slot_sum(uint32_t head, const uint8_t *data)
{
	uint32_t first;
	uint64_t sum;

	__builtin_memcpy(&first, data, sizeof(first));
	sum = head | (uint64_t)first << 32;
	data += sizeof(first);
	/* written out, since every record takes it: a loop has four times the instructions */
	return sum +
	       ((sc_slot_word(data) + sc_slot_word(data + 8)) +
		(sc_slot_word(data + 16) + sc_slot_word(data + 24))) +
	       ((sc_slot_word(data + 32) + sc_slot_word(data + 40)) + sc_slot_word(data + 48));
}

/* The sum of the slots so far and of the next one. */
static inline uint64_t sc_slot_join(uint64_t sum, uint64_t next)
{
	return sum * UINT64_C(0x9e3779b97f4a7c15) + next;
}

/* What its result and flags, and the two check words, put into the sum of an op's slots. */
static inline uint64_t sc_slot_sum_op(uint32_t first, uint32_t second, const uint8_t *data,
				      const uint8_t *rest)
{
	uint32_t result, flags;
	uint64_t head = sc_slot_sum(first, data), tail = sc_slot_sum(second, rest);

	__builtin_memcpy(&flags, data + offsetof(struct sc_op, flags), sizeof(flags));
	__builtin_memcpy(&result, data + offsetof(struct sc_op, result), sizeof(result));
	head -= (uint64_t)(flags & SC_FLAG_POLLED) + result;
	tail -= sc_slot_word(rest + SC_SLOT_DATA - 16) + sc_slot_word(rest + SC_SLOT_DATA - 8);
	return sc_slot_join(head, tail);
}

/* The check word of what changes later; 0 of a result that is pending, and no poll. */
static inline uint64_t sc_slot_patch_check(int32_t result, uint32_t flags)
{
	return (((uint32_t)result ^ (uint32_t)SC_RESULT_PENDING) * UINT64_C(0x9e3779b97f4a7c15)) ^
	       (flags & SC_FLAG_POLLED);
}
