/* Conflicts: each op once, and each lane once at the end of memory, however many there are. */
#include "tests/unit/unit.h"
#include "analyzer/memory/conflicts.h"
#include "base/vector.h"

#define MANY 3000

static struct sc_note *note_of(struct sc_notes *notes, uint64_t sequence, uint32_t lane)
{
	struct sc_interval when = {.lane = lane, .position = sequence + 1};

	return sc_note_new(notes, &(struct sc_op){0}, sequence, &when);
}

static void fini(sc_conflicts *list, struct sc_notes *notes)
{
	sc_conflicts_clear(list, notes);
	assert_int_equal(list->count, 0);
	sc_vector_fini(list);
	sc_notes_fini(notes);
}

/* The bytes of an op that is met again are added to its entry, and entries stay in order. */
TEST(op_is_there_once)
{
	struct sc_access shape = sc_shape_linear(0, 64, SC_READ, SC_KNOWN_EXACT);
	struct sc_clock_pool pool = {0};
	struct sc_notes notes = {.pool = &pool};
	sc_conflicts list = {0};

	for (uint64_t i = 0; i < MANY; i++) {
		struct sc_note *n = note_of(&notes, i / 2, 7);
		struct sc_touch t = sc_touch_of(n, 0, &shape);

		sc_conflicts_add(&list, &t, 100 + i, 200 + i, i % 2);
		sc_note_put(&notes, n);
	}
	assert_int_equal(list.count, MANY / 2);
	for (uint64_t i = 0; i < MANY / 2; i++) {
		const struct sc_conflict *c = &list.items[i];

		assert_int_equal(c->earlier.note->sequence, i);
		assert_int_equal(c->first, 100 + 2 * i);
		assert_int_equal(c->end, 201 + 2 * i);
		assert_true(c->is_sure);
	}
	fini(&list, &notes);
}

/* Nodes, modes and what is less sure have entries of their own. */
TEST(other_touches_of_an_op)
{
	struct sc_access shape = sc_shape_linear(0, 64, SC_READ, SC_KNOWN_EXACT);
	struct sc_clock_pool pool = {0};
	struct sc_notes notes = {.pool = &pool};
	sc_conflicts list = {0};
	struct sc_note *n = note_of(&notes, 5, 7);
	struct sc_touch t = sc_touch_of(n, 0, &shape);

	for (unsigned i = 0; i < 2 * MANY; i++) {
		t.node = i % MANY / 4;
		t.mode = i & 1 ? SC_READ : SC_WRITE;
		t.known = i & 2 ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
		sc_conflicts_add(&list, &t, 0, 64, 1);
	}
	assert_int_equal(list.count, MANY);
	sc_note_put(&notes, n);
	fini(&list, &notes);
}

TEST(best_of_each_lane)
{
	struct sc_access shape = sc_shape_linear(0, 64, SC_READ, SC_KNOWN_EXACT);
	struct sc_clock_pool pool = {0};
	struct sc_notes notes = {.pool = &pool};
	sc_conflicts list = {0};
	struct sc_note *all[3 * MANY];

	for (uint32_t i = 0; i < 3 * MANY; i++) {
		struct sc_touch t;

		all[i] = note_of(&notes, i, i % MANY);
		t = sc_touch_of(all[i], 0, &shape);
		t.known = i < 2 * MANY ? SC_KNOWN_EXACT : SC_KNOWN_OVER;
		sc_conflicts_keep_best(&list, &t);
	}
	assert_int_equal(list.count, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(list.items[i].earlier.note->sequence, MANY + i);
	for (uint32_t i = 0; i < 3 * MANY; i++)
		sc_note_put(&notes, all[i]);
	fini(&list, &notes);
}
