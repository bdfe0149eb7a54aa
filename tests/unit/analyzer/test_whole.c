/* Wholes against their naive form: an array in the order in which the touches came. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/memory/whole.h"
#include "base/vector.h"

#define STREAMS 3
#define EVENTS	2
#define OPS	700

struct naive_whole {
	struct sc_touch touch;
	uint64_t parameter;
};

struct world {
	struct sc_order order;
	struct sc_notes notes;
	struct sc_past past;
	struct sc_wholes wholes;
	SC_VECTOR(struct naive_whole) all;
	uint32_t streams, pointers; /* so many different ones */
	uint64_t forgotten;
	size_t most; /* touches at once */
	uint64_t random, sequence;
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

static bool is_replaced(const struct world *w, const struct naive_whole *old,
			const struct sc_touch *new, uint64_t parameter)
{
	return sc_past_is(&w->past, &old->touch) ||
	       (old->parameter == parameter && new->first <= old->touch.first &&
		old->touch.end <= new->end &&sc_past_replaces(&w->past, new, &old->touch));
}

static void add_naively(struct world *w, const struct sc_touch *new, uint64_t parameter)
{
	size_t kept = 0, half = SC_WHOLE_MAX / 2;

	for (size_t i = 0; i < w->all.count; i++) {
		if (is_replaced(w, &w->all.items[i], new, parameter))
			sc_note_put(&w->notes, w->all.items[i].touch.note);
		else
			w->all.items[kept++] = w->all.items[i];
	}
	w->all.count = kept;
	if (kept == SC_WHOLE_MAX) {
		for (size_t i = 0; i < half; i++)
			sc_note_put(&w->notes, w->all.items[i].touch.note);
		w->all.count = half;
		memmove(w->all.items, w->all.items + half, half * sizeof(*w->all.items));
		w->forgotten += half;
	}
	sc_vector_push(&w->all, ((struct naive_whole){sc_touch_get(new), parameter}));
}

static void compare(const struct world *w)
{
	const struct sc_whole *one = sc_wholes_first(&w->wholes);

	assert_int_equal(w->wholes.count, w->all.count);
	for (size_t i = 0; i < w->all.count; i++, one = sc_wholes_next(&w->wholes, one)) {
		assert_non_null(one);
		assert_ptr_equal(one->touch.note, w->all.items[i].touch.note);
		assert_int_equal(one->parameter, w->all.items[i].parameter);
		assert_int_equal(one->touch.first, w->all.items[i].touch.first);
	}
	assert_null(one);
	assert_int_equal(w->notes.forgotten_possible, w->forgotten);
}

/* One pointer of a kernel. Some are of a piece, whose bounds may have changed since it was touched
 * last. */
static void add(struct world *w, struct sc_note *note)
{
	bool is_piece = !pick(w, 4);
	struct sc_access shape = sc_shape_linear(is_piece ? 64 * pick(w, 2) : 0, 4096,
						 SC_READ_WRITE, SC_KNOWN_PARAMETER);
	struct sc_touch t;

	shape.pitch = 8 + 16 * pick(w, w->pointers);
	shape.slice_pitch = is_piece;
	shape.mode = pick(w, 4) ? SC_READ_WRITE : SC_READ;
	t = sc_touch_of(note, 0, &shape);
	sc_wholes_add(&w->wholes, &w->past, &t, &shape);
	add_naively(w, &t, shape.pitch);
	w->most = w->all.count > w->most ? w->all.count : w->most;
	compare(w);
}

static void launch(struct world *w)
{
	struct sc_op op = {.kind = SC_OP_KERNEL, .stream = 1 + pick(w, w->streams)};
	struct sc_step step = do_op(w, op);
	struct sc_note *note = sc_note_new(&w->notes, &op, w->sequence - 1, &step.when);

	for (uint32_t i = pick(w, 4); i < 4; i++)
		add(w, note);
	sc_note_put(&w->notes, note);
}

static void act(struct world *w)
{
	uint32_t stream = 1 + pick(w, w->streams), event = 1 + pick(w, EVENTS);

	switch (pick(w, 200)) {
	case 0: do_op(w, (struct sc_op){SC_OP_STREAM_SYNC, .stream = stream}); break;
	case 1:
	case 2:
		do_op(w, (struct sc_op){SC_OP_EVENT_RECORD, .stream = stream, .object = event});
		break;
	case 3:
	case 4:
		do_op(w, (struct sc_op){SC_OP_EVENT_WAIT, .stream = stream, .object = event});
		break;
	default: launch(w);
	}
}

/* Runs a random program; how many touches there were at once, at most. */
static size_t run_world(uint64_t seed, uint32_t streams, uint32_t pointers)
{
	struct world w = {.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1,
			  .streams = streams,
			  .pointers = pointers};

	sc_order_init(&w.order, &(struct sc_analysis_settings){.profile = SC_REFERENCE});
	w.notes.pool = &w.order.pool;
	w.past = (struct sc_past){&w.order, &w.notes};
	for (unsigned i = 0; i < OPS; i++)
		act(&w);
	for (size_t i = 0; i < w.all.count; i++)
		sc_note_put(&w.notes, w.all.items[i].touch.note);
	sc_vector_fini(&w.all);
	sc_wholes_fini(&w.wholes, &w.notes);
	sc_notes_fini(&w.notes);
	sc_order_fini(&w.order);
	return w.most;
}

TEST(one_stream)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		run_world(seed, 1, 30);
}

TEST(several_streams)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		run_world(seed, STREAMS, 30);
}

TEST(more_than_fit)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		assert_int_equal(run_world(seed, 1, 2000), SC_WHOLE_MAX);
		assert_int_equal(run_world(seed, STREAMS, 2000), SC_WHOLE_MAX);
	}
}
