/* What is said of operations of NCCL that not all ranks have enqueued: who waits for whom, and
 * whether it is certain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "extensions/ranks/tests/nccl_story.h"

static void test_left_alone(void **unused)
{
	(void)unused;
	begin(2);
	collective(0, ALL, 0, REDUCE);
	add(1, SC_ACROSS_EXIT);
	run(2);
	expect_count(1);
	assert_int_equal(remark(0)->rule, 174);
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	assert_non_null(strstr(remark(0)->text, "rank 1 of the communicator has not called it: it "
						"has made no call there, and it has ended"));
	finish();
	/* It may still come. */
	begin(2);
	collective(0, ALL, 0, REDUCE);
	run(2);
	expect_count(0);
	finish();
}

static void test_wait_for_each_other(void **unused)
{
	(void)unused;
	begin(2);
	to_peer(0, SC_MESSAGE_SEND, 1);
	stuck(0);
	collective(1, ALL, 1, REDUCE);
	stuck(1);
	run(2);
	expect_count(2);
	assert_int_equal(remark(0)->rule, 174);
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	assert_int_equal(remark(1)->confidence, SC_PROVEN);
	finish();
	/* The host of rank 1 waits for another stream, so its call may still come. */
	begin(2);
	to_peer(0, SC_MESSAGE_SEND, 1);
	stuck(0);
	collective(1, ALL, 1, REDUCE);
	stuck(1)->peer = STREAM + 1;
	run(2);
	expect_count(2);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	assert_int_equal(remark(0)->doubt, SC_DOUBT_ANSWERED);
	finish();
	/* Another thread of rank 1 makes calls, too. */
	begin(2);
	to_peer(0, SC_MESSAGE_SEND, 1);
	stuck(0);
	collective(1, ALL, 1, REDUCE)->thread = 2;
	stuck(1);
	run(2);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	finish();
}

/* NCCL's first calls of a communicator wait in the host until the others have come to theirs. */
static void test_not_returned(void **unused)
{
	(void)unused;
	begin(2);
	to_peer(0, SC_MESSAGE_SEND, 1)->is_pending = true;
	collective(1, ALL, 1, REDUCE)->is_pending = true;
	run(2);
	expect_count(2);
	assert_int_equal(remark(0)->rule, 174);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	assert_int_equal(remark(0)->doubt, SC_DOUBT_ANSWERED);
	assert_non_null(strstr(remark(0)->text,
			       "rank 1 of the communicator has not received it: its "
			       "last call there is ncclAllReduce"));
	assert_non_null(strstr(remark(0)->text, "and it waits in ncclAllReduce"));
	assert_non_null(strstr(remark(0)->text, "; the call has not returned"));
	assert_int_equal(remark(1)->confidence, SC_POSSIBLE);
	finish();
	/* Nobody will ever receive it. */
	begin(2);
	to_peer(0, SC_MESSAGE_SEND, 1)->is_pending = true;
	add(1, SC_ACROSS_EXIT);
	run(2);
	expect_count(1);
	assert_int_equal(remark(0)->rule, 174);
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	finish();
	/* It was answered, and is about to return. */
	begin(2);
	to_peer(0, SC_MESSAGE_SEND, 1)->is_pending = true;
	to_peer(1, SC_MESSAGE_RECEIVE, 0);
	run(2);
	expect_count(0);
	finish();
	/* An earlier operation is open, and the host is in a later call. */
	begin(2);
	collective(0, ALL, 0, REDUCE);
	collective(0, ALL, 0, BROADCAST)->is_pending = true;
	to_peer(1, SC_MESSAGE_RECEIVE, 0);
	stuck(1);
	run(2);
	expect_count(2);
	assert_int_equal(remark(0)->sequence, 1);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	assert_non_null(strstr(remark(0)->text, "; the host waits in ncclBroadcast"));
	assert_int_equal(remark(1)->confidence, SC_POSSIBLE);
	finish();
}

static void message_of_mpi(unsigned process, unsigned from)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = SC_MESSAGE_RECEIVE | SC_MESSAGE_BLOCKS;
	e->group = WORLD;
	e->peer = from + 1;
	e->tag = 1;
	e->call = RECEIVE;
	e->is_pending = true;
}

/* A call of NCCL that all have come to returns, and its thread may send what the other one waits
 * for. */
static void returning(bool is_answered)
{
	begin(2);
	for (unsigned i = 0; i < 2; i++) {
		join(i, WORLD, i, 2);
		story.events[i][story.counts[i] - 1].value = SC_GROUP_WORLD;
	}
	collective(0, ALL, 0, REDUCE)->is_pending = true;
	story.events[0][story.counts[0] - 1].thread = 2;
	message_of_mpi(0, 1);
	if (is_answered)
		collective(1, ALL, 1, REDUCE);
	message_of_mpi(1, 0);
	run(2);
}

static void test_returning(void **unused)
{
	(void)unused;
	returning(true);
	expect_count(2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(remark(i)->rule, 174);
		assert_int_equal(remark(i)->confidence, SC_POSSIBLE);
	}
	finish();
	returning(false);
	expect_count(3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(remark(i)->confidence, SC_POSSIBLE);
	finish();
}

/* The first that is open, not those after it. */
static void test_first_of_many(void **unused)
{
	(void)unused;
	begin(3);
	for (unsigned i = 0; i < 3; i++)
		collective(i, ALL, i, REDUCE);
	for (unsigned i = 0; i < 4; i++)
		collective(0, ALL, 0, REDUCE);
	stuck(0);
	collective(1, ALL, 1, REDUCE);
	run(3);
	expect_count(1);
	assert_int_equal(remark(0)->sequence, 2);
	assert_non_null(strstr(remark(0)->text, "it is collective 2 of a communicator of NCCL of 3 "
						"ranks; rank 2 of the communicator has not"));
	assert_non_null(strstr(remark(0)->text, "the host waits in cudaStreamSynchronize"));
	finish();
}

/* Of two that a process is to wait for one never comes: the other one may. */
static void test_beside_one_that_never_comes(void **unused)
{
	(void)unused;
	begin(3);
	join(0, PART, 0, 2);
	join(2, PART, 1, 2);
	to_peer(0, SC_MESSAGE_SEND, 1);
	collective(0, PART, 0, REDUCE);
	stuck(0);
	to_peer(1, SC_MESSAGE_SEND, 0);
	stuck(1);
	run(3);
	expect_count(3);
	assert_non_null(strstr(remark(0)->text, "message"));
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	assert_non_null(strstr(remark(1)->text, "collective 1"));
	assert_int_equal(remark(1)->confidence, SC_POSSIBLE);
	assert_int_equal(remark(1)->doubt, SC_DOUBT_ANSWERED);
	assert_int_equal(remark(2)->confidence, SC_PROVEN);
	finish();
}

static void test_without_trace(void **unused)
{
	(void)unused;
	memset(&story, 0, sizeof(story));
	join(0, ALL, 0, 2);
	collective(0, ALL, 0, REDUCE);
	stuck(0);
	run(1);
	/* with nobody to compare with, the collective is complete as far as is known */
	expect_count(0);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_alone),
		cmocka_unit_test(test_wait_for_each_other),
		cmocka_unit_test(test_not_returned),
		cmocka_unit_test(test_returning),
		cmocka_unit_test(test_first_of_many),
		cmocka_unit_test(test_beside_one_that_never_comes),
		cmocka_unit_test(test_without_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
