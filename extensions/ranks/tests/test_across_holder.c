/* Memory that its owner frees while others have it open: what is found, and how sure it is. */
#include "extensions/ranks/tests/sharing_check.h"

static void hand_over(void)
{
	struct sc_across_event *e = add(0, SC_ACROSS_SHARE);

	e->group = MEMORY;
	e->peer = SC_SHARE_GIVEN;
	e = add(1, SC_ACROSS_SHARE);
	e->group = MEMORY;
	e->peer = SC_SHARE_OPENED;
}

static void end_of(unsigned process, enum sc_across_ended how)
{
	struct sc_across_event *e = add(process, SC_ACROSS_ENDED);

	e->tag = MEMORY;
	e->value = how;
}

static void expect_silence(void)
{
	see = NULL;
	run();
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}

/* One finding, of the owner. */
static void expect_one(enum sc_confidence confidence, enum sc_doubt doubt, const char *words)
{
	const struct sc_across_remark *x;

	see = NULL;
	run();
	assert_int_equal(story.remarks.list.count, 1);
	x = &story.remarks.list.items[0];
	assert_int_equal(x->process, 0);
	assert_int_equal(x->remark.rule, 141);
	assert_int_equal(x->remark.confidence, confidence);
	assert_int_equal(x->remark.doubt, doubt);
	assert_non_null(strstr(x->remark.text, words));
	finish();
}

static void open_memory_is_proven(void **state)
{
	(void)state;
	begin(2);
	hand_over();
	end_of(0, SC_ACROSS_ENDED_OWN);
	end_of(1, SC_ACROSS_ENDED_OPENED);
	expect_one(SC_PROVEN, SC_DOUBT_NONE, "rank 1 still has this memory open");
}

/* The message comes from the wrong side: it says nothing of the close. */
static void free_that_says_so_is_proven(void **state)
{
	(void)state;
	begin(2);
	hand_over();
	end_of(0, SC_ACROSS_ENDED_OWN);
	say_so(0, 1);
	end_of(1, SC_ACROSS_ENDED_OPENED);
	expect_one(SC_PROVEN, SC_DOUBT_NONE, "rank 1");
}

static void close_that_says_so_is_silent(void **state)
{
	(void)state;
	begin(2);
	hand_over();
	end_of(1, SC_ACROSS_ENDED_OPENED);
	say_so(1, 0);
	end_of(0, SC_ACROSS_ENDED_OWN);
	expect_silence();
}

static void close_without_order_is_possible(void **state)
{
	(void)state;
	begin(2);
	hand_over();
	end_of(1, SC_ACROSS_ENDED_OPENED);
	end_of(0, SC_ACROSS_ENDED_OWN);
	expect_one(SC_POSSIBLE, SC_DOUBT_CHANNEL, "rank 1 has closed this memory");
}

/* Processes in no group say nothing to each other that could be missing. */
static void close_of_strangers_is_silent(void **state)
{
	(void)state;
	begin(2);
	story.events[0][0].value = story.events[1][0].value = SC_GROUP_PART;
	hand_over();
	end_of(1, SC_ACROSS_ENDED_OPENED);
	end_of(0, SC_ACROSS_ENDED_OWN);
	expect_silence();
}

/* Closed by another way, which is not followed; closed by the end of the process. */
static void other_ends_are_silent(void **state)
{
	(void)state;
	begin(2);
	hand_over();
	end_of(1, SC_ACROSS_ENDED_OTHERWISE);
	end_of(0, SC_ACROSS_ENDED_OWN);
	expect_silence();
	begin(2);
	hand_over();
	add(1, SC_ACROSS_EXIT);
	end_of(0, SC_ACROSS_ENDED_OWN);
	expect_silence();
}

/* Its owner freed it before, and has other memory by that name now. */
static void opened_later_is_silent(void **state)
{
	(void)state;
	begin(2);
	end_of(0, SC_ACROSS_ENDED_OWN);
	hand_over();
	add(1, SC_ACROSS_KNOWN);
	expect_silence();
}

/* What one free has found is not found by the next one again. */
static void each_opening_counts_once(void **state)
{
	(void)state;
	begin(2);
	hand_over();
	end_of(0, SC_ACROSS_ENDED_OWN);
	add(1, SC_ACROSS_KNOWN);
	end_of(0, SC_ACROSS_ENDED_OWN);
	add(1, SC_ACROSS_KNOWN);
	expect_one(SC_PROVEN, SC_DOUBT_NONE, "rank 1");
}

static void lost_records_are_possible(void **state)
{
	(void)state;
	begin(2);
	add(1, SC_ACROSS_VAGUE);
	hand_over();
	end_of(0, SC_ACROSS_ENDED_OWN);
	add(1, SC_ACROSS_KNOWN);
	expect_one(SC_POSSIBLE, SC_DOUBT_LOST, "rank 1");
}

static void other_nodes_have_other_clocks(void **state)
{
	(void)state;
	begin(2);
	story.events[0][1].bytes = 1;
	hand_over();
	end_of(0, SC_ACROSS_ENDED_OWN);
	end_of(1, SC_ACROSS_ENDED_OPENED);
	expect_one(SC_POSSIBLE, SC_DOUBT_CLOCKS, "rank 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_memory_is_proven),
		cmocka_unit_test(free_that_says_so_is_proven),
		cmocka_unit_test(close_that_says_so_is_silent),
		cmocka_unit_test(close_without_order_is_possible),
		cmocka_unit_test(close_of_strangers_is_silent),
		cmocka_unit_test(other_ends_are_silent),
		cmocka_unit_test(opened_later_is_silent),
		cmocka_unit_test(each_opening_counts_once),
		cmocka_unit_test(lost_records_are_possible),
		cmocka_unit_test(other_nodes_have_other_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
