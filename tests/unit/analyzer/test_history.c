/* Histories against their naive form: a list of all touches, compared byte by byte.
 *
 * A history may forget touches that a newer one stands for, so it need not name the same ops as the
 * naive form; but for every new touch both agree on whether it races, and what the history names is
 * a race of the naive form too.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/memory/history.h"
#include "base/vector.h"

#define SPACE	600
#define STREAMS 5
#define EVENTS	3
#define OPS	80
#define HINTS	4

struct naive_touch {
	struct sc_touch touch;
	uint64_t parameter; /* of a piece; 0: the bytes are known */
	uint8_t bytes[SPACE];
};

struct world {
	struct sc_order order;
	struct sc_notes notes;
	struct sc_history history;
	struct sc_past past;
	sc_conflicts found;
	SC_VECTOR(struct naive_touch *) all;
	bool has_pieces;	      /* some kernels may use any byte of a piece */
	bool has_tiles;		      /* the same bytes are used again and again */
	bool has_callbacks;	      /* host functions that have not begun */
	struct sc_span *hints[HINTS]; /* of some bytes that were used before, perhaps freed */
	uint64_t random;
	uint64_t sequence;
	unsigned races;
};

static uint32_t pick(struct world *w, uint32_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random >> 11) % below);
}

static struct sc_step do_op(struct world *w, struct sc_op op)
{
	struct sc_record r = {.op = op, .sequence = w->sequence++};
	struct sc_step step;

	sc_order_step(&w->order, &r, &step);
	return step;
}

static struct sc_access random_shape(struct world *w)
{
	struct sc_access a = sc_shape_linear(pick(w, 10) * 16, 8 + 8 * pick(w, 16), 0, 0);

	a.mode = pick(w, 2) ? SC_READ : SC_WRITE;
	if (w->has_tiles) {
		a.base = pick(w, 4) * 32;
		a.width = pick(w, 8) ? 32 : 64;
	} else if (!pick(w, 3)) {
		a.width = 1 + pick(w, 20);
		a.rows = 1 + pick(w, 5);
		a.pitch = 32;
	}
	sc_shape_simplify(&a);
	return a;
}

/* What a kernel may use that was given a pointer into a piece. */
static struct sc_access random_piece(struct world *w)
{
	uint64_t start = pick(w, 3) * 48;
	struct sc_access a =
		sc_shape_linear(start, 32 + 48 * pick(w, 2), SC_READ_WRITE, SC_KNOWN_PARAMETER);

	a.pitch = start + 1 + pick(w, 2);
	a.slice_pitch = 1;
	return a;
}

static void paint(uint8_t *bytes, const struct sc_access *a)
{
	memset(bytes, 0, SPACE);
	for (uint64_t row = 0; row < a->rows; row++)
		memset(bytes + a->base + row * a->pitch, 1, a->width);
}

static bool overlap(const uint8_t *a, const uint8_t *b)
{
	for (unsigned i = 0; i < SPACE; i++)
		if (a[i] && b[i])
			return 1;
	return 0;
}

/* Two kernels of which only pointers are known count if they have the same pointer. */
static bool is_compared(const struct naive_touch *a, const struct naive_touch *b)
{
	return !a->parameter || !b->parameter || a->parameter == b->parameter;
}

static void compare(struct world *w, const struct naive_touch *new)
{
	bool races = 0;

	for (size_t i = 0; i < w->all.count; i++)
		races |= sc_touch_conflicts(&w->all.items[i]->touch, &new->touch) &&
			 is_compared(w->all.items[i], new) &&
			 overlap(w->all.items[i]->bytes, new->bytes);
	assert_int_equal(w->found.count > 0, races);
	w->races += races;
	for (size_t i = 0; i < w->found.count; i++) {
		const struct sc_conflict *c = &w->found.items[i];
		bool is_real = 0;

		for (size_t j = 0; j < w->all.count; j++) {
			const struct naive_touch *t = w->all.items[j];

			if (t->touch.note == c->earlier.note)
				is_real |= is_compared(t, new) && overlap(t->bytes, new->bytes) &&
					   new->bytes[c->first] && t->bytes[c->first];
		}
		assert_true(is_real);
	}
}

/* Where the bytes are, where they were, or where other bytes are. */
static struct sc_span *hint(struct world *w, const struct sc_access *shape)
{
	struct sc_span *here = sc_span_recall(&w->notes, shape->base, shape->base + shape->width);
	struct sc_span **other = &w->hints[pick(w, HINTS)], *hint = pick(w, 2) ? here : *other;

