/* Touches of one span against their naive form, which compares each new touch with all. */
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "analyzer/memory/history.h"
#include "base/vector.h"

#define STREAMS 60
#define EVENTS	5

struct world {
	struct sc_order order;
	struct sc_notes notes;
	struct sc_past past;
	struct sc_history history;
	sc_conflicts found;
	SC_VECTOR(struct sc_touch) naive; /* references of their own */
	uint64_t random, sequence;
	size_t races;
};

static uint32_t pick(struct world *w, uint32_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random >> 11) % below);
}

static void begin(struct world *w, bool is_strict)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .strict_hosts = is_strict};

	sc_order_init(&w->order, &settings);
	w->notes.pool = &w->order.pool;
	w->past = (struct sc_past){&w->order, &w->notes};
}

static void end(struct world *w)
{
	for (size_t i = 0; i < w->naive.count; i++)
		sc_note_put(&w->notes, w->naive.items[i].note);
	sc_vector_fini(&w->naive);
	sc_conflicts_clear(&w->found, &w->notes);
	sc_vector_fini(&w->found);
	sc_history_fini(&w->history, &w->notes);
	sc_notes_fini(&w->notes);
	sc_order_fini(&w->order);
}

static struct sc_step do_op(struct world *w, struct sc_op op)
{
	struct sc_record r = {.op = op, .sequence = w->sequence++};
	struct sc_step step;

	r.op.thread = w->order.host.is_strict ? 1 + pick(w, 2) : 1;
	sc_order_step(&w->order, &r, &step);
	return step;
}

/* What an op of the stream, or of the host (0), does to the span; the caller puts its note. */
static struct sc_touch make(struct world *w, uint32_t stream, uint32_t flags,
			    const struct sc_access *shape)
{
	struct sc_op op = {
		.kind = stream ? SC_OP_KERNEL : SC_OP_HOST_READ, .stream = stream, .flags = flags};
	struct sc_step step = do_op(w, op);

	return sc_touch_of(
		sc_note_new(&w->notes, &op, w->sequence - 1, stream ? &step.when : &step.host), 0,
		shape);
}

static void add_naive(struct world *w, const struct sc_touch *new)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->naive.count; i++) {
		struct sc_touch *t = &w->naive.items[i];

		if (sc_past_replaces(&w->past, new, t) || sc_past_is(&w->past, t))
			sc_note_put(&w->notes, t->note);
		else
			w->naive.items[kept++] = *t;
	}
	w->naive.count = kept;
	sc_vector_push(&w->naive, sc_touch_get(new));
}

/* The same conflicts in the same order, each op once. */
static void compare(struct world *w, const struct sc_touch *new)
{
	size_t at = 0;

	for (size_t i = 0; i < w->naive.count; i++) {
		if (!sc_touch_conflicts(&w->naive.items[i], new))
			continue;
		if (at && w->found.items[at - 1].earlier.note == w->naive.items[i].note)
			continue;
		assert_true(at < w->found.count);
		assert_ptr_equal(w->found.items[at++].earlier.note, w->naive.items[i].note);
	}
	assert_int_equal(at, w->found.count);
	w->races += at;
	sc_conflicts_clear(&w->found, &w->notes);
}

/* Some touch: mostly reads, some of them twice; the writes often only looked at. */
static void touch(struct world *w)
{
	uint8_t mode = pick(w, 20) ? SC_READ : pick(w, 2) ? SC_WRITE : SC_ATOMIC;
	uint8_t known = pick(w, 4) ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
	struct sc_access shape = sc_shape_linear(0, 64, mode, known);
	uint32_t flags = pick(w, 8) ? 0 : SC_FLAG_LIBRARY;
	struct sc_touch t = make(w, pick(w, 40) ? 1 + pick(w, STREAMS) : 0, flags, &shape);

	sc_history_check(&w->history, &w->past, &t, &shape, &w->found);
	compare(w, &t);
	for (uint32_t i = mode == SC_READ ? 1 + pick(w, 4) / 3 : pick(w, 4) / 3; i > 0; i--) {
		sc_history_add(&w->history, &w->past, &t, &shape);
		add_naive(w, &t);
	}
	sc_note_put(&w->notes, t.note);
}

