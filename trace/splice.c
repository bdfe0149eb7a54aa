/* Splices: queues of ops around the record at hand, and the numbers of all of them. */
#include "trace/splice.h"

static bool has_room(struct sc_splice *s, size_t count)
{
	if (count + 1 < s->room)
		return 1;
	s->refused++;
	return 0;
}

void sc_splice_before(struct sc_splice *s, const struct sc_op *op)
{
	if (has_room(s, s->before.count))
		sc_vector_push(&s->before, *op);
}

void sc_splice_after(struct sc_splice *s, const struct sc_op *op)
{
	if (has_room(s, s->after.count))
		sc_vector_push(&s->after, *op);
}

static void put(struct sc_splice *s, const struct sc_op *op, uint64_t sequence,
		struct sc_record *out)
{
	*out = (struct sc_record){.op = *op, .sequence = sequence};
	if (op->phase == SC_PHASE_END && !op->link)
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
	s->last = out->sequence;
	return 1;
}

void sc_splice_number(const struct sc_splice *s, struct sc_record *record)
{
	record->sequence *= s->room;
	if (record->op.link)
		record->op.link = (record->op.link - 1) * s->room + 1;
}

void sc_splice_begin(struct sc_splice *s, const struct sc_record *record)
{
	s->held = *record;
	sc_vector_clear(&s->before);
	sc_vector_clear(&s->after);
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
}
