/* Courses against their naive form: a copy of what each op came after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "analyzer/memory/notes.h"
#include "analyzer/memory/touch.h"
#include "tests/unit/pick.h"

#define LANES	6
#define TOUCHES 40
#define BLOCK	(1 << SC_COURSE_BLOCK_LOG)

/* What is told of a touch that is kept. */
struct kept {
	struct sc_brief brief; /* of stream 0: none */
	uint32_t start[LANES];
	uint32_t context;
};

struct world {
	struct sc_clock_pool pool;
	struct sc_notes notes;
	struct sc_context contexts[2];
	struct sc_stream streams[LANES];
	struct sc_clock *host;
	uint32_t position;
	struct kept kept[TOUCHES];
};

static void begin(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->notes.pool = &w->pool;
	w->position = 1;
	for (uint32_t i = 0; i < LANES; i++) {
		w->contexts[i % 2].id = 1 + i % 2;
		w->streams[i].context = &w->contexts[i % 2];
		w->streams[i].id = i + 1;
		w->streams[i].tail.lane = i;
		w->streams[i].flags = i % 3 ? SC_FLAG_NON_BLOCKING : 0;
	}
}

static void drop(struct world *w, struct kept *k)
{
	if (k->brief.position)
		sc_course_put(&w->notes.courses, &w->pool, &k->brief);
	memset(k, 0, sizeof(*k));
}

static void end(struct world *w)
{
	for (unsigned i = 0; i < TOUCHES; i++)
		drop(w, &w->kept[i]);
	for (unsigned i = 0; i < LANES; i++)
		sc_clock_put(&w->pool, w->streams[i].tail.base);
	sc_clock_put(&w->pool, w->host);
	sc_notes_fini(&w->notes);
	sc_clock_pool_fini(&w->pool);
}

/* The stream's op at the world's position leaves a touch, in the place of an older one. */
static void leave(struct world *w, const struct sc_stream *s, struct kept *k)
{
	uint32_t number = sc_course_add(&w->notes.courses, &w->pool, s, w->host, w->position);

	drop(w, k);
	k->brief = (struct sc_brief){.lane = s->tail.lane,
				     .position = w->position,
				     .mode = SC_WRITE,
				     .of = sc_brief_of(number, SC_OP_COPY)};
	sc_course_get(&w->notes.courses, &k->brief);
	k->context = s->context->id;
	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t own = sc_clock_at(s->tail.base, i), host = sc_clock_at(w->host, i);

		k->start[i] = (uint32_t)(own > host ? own : host);
	}
}

static void check(struct world *w, const struct kept *k)
{
	struct sc_note *n;

	if (!k->brief.position)
		return;
	n = sc_course_note(&w->notes, &k->brief);
	for (uint32_t i = 0; i < LANES; i++)
		assert_int_equal(sc_clock_at(n->when.start, i), k->start[i]);
	assert_int_equal(n->when.lane, k->brief.lane);
	assert_int_equal(n->when.position, k->brief.position);
	assert_int_equal(n->sequence, k->brief.position - 1);
	assert_int_equal(n->context, k->context);
	assert_int_equal(n->kind, SC_OP_COPY);
	assert_int_equal(n->is_nonblocking, k->brief.lane % 3 != 0);
	sc_note_put(&w->notes, n);
}

/* Streams wait for each other, the host for streams, and ops leave touches. */
static void change(struct world *w)
{
	w->position += 1 + pick(pick(50) ? 3 : BLOCK);
	switch (pick(8)) {
	case 0:
		sc_clock_raise(&w->pool, &w->streams[pick(LANES)].tail.base, pick(LANES),
			       w->position);
		break;
	case 1:
		sc_clock_raise(&w->pool, &w->host, pick(LANES), w->position);
		sc_clock_publish(&w->pool, &w->host);
		break;
	case 2: drop(w, &w->kept[pick(TOUCHES)]); break;
	case 3: check(w, &w->kept[pick(TOUCHES)]); break;
	default: leave(w, &w->streams[pick(LANES)], &w->kept[pick(TOUCHES)]); break;
	}
}

static void test_against_copies(void **unused)
{
	struct world w;

	(void)unused;
	begin(&w);
	for (unsigned i = 0; i < 200000; i++)
		change(&w);
	for (unsigned i = 0; i < TOUCHES; i++)
		check(&w, &w.kept[i]);
	end(&w);
}

/* What no touch is in goes, however long the run is. */
static void test_stays_small(void **unused)
{
	struct world w;

	(void)unused;
	begin(&w);
	for (unsigned i = 0; i < 100000; i++)
		change(&w);
	assert_in_range(w.notes.courses.refs.count, 1, 2 * (TOUCHES + LANES));
	assert_in_range(w.notes.courses.known.count, 1, 4 * TOUCHES + 32);
	end(&w);
}

/* A lane that another stream has now tells of its own ops. */
static void test_a_lane_is_used_again(void **unused)
{
	struct world w;

	(void)unused;
	begin(&w);
	w.streams[1].tail.lane = 0;
	for (unsigned i = 0; i < 2; i++, w.position++)
		leave(&w, &w.streams[i], &w.kept[i]);
	for (unsigned i = 0; i < 2; i++) {
		struct sc_note *n = sc_course_note(&w.notes, &w.kept[i].brief);

		assert_int_equal(n->context, w.kept[i].context);
		assert_int_equal(n->is_nonblocking, i);
		sc_note_put(&w.notes, n);
	}
	end(&w);
}

/* What a brief touch is packed of. */
static void test_brief_and_full(void **unused)
{
	struct sc_touch t = {.lane = 7,
			     .position = UINT32_MAX,
			     .mode = SC_ATOMIC,
			     .known = SC_KNOWN_OVER,
			     .traits = SC_TRAIT_LIBRARY,
			     .how = SC_HOW_FILE,
			     .reason = SC_REASONS - 1,
			     .kind = SC_OP_KINDS - 1};
	struct sc_brief b = sc_touch_brief(&t);
	struct sc_touch again = sc_touch_full(&b, NULL, 0, 0);

	(void)unused;
	assert_memory_equal(&again, &t, sizeof(t));
	b.of = sc_brief_of(SC_STRETCH_NONE - 1, SC_OP_KINDS - 1);
	assert_int_equal(sc_brief_stretch(&b), SC_STRETCH_NONE - 1);
	assert_int_equal(sc_brief_kind(&b), SC_OP_KINDS - 1);
	assert_int_equal(sizeof(b), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_copies),
		cmocka_unit_test(test_stays_small),
		cmocka_unit_test(test_a_lane_is_used_again),
		cmocka_unit_test(test_brief_and_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
