/* Splices: queues of ops around the record at hand, and the numbers of all of them. */
#include "trace/splice.h"

#include <string.h>
#include "base/assert.h"

static bool has_room(struct sc_splice *s, size_t count)
{
	sc_assert(s->room > 0);
	if (count + 1 < s->room)
		return 1;
	s->refused++;
	return 0;
}

void sc_splice_before(struct sc_splice *s, const struct sc_op *op)
{
	if (!s->held.sequence) /* no number is lower */
		s->refused++;
	else if (has_room(s, s->before.count))
		sc_vector_push(&s->before, ((struct sc_spliced){.op = *op}));
}

void sc_splice_after(struct sc_splice *s, const struct sc_op *op)
{
	if (has_room(s, s->after.count))
		sc_vector_push(&s->after, ((struct sc_spliced){.op = *op}));
}

void sc_splice_after_with(struct sc_splice *s, const struct sc_op *op, uint32_t type,
			  const void *data, uint32_t bytes)
{
	struct sc_attach_head head = {type, bytes};
	size_t at = s->attached.count, words = (sizeof(head) + bytes + 7) / 8;

	sc_assert(type != 0);
	if (!has_room(s, s->after.count))
		return;
	sc_vector_reserve(&s->attached, words);
	s->attached.count += words;
	memset(&s->attached.items[at], 0, words * 8);
	memcpy(&s->attached.items[at], &head, sizeof(head));
	memcpy(&s->attached.items[at + 1], data, bytes);
	sc_vector_push(&s->after, ((struct sc_spliced){*op, at, (uint32_t)words * 8}));
}

static void put(struct sc_splice *s, const struct sc_spliced *from, uint64_t sequence,
		struct sc_record *out)
{
	*out = (struct sc_record){.op = from->op, .sequence = sequence};
	if (from->bytes) {
		out->attachments = (const uint8_t *)&s->attached.items[from->at];
		out->attachment_bytes = from->bytes;
	}
	if (from->op.phase == SC_PHASE_END && !from->op.link)
		out->op.link = s->last + 1;
}

bool sc_splice_take(struct sc_splice *s, struct sc_record *out)
{
	size_t before = s->before.count, step = s->step;
	uint64_t at = s->held.sequence;

	if (step > before + s->after.count)
		return 0;
	s->step++;
	if (step < before)
		put(s, &s->before.items[step], at - before + step, out);
	else if (step == before)
		*out = s->held;
	else
		put(s, &s->after.items[step - before - 1], at + step - before, out);
	sc_assert(!s->last || out->sequence > s->last);
	s->last = out->sequence;
	return 1;
}

void sc_splice_number(const struct sc_splice *s, struct sc_record *record)
{
	sc_assert(s->room > 0);
	record->sequence *= s->room;
	if (record->op.link)
		record->op.link = (record->op.link - 1) * s->room + 1;
}

void sc_splice_begin(struct sc_splice *s, const struct sc_record *record)
{
	s->held = *record;
	sc_vector_clear(&s->before);
	sc_vector_clear(&s->after);
	sc_vector_clear(&s->attached);
	s->around(s->data, s, &s->held);
	sc_splice_number(s, &s->held);
	s->step = 0;
}

void sc_splice_rewind(struct sc_splice *s)
{
	sc_vector_clear(&s->before);
	sc_vector_clear(&s->after);
	s->step = 1;
	s->last = 0;
}

void sc_splice_fini(struct sc_splice *s)
{
	sc_vector_fini(&s->before);
	sc_vector_fini(&s->after);
	sc_vector_fini(&s->attached);
}
