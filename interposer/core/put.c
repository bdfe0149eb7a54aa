/* Ops of the recorder: filled in, appended to the trace, their results. */
#include "interposer/core/put.h"

#include <string.h>
#include "base/assert.h"
#include "interposer/core/clock.h"
#include "interposer/core/session.h"

void sc_put_stamp(struct sc_op *op)
{
	op->thread = sc_thread_id();
	op->callback = sc_self.callback;
	op->time_ns = sc_clock_now();
}

struct sc_op sc_put_new(enum sc_op_kind kind)
{
	struct sc_op op = {.kind = kind};

	sc_put_stamp(&op);
	return op;
}

uint64_t sc_put_op(const struct sc_op *op, const struct sc_attachment *parts, unsigned count)
{
	if (atomic_load_explicit(&sc_session.state, memory_order_relaxed) > SC_LIVE)
		return SC_NOT_WRITTEN;
	sc_self.records++;
	return sc_writer_put(&sc_session.writer, op, parts, count);
}

uint64_t sc_put_order(const struct sc_op *op)
{
	uint64_t sequence = sc_put_op(op, NULL, 0);

	sc_self.records -= sequence != SC_NOT_WRITTEN;
	return sequence;
}

void sc_put_ops(const struct sc_op *ops, unsigned count)
{
	if (atomic_load_explicit(&sc_session.state, memory_order_relaxed) > SC_LIVE)
		return;
	sc_assert(count > 0);
	sc_self.records += count;
	sc_writer_put_all(&sc_session.writer, ops, count);
}

struct sc_op sc_put_written(uint64_t sequence)
{
	const struct sc_writer *w = &sc_session.writer;
	struct sc_op op = {0};

	if (w->head && w->max_slots > 1 && sequence < w->max_slots - 1 &&
	    !sc_writer_is_given(w, sequence))
		for (unsigned i = 0; i < 2; i++)
			memcpy((char *)&op + (size_t)i * SC_SLOT_DATA, w->slots[sequence + i].data,
			       SC_SLOT_DATA);
	return op;
}

void sc_put_result(uint64_t sequence, int32_t result)
{
	if (sequence != SC_NOT_WRITTEN)
		sc_writer_set_result(&sc_session.writer, sequence, result);
}

void sc_put_polled(uint64_t sequence)
{
	if (sequence != SC_NOT_WRITTEN)
		sc_writer_set_polled(&sc_session.writer, sequence);
}

void sc_put_gap(enum sc_gap gap, uint64_t count)
{
	if (count)
		sc_writer_count(&sc_session.writer, gap, count);
}

void sc_put_loss(enum sc_gap gap)
{
	struct sc_op op = sc_put_new(SC_OP_LOST);

	sc_put_gap(gap, 1);
	op.object = 1;
	sc_put_op(&op, NULL, 0);
}

void sc_put_mark(uint32_t marks)
{
	sc_writer_mark(&sc_session.writer, marks);
}

uint32_t sc_put_string(const char *text)
{
	struct sc_op op = {.kind = SC_OP_STRING};
	struct sc_attachment part = {SC_ATTACH_TEXT, (uint32_t)strlen(text), text};

	op.object = 1 + atomic_fetch_add_explicit(&sc_session.string_ids, 1, memory_order_relaxed);
	sc_put_op(&op, &part, 1);
	return op.object;
}

void sc_put_source(const char *name, bool works)
{
	struct sc_op op = {.kind = SC_OP_SOURCE, .value = works};
	struct sc_attachment part = {SC_ATTACH_TEXT, (uint32_t)strlen(name), name};

	sc_put_op(&op, &part, 1);
}
