/* Top's state: counts by stream, by thread, by kind of memory. */
#include "extensions/live/top_state.h"

#include <stdlib.h>
#include <string.h>
#include "analyzer/order/state.h"
#include "base/search.h"

static struct sc_top_stream *stream_of(struct sc_top_state *s, uint32_t id)
{
	uint64_t *index = sc_u64_map_get(&s->streams_by_id, id);

	if (!*index) {
		sc_vector_push(&s->streams, (struct sc_top_stream){.id = id});
		*index = s->streams.count;
	}
	return &s->streams.items[*index - 1];
}

static struct sc_top_thread *thread_of(struct sc_top_state *s, uint32_t id)
{
	uint64_t *index = sc_u64_map_get(&s->threads_by_id, id);

	if (!*index) {
		sc_vector_push(&s->threads, (struct sc_top_thread){.id = id});
		*index = s->threads.count;
	}
	return &s->threads.items[*index - 1];
}

/* ---- streams ---- */

/* Makes one of each two neighbours: the earlier is then complete no sooner than the later. */
static void halve(struct sc_top_stream *s)
{
	struct sc_top_mark *to = s->marks.items, *from = to + s->done, *end = to + s->marks.count;

	while (from < end) {
		*to = *from++;
		if (from < end && from->lane == to->lane) {
			to->position = from->position;
			to->sequence = from->sequence;
			to->count += from++->count;
		}
		to++;
	}
	s->marks.count = (size_t)(to - s->marks.items);
	s->done = 0;
}

static bool is_work(const struct sc_op *op)
{
	return op->kind != SC_OP_NONE && op->kind != SC_OP_EVENT_RECORD &&
	       op->kind != SC_OP_EVENT_WAIT;
}

static void extend(struct sc_top_mark *m, uint64_t sequence)
{
	m->count++;
	m->sequence = sequence;
}

static void see(void *data, struct sc_order *order, const struct sc_step *step)
{
	struct sc_top_state *state = data;
	struct sc_top_mark mark = {.position = step->when.position,
				   .sequence = step->sequence,
				   .count = 1,
				   .lane = step->when.lane};
	struct sc_top_stream *s;

	state->order = order;
	if (!step->is_enqueued || !step->stream)
		return;
	s = stream_of(state, step->stream->id);
	s->enqueued++;
	if (is_work(step->op) || !is_work(&s->last))
		s->last = *step->op;
	if (s->marks.count == SC_TOP_MARKS_MOST)
		halve(s);
	/* lanes that change with each operation cannot be put together */
	if (s->marks.count == SC_TOP_MARKS_MOST)
		extend(sc_vector_last(&s->marks), mark.sequence);
	else
		sc_vector_push(&s->marks, mark);
}

static void forget_done(struct sc_top_stream *s)
{
	if (s->done < s->marks.count)
		return;
	sc_vector_clear(&s->marks);
	s->done = 0;
}

static void settle(struct sc_top_stream *s, const struct sc_clock *known)
{
	while (s->done < s->marks.count) {
		const struct sc_top_mark *m = &s->marks.items[s->done];

		if (sc_clock_at(known, m->lane) < m->position)
			break;
		s->complete += m->count;
		s->done++;
	}
	forget_done(s);
}

/* True if the op is one of the stream's, which are then complete up to it. */
static bool end_up_to(struct sc_top_stream *s, uint64_t sequence)
{
	size_t from = s->done, at;

	SC_SEARCH(at, s->marks.count - from, s->marks.items[from + at].sequence < sequence);
	at += from;
	if (at == s->marks.count || s->marks.items[at].sequence != sequence)
		return false;
	for (; s->done <= at; s->done++)
		s->complete += s->marks.items[s->done].count;
	forget_done(s);
	return true;
}

/* Of a node of a graph the time says nothing of the whole. */
static void note_time(struct sc_top_state *s, const struct sc_op *op)
{
	if (op->kind != SC_OP_DEVICE_TIME || !op->link || op->peer)
		return;
	for (size_t i = 0; i < s->streams.count; i++)
		if (end_up_to(&s->streams.items[i], op->link - 1))
			return;
}

/* The last one takes its place. */
static void remove_stream(struct sc_top_state *s, size_t at)
{
	struct sc_top_stream *last = sc_vector_last(&s->streams);

	sc_vector_fini(&s->streams.items[at].marks);
	sc_u64_map_remove(&s->streams_by_id, s->streams.items[at].id);
	if (last != &s->streams.items[at]) {
		*sc_u64_map_get(&s->streams_by_id, last->id) = at + 1;
		s->streams.items[at] = *last;
	}
	s->streams.count--;
}