	if (here)
		*other = here;
	return hint;
}

static void touch(struct world *w)
{
	bool is_host = !pick(w, 5);
	struct sc_op op = {.kind = is_host ? SC_OP_HOST_READ : SC_OP_KERNEL,
			   .stream = is_host ? 0 : 1 + pick(w, STREAMS),
			   .stack = w->notes.keeps_sites ? 1 + pick(w, 3) : 0};
	struct sc_step step = do_op(w, op);
	bool is_piece = w->has_pieces && !is_host && !pick(w, 3);
	struct sc_access shape = is_piece ? random_piece(w) : random_shape(w);
	struct naive_touch *t = calloc(1, sizeof(*t));

	t->touch = sc_touch_of(
		sc_note_new(&w->notes, &op, w->sequence - 1, is_host ? &step.host : &step.when), 0,
		&shape);
	t->parameter = is_piece ? sc_shape_parameter(&shape) : 0;
	paint(t->bytes, &shape);
	if (pick(w, 2)) {
		sc_history_use(&w->history, &w->past, &t->touch, &shape, hint(w, &shape),
			       &w->found);
	} else {
		sc_history_check(&w->history, &w->past, &t->touch, &shape, &w->found);
		sc_history_add(&w->history, &w->past, &t->touch, &shape);
	}
	compare(w, t);
	sc_conflicts_clear(&w->found, &w->notes);
	sc_vector_push(&w->all, t);
}

static void act(struct world *w)
{
	uint32_t stream = 1 + pick(w, STREAMS), event = 1 + pick(w, EVENTS);

	switch (pick(w, 8)) {
	case 0:
		do_op(w, (struct sc_op){SC_OP_EVENT_RECORD, .stream = stream, .object = event});
		break;
	case 1:
		do_op(w, (struct sc_op){SC_OP_EVENT_WAIT, .stream = stream, .object = event});
		break;
	case 2: do_op(w, (struct sc_op){SC_OP_STREAM_SYNC, .stream = stream}); break;
	case 3:
		if (w->has_callbacks) {
			do_op(w, (struct sc_op){SC_OP_HOST_FUNC, .stream = stream});
			break;
		}
		/* fall through */
	default: touch(w);
	}
}

static unsigned run_world(uint64_t seed)
{
	struct world w = {.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1,
			  .has_tiles = seed % 2,
			  .has_pieces = seed % 3 == 0,
			  .has_callbacks = seed % 5 == 0,
			  .notes.keeps_sites = seed % 7 == 0};

	sc_order_init(&w.order, &(struct sc_analysis_settings){.profile = SC_REFERENCE});
	w.notes.pool = &w.order.pool;
	w.past = (struct sc_past){&w.order, &w.notes};
	for (unsigned i = 0; i < OPS; i++)
		act(&w);
	for (size_t i = 0; i < w.all.count; i++) {
		sc_note_put(&w.notes, w.all.items[i]->touch.note);
		free(w.all.items[i]);
	}
	sc_vector_fini(&w.all);
	sc_vector_fini(&w.found);
	sc_history_fini(&w.history, &w.notes);
	sc_notes_fini(&w.notes);
	sc_order_fini(&w.order);
	return w.races;
}

TEST(against_list)
{
	unsigned races = 0;

	for (uint64_t seed = 1; seed <= 1500; seed++)
		races += run_world(seed);
	assert_true(races > 1000);
}

/* One stream writes one buffer again and again: the history stays one touch. */
TEST(stays_small)
{
	struct world w = {.random = 1};
	struct sc_access shape = sc_shape_linear(0, 64, SC_WRITE, SC_KNOWN_EXACT);

	sc_order_init(&w.order, &(struct sc_analysis_settings){.profile = SC_REFERENCE});
	w.notes.pool = &w.order.pool;
	w.past = (struct sc_past){&w.order, &w.notes};
	for (unsigned i = 0; i < 1000; i++) {
		struct sc_op op = {.kind = SC_OP_KERNEL, .stream = 1};
		struct sc_step step = do_op(&w, op);
		struct sc_touch t =
			sc_touch_of(sc_note_new(&w.notes, &op, i, &step.when), 0, &shape);

		sc_history_add(&w.history, &w.past, &t, &shape);
		sc_note_put(&w.notes, t.note);
	}
	assert_int_equal(w.history.spans.count, 1);
	assert_null(w.history.extra);
	sc_history_fini(&w.history, &w.notes);
	sc_notes_fini(&w.notes);
	sc_order_fini(&w.order);
}

