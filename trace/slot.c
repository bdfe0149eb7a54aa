/* Slots: how one record lies in its neighbouring 64-byte slots. */
#include "trace/slot.h"

#include <string.h>
#include "base/assert.h"

#define RECORD_BYTES ((uint64_t)SC_RECORD_MOST * SC_SLOT_DATA)
/* Of the data after the head of the first attachment: what fits into its slot. */
#define FIRST_BYTES (SC_SLOT_DATA - (uint32_t)sizeof(struct sc_attach_head))

_Static_assert(sizeof(struct sc_op) == 2 * SC_SLOT_DATA, "attachments begin a slot of their own");

/* Where the next byte of a record goes. */
struct cursor {
	struct sc_slot *slot;
	uint32_t at; /* byte of its data */
};

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/* Bytes of a logical attachment: the piece that begins it and all that continue it. */
static uint64_t logical_bytes(const struct sc_attachment *piece, const struct sc_attachment *end)
{
	uint64_t bytes = piece->bytes;

	while (++piece < end && !piece->type)
		bytes += piece->bytes;
	return bytes;
}

uint32_t sc_slot_count(const struct sc_attachment *attachments, unsigned count)
{
	uint64_t bytes = sizeof(struct sc_op);
	const struct sc_attachment *end;

	if (!count)
		return 2;
	if (!attachments->type)
		return 0;
	if (count == 1 && padded(attachments->bytes) <= FIRST_BYTES)
		return 3;
	end = attachments + count;
	for (const struct sc_attachment *a = attachments; a < end; a++)
		if (a->type)
			bytes += sizeof(struct sc_attach_head) + padded(logical_bytes(a, end));
	if (bytes > RECORD_BYTES)
		return 0;
	return (uint32_t)((bytes + SC_SLOT_DATA - 1) / SC_SLOT_DATA);
}

static void put(struct cursor *c, const void *data, uint32_t bytes)
{
	const uint8_t *from = data;

	while (bytes) {
		uint32_t part = SC_SLOT_DATA - c->at;

		if (part > bytes)
			part = bytes;
		memcpy(c->slot->data + c->at, from, part);
		from += part;
		bytes -= part;
		c->at += part;
		if (c->at == SC_SLOT_DATA) {
			c->slot++;
			c->at = 0;
		}
	}
}

/* A head lies within one slot but for the odd one that straddles two. */
static void put_head(struct cursor *c, struct sc_attach_head head)
{
	if (SC_SLOT_DATA - c->at <= sizeof(head)) {
		put(c, &head, sizeof(head));
		return;
	}
	memcpy(c->slot->data + c->at, &head, sizeof(head));
	c->at += sizeof(head);
}

/* The slots are zeros already. */
static void skip(struct cursor *c, uint32_t bytes)
{
	c->at += bytes;
	if (c->at >= SC_SLOT_DATA) {
		c->slot++;
		c->at -= SC_SLOT_DATA;
	}
}

static void put_attachments(struct cursor *c, const struct sc_attachment *a,
			    const struct sc_attachment *end)
{
	uint64_t bytes = 0;

	for (; a < end; a++) {
		if (a->type) {
			bytes = logical_bytes(a, end);
			put_head(c, (struct sc_attach_head){a->type, (uint32_t)bytes});
		}
		put(c, a->data, a->bytes);
		if (a + 1 == end || a[1].type)
			skip(c, (uint32_t)(padded(bytes) - bytes));
	}
}

/* A few bytes: a call of memcpy would be felt. */
static inline void copy_rest(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (; bytes >= 8; bytes -= 8, to += 8, from += 8)
		memcpy(to, from, 8);
	for (; bytes; bytes--)
		*to++ = *from++;
}