void sc_top_state_settle(struct sc_top_state *s)
{
	for (size_t i = s->order ? s->streams.count : 0; i--;) {
		struct sc_top_stream *stream = &s->streams.items[i];

		settle(stream, s->order->host.clock);
		if (stream->is_destroyed && stream->done == stream->marks.count)
			remove_stream(s, i);
	}
}

/* ---- memory ---- */

static void drop_block(struct sc_top_state *s, uint64_t address)
{
	const uint64_t *index = sc_u64_map_find(&s->blocks_by_address, address);
	struct sc_top_block *b = index ? &s->blocks.items[*index - 1] : NULL;

	if (!b)
		return;
	s->memory[b->memory].count--;
	s->memory[b->memory].bytes -= b->bytes;
	sc_u64_map_remove(&s->blocks_by_address, address);
	sc_vector_push(&s->free_blocks, (size_t)(b - s->blocks.items));
}

static void add_block(struct sc_top_state *s, const struct sc_op *op)
{
	uint8_t memory = op->dst_mem < SC_MEM_KINDS ? op->dst_mem : SC_MEM_UNKNOWN;
	size_t at;

	if (!op->bytes)
		return;
	drop_block(s, op->dst); /* its end was not seen */
	at = s->free_blocks.count ? s->free_blocks.items[--s->free_blocks.count] : s->blocks.count;
	if (at == s->blocks.count)
		(void)sc_vector_add(&s->blocks);
	*sc_u64_map_get(&s->blocks_by_address, op->dst) = at + 1;
	s->blocks.items[at] = (struct sc_top_block){.bytes = op->bytes, .memory = memory};
	s->memory[memory].count++;
	s->memory[memory].bytes += op->bytes;
}

static void note_memory(struct sc_top_state *s, const struct sc_op *op)
{
	if (op->result || op->flags & SC_FLAG_CAPTURED)
		return;
	switch ((enum sc_op_kind)op->kind) {
	case SC_OP_ALLOC:
	case SC_OP_ALLOC_ASYNC:
	case SC_OP_PIN: add_block(s, op); break;
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC:
	case SC_OP_UNPIN: drop_block(s, op->dst); break;
	default: break;
	}
}

/* ---- threads ---- */

/* The last one takes its place. */
static void remove_thread(struct sc_top_state *s, uint32_t id)
{
	const uint64_t *index = sc_u64_map_find(&s->threads_by_id, id);
	size_t at = index ? *index - 1 : 0;

	if (!index)
		return;
	*sc_u64_map_get(&s->threads_by_id, sc_vector_last(&s->threads)->id) = at + 1;
	s->threads.items[at] = *sc_vector_last(&s->threads);
	s->threads.count--;
	sc_u64_map_remove(&s->threads_by_id, id);
}

static void note_thread(struct sc_top_state *s, const struct sc_record *r)
{
	struct sc_top_thread *t;

	if (!r->op.thread || (sc_op_kind_class(r->op.kind) == SC_CLASS_DEFINE && !r->op.call))
		return;
	if (r->op.kind == SC_OP_THREAD_END) {
		remove_thread(s, r->op.thread);
		return;
	}
	t = thread_of(s, r->op.thread);
	t->last = r->op;
	t->sequence = r->sequence;
}

bool sc_top_state_is_inside(const struct sc_top_thread *t, const struct sc_reader *r)
{
	struct sc_op now;

	if (!t->last.call || t->last.phase == SC_PHASE_END)
		return false;
	if (t->last.phase == SC_PHASE_BEGIN)
		return true;
	return sc_reader_op(r, t->sequence, &now) && now.result == SC_RESULT_PENDING;
}

/* ---- all ---- */

void sc_top_state_note(struct sc_top_state *s, const struct sc_record *r)
{
	note_thread(s, r);
	note_memory(s, &r->op);
	note_time(s, &r->op);
	if (r->op.kind == SC_OP_STREAM_CREATE && r->op.stream)
		stream_of(s, r->op.stream);
	else if (r->op.kind == SC_OP_STREAM_DESTROY && r->op.stream)
		stream_of(s, r->op.stream)->is_destroyed = true;
}

void sc_top_state_init(struct sc_top_state *s)
{
	*s = (struct sc_top_state){0};
	s->watch = (struct sc_watch){.see = see, .data = s};
}

void sc_top_state_fini(struct sc_top_state *s)
{
	for (size_t i = 0; i < s->streams.count; i++)
		sc_vector_fini(&s->streams.items[i].marks);
	sc_vector_fini(&s->streams);
	sc_vector_fini(&s->threads);
	sc_vector_fini(&s->blocks);
	sc_vector_fini(&s->free_blocks);
	sc_u64_map_fini(&s->streams_by_id);
	sc_u64_map_fini(&s->threads_by_id);
	sc_u64_map_fini(&s->blocks_by_address);
}
