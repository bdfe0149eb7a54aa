/* Launches that are counted: stretches between anchors, joined to records in any order. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "interposer/cupti/tally.h"
#include "interposer/core/thread.h"
#include "tests/unit/trace_fixture.h"

/* A CUPTI that numbers calls, and tells a number when it is asked. */
struct world {
	struct sc_launch_tally tally;
	uint32_t number;       /* of the last call */
	bool is_silent, tells; /* of launches */
	bool shares;	       /* calls inside a launch have its number */
	unsigned given_up;
	uint64_t link; /* of the last launch */
	char path[64];
};

static void ask(void *data)
{
	struct world *w = data;

	w->number += !w->shares;
	if (!w->is_silent)
		sc_tally_anchor(&w->tally, w->number);
}

static void tell(void *data, bool which)
{
	struct world *w = data;

	w->tells = which;
	w->given_up += which;
}

static uint32_t launch(struct world *w, uint32_t grid);

static struct world *make_silent_world(uint32_t number, bool is_silent)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->number = number - 1;
	w->link = 99;
	w->tells = true;
	w->is_silent = is_silent;
	assert_true(sc_tally_init(&w->tally, (struct sc_tally_calls){ask, tell, w}));
	open_trace(w->path, "test_cupti_tally", 1 << 22);
	launch(w, 1); /* the first one is told */
	return w;
}

static struct world *make_world(uint32_t number)
{
	return make_silent_world(number, false);
}

/* A launch in a grid of that size. Its number. */
static uint32_t launch(struct world *w, uint32_t grid)
{
	const uint32_t shape[3] = {grid, 1, 1};

	sc_tally_expect(&w->tally);
	w->number++;
	if (w->tells && !w->is_silent) {
		sc_self.is_told = true;
		sc_tally_anchor(&w->tally, w->number);
	}
	sc_tally_launched(&w->tally, ++w->link, sc_tally_shape(shape, shape));
	return w->number;
}

static bool record(struct world *w, uint32_t number, uint32_t grid)
{
	const uint32_t shape[3] = {grid, 1, 1};
	struct sc_tally_record r = {.start_ns = number,
				    .length_ns = 5,
				    .number = number,
				    .shape = sc_tally_shape(shape, shape),
				    .has_ended = true};

	return sc_tally_take(&w->tally, &r);
}

/* Launch after launch until the stretch is closed; the number of the first. */
static uint32_t launch_stretch(struct world *w)
{
	uint32_t first = launch(w, 1);

	for (unsigned i = 1; i < SC_STRETCH; i++)
		launch(w, 1);
	return first;
}

/* Ends the world; the link of each time that was written, by start, in `links`. */
static unsigned end(struct world *w, uint64_t links[], unsigned most)
{
	struct sc_reader *reader = close_trace(w->path);
	struct sc_record r;
	unsigned count = 0;

	while (sc_reader_next(reader, &r)) {
		assert_int_equal(r.op.kind, SC_OP_DEVICE_TIME);
		assert_true(r.op.time_ns < most);
		links[r.op.time_ns] = r.op.link;
		count++;
	}
	sc_reader_free(reader);
	free(w);
	return count;
}

static void test_records_in_any_order_find_their_launches(void **state)
{
	struct world *w = make_world(0);
	uint64_t links[64] = {0};
	uint32_t number[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		number[i] = launch(w, i + 1);
		w->number += i; /* calls of other threads */
	}
	assert_true(record(w, number[2], 3));
	assert_true(record(w, number[0], 1));
	assert_true(record(w, number[3], 4));
	assert_true(record(w, number[1], 2));
	assert_int_equal(sc_tally_settle(&w->tally, false), 0);
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(w->given_up, 0);
	assert_int_equal(end(w, links, 64), 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(links[number[i]], 101 + i);
}

static void settle_full_stretch(bool shares)
{
	struct world *w = make_world(0);
	static uint64_t links[1024];
	uint32_t first, next;

	memset(links, 0, sizeof(links));
	w->shares = shares;
	first = launch_stretch(w);
	next = launch(w, 7);
	for (unsigned i = SC_STRETCH; i--;)
		assert_true(record(w, first + i, 1));
	assert_true(record(w, next, 7));
	assert_int_equal(sc_tally_settle(&w->tally, false), 0);
	assert_int_equal(end(w, links, 1024), SC_STRETCH);
	for (unsigned i = 0; i < SC_STRETCH; i++)
		assert_int_equal(links[first + i], 101 + i);
	assert_int_equal(links[next], 0);
}

static void test_a_full_stretch_is_settled_at_once(void **state)
{
	(void)state;
	settle_full_stretch(false);
	settle_full_stretch(true);
}

static void test_numbers_go_around(void **state)
{
	struct world *w = make_world(UINT32_MAX - 3);
	uint32_t number[6];
	uint64_t links[64];

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		number[i] = launch(w, i);
	for (unsigned i = 6; i--;) {
		struct sc_tally_record r = {.start_ns = i,
					    .number = number[i],
					    .shape = (uint16_t)(w->tally.now->launch[i] >> 48),
					    .has_ended = true};

		assert_true(sc_tally_take(&w->tally, &r));
	}
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 64), 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(links[i], 101 + i);
}