/* A history that one stream's kernels touch, one after the other. */
static void begin_world(struct world *w)
{
	*w = (struct world){.random = 1};
	sc_order_init(&w->order, &(struct sc_analysis_settings){.profile = SC_REFERENCE});
	w->notes.pool = &w->order.pool;
	w->past = (struct sc_past){&w->order, &w->notes};
}

static void end_world(struct world *w)
{
	sc_vector_fini(&w->found);
	sc_history_fini(&w->history, &w->notes);
	sc_notes_fini(&w->notes);
	sc_order_fini(&w->order);
}

static void touch_by(struct world *w, uint32_t stream, const struct sc_access *shape)
{
	struct sc_op op = {.kind = SC_OP_KERNEL, .stream = stream};
	struct sc_step step = do_op(w, op);
	struct sc_touch t =
		sc_touch_of(sc_note_new(&w->notes, &op, w->sequence - 1, &step.when), 0, shape);

	sc_history_use(&w->history, &w->past, &t, shape, NULL, &w->found);
	sc_note_put(&w->notes, t.note);
}

/* Of a watched history only what meets changed bytes has to be looked at again. */
TEST(changes_are_known_by_their_bytes)
{
	struct world w;
	struct sc_access shape = sc_shape_linear(64, 64, SC_WRITE, SC_KNOWN_EXACT);
	uint64_t seen;

	begin_world(&w);
	touch_by(&w, 1, &shape);
	assert_int_equal(sc_history_changes(&w.history), 0);
	sc_history_watch(&w.history);
	seen = sc_history_changes(&w.history);
	assert_false(sc_history_is_changed(&w.history, seen, 64, 128));
	touch_by(&w, 1, &shape);
	assert_true(sc_history_is_changed(&w.history, seen, 127, 128));
	assert_false(sc_history_is_changed(&w.history, seen, 128, 256));
	assert_false(sc_history_is_changed(&w.history, seen, 0, 64));
	for (unsigned i = 0; i < SC_HISTORY_RECENT; i++)
		touch_by(&w, 1, &shape);
	assert_true(sc_history_is_changed(&w.history, seen, 128, 256)); /* too many to say */
	end_world(&w);
}

static size_t races_of(struct world *w, const struct sc_access *shape)
{
	size_t count;

	touch_by(w, 2, shape);
	count = w->found.count;
	sc_conflicts_clear(&w->found, &w->notes);
	return count;
}

/* What is erased races with nothing any more, rows as a whole only. */
TEST(erased_bytes)
{
	struct world w;
	struct sc_access shape = sc_shape_linear(0, 64, SC_WRITE, SC_KNOWN_EXACT);
	struct sc_access rows = {
		.base = 128, .width = 8, .rows = 4, .pitch = 32, .slices = 1, .mode = SC_WRITE};

	begin_world(&w);
	touch_by(&w, 1, &shape);
	touch_by(&w, 1, &rows);
	sc_history_erase(&w.history, &w.past, 0, 32);
	sc_history_erase(&w.history, &w.past, 128, 160);
	shape.width = 32;
	assert_int_equal(races_of(&w, &shape), 0);
	shape.base = 32;
	assert_int_equal(races_of(&w, &shape), 1);
	assert_int_equal(races_of(&w, &rows), 1);
	sc_history_erase(&w.history, &w.past, 0, 256);
	assert_int_equal(w.history.extra->strided.count, 0);
	assert_int_equal(w.history.spans.count, 0);
	end_world(&w);
}

/* So it does after a callback that has not returned. */
TEST(stays_small_after_a_callback)
{
	struct world w = {.random = 1};
	struct sc_access shape = sc_shape_linear(0, 64, SC_WRITE, SC_KNOWN_EXACT);
	const struct sc_span *s;

	sc_order_init(&w.order, &(struct sc_analysis_settings){.profile = SC_REFERENCE});
	w.notes.pool = &w.order.pool;
	w.past = (struct sc_past){&w.order, &w.notes};
	do_op(&w, (struct sc_op){.kind = SC_OP_HOST_FUNC, .stream = 1});
	for (unsigned i = 0; i < 100; i++) {
		struct sc_op op = {.kind = SC_OP_KERNEL, .stream = 1};
		struct sc_step step = do_op(&w, op);
		struct sc_touch t =
			sc_touch_of(sc_note_new(&w.notes, &op, i, &step.when), 0, &shape);

		sc_history_use(&w.history, &w.past, &t, &shape, NULL, &w.found);
		sc_note_put(&w.notes, t.note);
	}
	s = sc_span_exact(&w.history.spans, &w.notes, 0, 64);
	assert_non_null(s);
	assert_int_equal(s->count, 1);
	assert_int_equal(w.found.count, 0);
	sc_history_fini(&w.history, &w.notes);
	sc_notes_fini(&w.notes);
	sc_order_fini(&w.order);
}