static void act(struct world *w, bool has_callbacks)
{
	uint32_t stream = 1 + pick(w, STREAMS), event = 1 + pick(w, EVENTS);

	switch (pick(w, 16)) {
	case 0:
		do_op(w, (struct sc_op){SC_OP_EVENT_RECORD, .stream = stream, .object = event});
		break;
	case 1:
	case 2:
		do_op(w, (struct sc_op){SC_OP_EVENT_WAIT, .stream = stream, .object = event});
		break;
	case 3:
		if (!pick(w, 3))
			do_op(w, (struct sc_op){SC_OP_STREAM_SYNC, .stream = stream});
		break;
	case 4:
		if (has_callbacks && !pick(w, 10))
			do_op(w, (struct sc_op){SC_OP_HOST_FUNC, .stream = stream});
		break;
	default: touch(w);
	}
}

TEST(against_naive)
{
	size_t races = 0;

	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct world w = {.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};

		begin(&w, seed % 3 == 0);
		for (unsigned i = 0; i < 600; i++)
			act(&w, seed % 4 == 0);
		races += w.races;
		end(&w);
	}
	assert_true(races > 10000);
}

/* Every one of so many streams reads the same bytes, three times, then another one writes; how many
 * touches were looked at. */
static uint64_t count_compared(uint32_t streams, uint64_t width)
{
	struct world w = {.random = 1};
	struct sc_access first = sc_shape_linear(0, 32, SC_READ, SC_KNOWN_EXACT);
	struct sc_access read = sc_shape_linear(0, width, SC_READ, SC_KNOWN_EXACT);
	struct sc_access write = sc_shape_linear(0, width, SC_WRITE, SC_KNOWN_EXACT);
	uint64_t compared;
	struct sc_touch t;

	begin(&w, 0);
	for (uint32_t i = 0; i < 3 * streams; i++) {
		struct sc_access *shape = i ? &read : &first;

		t = make(&w, 1 + i % streams, 0, shape);
		sc_history_use(&w.history, &w.past, &t, shape, NULL, &w.found);
		sc_note_put(&w.notes, t.note);
	}
	assert_int_equal(w.found.count, 0);
	t = make(&w, 1 + streams, 0, &write);
	sc_history_use(&w.history, &w.past, &t, &write, NULL, &w.found);
	sc_note_put(&w.notes, t.note);
	assert_int_equal(w.found.count, streams);
	compared = w.notes.compared;
	end(&w);
	return compared;
}

TEST(cost_of_readers_is_linear)
{
	assert_true(count_compared(2000, 32) < 2000 * 20);
	assert_true(count_compared(20000, 32) < 20000 * 20);
}

/* The same if the bytes are not one span, so that all spans of them are looked at. */
TEST(cost_of_readers_of_two_spans_is_linear)
{
	assert_true(count_compared(2000, 64) < 2000 * 40);
	assert_true(count_compared(20000, 64) < 20000 * 40);
}

/* A span that is cut while reads are put off. */
TEST(cut)
{
	struct world w = {.random = 1};
	struct sc_access all = sc_shape_linear(0, 64, SC_READ, SC_KNOWN_EXACT);
	struct sc_access high = sc_shape_linear(32, 32, SC_WRITE, SC_KNOWN_EXACT);
	struct sc_touch t;

	begin(&w, 0);
	for (uint32_t i = 0; i < 200; i++) {
		t = make(&w, 1 + i % 50, 0, &all);
		sc_history_use(&w.history, &w.past, &t, &all, NULL, &w.found);
		sc_note_put(&w.notes, t.note);
	}
	for (uint32_t i = 0; i < 2; i++) {
		t = make(&w, 60 + i, 0, &high);
		sc_history_use(&w.history, &w.past, &t, &high, NULL, &w.found);
		sc_note_put(&w.notes, t.note);
		assert_int_equal(w.found.count, 50 + i);
		sc_conflicts_clear(&w.found, &w.notes);
	}
	assert_int_equal(w.history.spans.count, 2);
	end(&w);
}