/* Nothing is guessed: the times stand there without a launch, and CUPTI is asked from then on. */
static void expect_doubt(struct world *w, unsigned times)
{
	uint64_t links[1024] = {0};

	assert_int_equal(sc_tally_settle(&w->tally, true), times);
	launch(w, 1);
	assert_int_equal(w->given_up, 1);
	assert_int_equal(end(w, links, 1024), times);
	for (unsigned i = 0; i < 1024; i++)
		assert_int_equal(links[i], 0);
}

static void test_a_record_that_is_missing_is_noticed(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1), last;

	(void)state;
	launch(w, 1);
	last = launch(w, 1);
	assert_true(record(w, first, 1));
	assert_true(record(w, last, 1));
	expect_doubt(w, 2);
}

static void test_another_shape_is_noticed(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1), second = launch(w, 2);

	(void)state;
	assert_true(record(w, first, 2));
	assert_true(record(w, second, 1));
	expect_doubt(w, 2);
}

static void test_too_many_records_are_noticed(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1), second = launch(w, 1);

	(void)state;
	w->number += 2; /* launches that no hook saw */
	assert_true(record(w, second + 1, 1));
	assert_true(record(w, second + 2, 1));
	assert_true(record(w, first, 1));
	assert_true(record(w, second, 1));
	expect_doubt(w, 4);
}

/* The program was killed in its last launch. */
static void test_a_launch_that_never_returned(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1);
	uint64_t links[64];

	(void)state;
	sc_tally_expect(&w->tally);
	w->number++;
	assert_true(record(w, w->number, 1));
	assert_true(record(w, first, 1));
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 64), 1);
	assert_int_equal(links[first], 101);
}

static void test_a_kernel_that_has_not_ended_keeps_its_place(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1), second = launch(w, 1);
	const uint32_t shape[3] = {1, 1, 1};
	struct sc_tally_record r = {.number = first, .shape = sc_tally_shape(shape, shape)};
	uint64_t links[64];

	(void)state;
	assert_true(record(w, second, 1));
	assert_true(sc_tally_take(&w->tally, &r));
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 64), 1);
	assert_int_equal(links[second], 102);
}

/* No thrd_create: ThreadSanitizer does not know threads that it makes. */
static void *launch_elsewhere(void *data)
{
	struct world *w = data;

	sc_thread_id();
	sc_tally_expect(&w->tally);
	assert_int_equal(w->given_up, 1);
	sc_self.is_told = true; /* as CUPTI's callback does */
	sc_tally_anchor(&w->tally, ++w->number);
	sc_tally_launched(&w->tally, ++w->link, 0);
	return NULL;
}

static void test_a_second_thread_ends_the_counting(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1);
	uint64_t links[64];
	pthread_t other;

	(void)state;
	assert_int_equal(pthread_create(&other, NULL, launch_elsewhere, w), 0);
	pthread_join(other, NULL);
	assert_false(record(w, 0, 1));
	assert_true(record(w, first, 1));
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 64), 1);
	assert_int_equal(links[first], 101);
}

static void test_a_told_launch_is_not_counted(void **state)
{
	struct world *w = make_world(0);
	uint32_t first = launch(w, 1);
	uint64_t links[64];

	(void)state;
	sc_tally_expect(&w->tally);
	sc_self.is_told = true;
	sc_tally_anchor(&w->tally, ++w->number);
	sc_tally_launched(&w->tally, ++w->link, 0);
	assert_true(record(w, first, 1));
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 64), 1);
}

static void test_a_silent_cupti_is_asked(void **state)
{
	struct world *w = make_world(0);
	uint64_t links[1];

	(void)state;
	w->is_silent = true;
	launch_stretch(w);
	assert_int_equal(w->given_up, 1);
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 1), 0);
	w = make_silent_world(0, true);
	launch(w, 1);
	assert_int_equal(w->given_up, 1);
	assert_int_equal(sc_tally_settle(&w->tally, true), 0);
	assert_int_equal(end(w, links, 1), 0);
}

/* Records that do not come: what is kept is bounded. */
static void test_too_many_launches_end_the_counting(void **state)
{
	struct world *w = make_world(0);
	uint64_t links[1];

	(void)state;
	for (unsigned i = 0; i < SC_STRETCHES + 2; i++)
		launch_stretch(w);
	assert_int_equal(w->given_up, 1);
	sc_tally_settle(&w->tally, true);
	assert_int_equal(end(w, links, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_in_any_order_find_their_launches),
		cmocka_unit_test(test_a_full_stretch_is_settled_at_once),
		cmocka_unit_test(test_numbers_go_around),
		cmocka_unit_test(test_a_record_that_is_missing_is_noticed),
		cmocka_unit_test(test_another_shape_is_noticed),
		cmocka_unit_test(test_too_many_records_are_noticed),
		cmocka_unit_test(test_a_launch_that_never_returned),
		cmocka_unit_test(test_a_kernel_that_has_not_ended_keeps_its_place),
		cmocka_unit_test(test_a_second_thread_ends_the_counting),
		cmocka_unit_test(test_a_told_launch_is_not_counted),
		cmocka_unit_test(test_a_silent_cupti_is_asked),
		cmocka_unit_test(test_too_many_launches_end_the_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