/* One attachment in one piece: what a launch has, and nearly every op that has any. */
static void put_single(struct sc_slot *slot, const struct sc_attachment *a)
{
	struct sc_attach_head head = {a->type, a->bytes};
	const uint8_t *from = a->data;
	uint32_t bytes = a->bytes;

	memcpy(slot->data, &head, sizeof(head));
	if (bytes <= FIRST_BYTES) {
		copy_rest(slot->data + sizeof(head), from, bytes);
		return;
	}
	memcpy(slot->data + sizeof(head), from, FIRST_BYTES);
	from += FIRST_BYTES;
	bytes -= FIRST_BYTES;
	for (slot++; bytes > SC_SLOT_DATA; slot++) {
		memcpy(slot->data, from, SC_SLOT_DATA);
		from += SC_SLOT_DATA;
		bytes -= SC_SLOT_DATA;
	}
	sc_assert(bytes <= SC_SLOT_DATA);
	copy_rest(slot->data, from, bytes);
}

/* The sum of `n` slots, of which the first two hold this op. The first head may not be there yet.
 */
static uint64_t sum_of(const struct sc_slot *slots, uint32_t n, const uint8_t *first,
		       const uint8_t *second)
{
	uint64_t sum = sc_slot_sum_op(sc_slot_head(0, n), slots[1].head, first, second);

	for (uint32_t i = 2; i < n; i++)
		sum = sc_slot_join(sum, sc_slot_sum(slots[i].head, slots[i].data));
	return sum;
}

uint64_t sc_slot_check(const struct sc_slot *slots, uint32_t n)
{
	sc_assert(n >= 2 && n <= SC_RECORD_MOST);
	return sum_of(slots, n, slots[0].data, slots[1].data);
}

uint64_t sc_slot_check_header(const struct sc_trace_header *header)
{
	const uint8_t *at = (const uint8_t *)header;
	uint64_t sum = 0;

	for (size_t i = 0; i < offsetof(struct sc_trace_header, check); i += sizeof(uint64_t))
		sum = sc_slot_join(sum, sc_slot_word(at + i));
	return sum;
}

/* The check words lie in the second slot, which the head of the first commits. */
static inline void put_checks(struct sc_slot *slots, const struct sc_op *op, uint64_t sum)
{
	uint64_t patched = sc_slot_patch_check(op->result, op->flags);

	memcpy((uint8_t *)slots + SC_SLOT_PATCH_CHECK, &patched, sizeof(patched));
	memcpy((uint8_t *)slots + SC_SLOT_CHECK, &sum, sizeof(sum));
}

static inline void put_op(struct sc_slot *slots, const struct sc_op *op)
{
	memcpy(slots[0].data, op, SC_SLOT_DATA);
	memcpy(slots[1].data, (const uint8_t *)op + SC_SLOT_DATA, sizeof(*op) - SC_SLOT_DATA);
}

/* Without attachments, as most records but those of launches are. */
static void fill_plain(struct sc_slot *slots, const struct sc_op *op)
{
	const uint8_t *data = (const uint8_t *)op;
	const uint32_t first = SC_SLOT_FIRST | 1, second = SC_SLOT_NEXT;

	slots[1].head = second;
	put_op(slots, op);
	put_checks(slots, op, sc_slot_sum_op(first, second, data, data + SC_SLOT_DATA));
	__atomic_store_n(&slots[0].head, first, __ATOMIC_RELEASE);
}

void sc_slot_fill(struct sc_slot *slots, uint32_t n, const struct sc_op *op,
		  const struct sc_attachment *attachments, unsigned count)
{
	/* the op is read where it came from: the slots are written just now */
	const uint8_t *data = (const uint8_t *)op;

	if (n == 2 && !count) {
		fill_plain(slots, op);
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		slots[i].head = sc_slot_head(i, n);
	put_op(slots, op);
	if (count == 1) {
		put_single(slots + 2, attachments);
	} else if (count) {
		struct cursor c = {slots + 2, 0};

		put_attachments(&c, attachments, attachments + count);
		sc_assert(c.slot <= slots + n && c.slot + (c.at > 0) == slots + n);
	}
	put_checks(slots, op, sum_of(slots, n, data, data + SC_SLOT_DATA));
	__atomic_store_n(&slots[0].head, sc_slot_head(0, n), __ATOMIC_RELEASE);
}