/* What is found without a search is neither freed, nor cut, nor another object's. */
TEST(recent_spans_are_valid)
{
	struct sc_notes notes = {0};
	struct sc_ranges a = {0}, b = {0};
	struct sc_note *n = sc_note_new(&notes, &(struct sc_op){0}, 0, &(struct sc_interval){0});
	struct sc_access shape = sc_shape_linear(0, 64, SC_WRITE, SC_KNOWN_EXACT);
	struct sc_touch t = sc_touch_of(n, 0, &shape);
	struct sc_span *s;

	sc_span_new(&a, &notes, 0, 64, &t);
	s = sc_span_exact(&a, &notes, 0, 64);
	assert_non_null(s);
	assert_ptr_equal(sc_span_recall(&notes, 0, 64), s);
	assert_null(sc_span_exact(&b, &notes, 0, 64));
	sc_span_cut(&a, &notes, 32);
	assert_null(sc_span_recall(&notes, 0, 64));
	assert_ptr_equal(sc_span_exact(&a, &notes, 0, 32), s);
	sc_span_free(&notes, s);
	assert_null(sc_span_recall(&notes, 0, 32));
	sc_span_new(&b, &notes, 0, 32, &t);
	assert_ptr_equal(sc_span_exact(&b, &notes, 0, 32)->owner, &b);
	assert_null(sc_span_exact(&a, &notes, 0, 32));
	sc_spans_fini(&a, &notes);
	sc_spans_fini(&b, &notes);
	assert_int_equal(n->refs, 1);
	sc_notes_fini(&notes);
}

/* With more spans than the index has room for, all are found. */
TEST(more_spans_than_the_index)
{
	struct sc_notes notes = {0};
	struct sc_ranges all = {0};
	struct sc_note *n = sc_note_new(&notes, &(struct sc_op){0}, 0, &(struct sc_interval){0});
	struct sc_access shape = sc_shape_linear(0, 64, SC_READ, SC_KNOWN_EXACT);
	struct sc_touch t = sc_touch_of(n, 0, &shape);
	uint64_t count = (1 << SC_SPAN_INDEX_LOG) + 1000;

	for (uint64_t at = 0; at < count * 64; at += 64)
		sc_span_new(&all, &notes, at, at + 64, &t);
	for (uint64_t at = 0; at < count * 64; at += 64)
		assert_int_equal(sc_span_exact(&all, &notes, at, at + 64)->range.start, at);
	for (uint64_t at = 0; at < 2000 * 64; at += 64)
		sc_span_free(&notes, sc_span_exact(&all, &notes, at, at + 64));
	for (uint64_t at = 0; at < count * 64; at += 64)
		assert_int_equal(sc_span_exact(&all, &notes, at, at + 64) != NULL, at >= 2000 * 64);
	sc_spans_fini(&all, &notes);
	assert_int_equal(n->refs, 1);
	sc_notes_fini(&notes);
}

/* Many readers of one span do not fit into it. */
TEST(span_grows)
{
	struct sc_notes notes = {0};
	struct sc_ranges all = {0};
	struct sc_note *n = sc_note_new(&notes, &(struct sc_op){0}, 0, &(struct sc_interval){0});
	struct sc_access shape = sc_shape_linear(0, 64, SC_READ, SC_KNOWN_EXACT);
	struct sc_touch t = sc_touch_of(n, 0, &shape);
	struct sc_span *s;

	sc_span_new(&all, &notes, 0, 64, &t);
	s = sc_span_exact(&all, &notes, 0, 64);
	for (uint32_t i = 1; i < 100; i++) {
		t.lane = i;
		sc_span_push(s, &t);
	}
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(sc_span_touches(s)[i].lane, i);
	assert_int_equal(n->refs, 101);
	sc_spans_fini(&all, &notes);
	assert_int_equal(n->refs, 1);
	sc_notes_fini(&notes);
}
