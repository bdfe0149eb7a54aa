/* Pending: a call that may still return makes all that is found later unproven. */
#include "analyzer/model/pending.h"
#include "tests/unit/unit.h"

static struct sc_pending pending;
static struct sc_coverage coverage;

static int begin(void **state)
{
	(void)state;
	pending = (struct sc_pending){0};
	coverage = (struct sc_coverage){0};
	return 0;
}

static int end(void **state)
{
	(void)state;
	sc_pending_fini(&pending);
	return 0;
}

/* Takes a record, as the analysis does: the coverage has counted it. */
static bool take(enum sc_op_kind kind, enum sc_phase phase, uint64_t link, bool is_running)
{
	struct sc_record r = {.sequence = 2 * pending.calls.count,
			      .op = {.kind = (uint16_t)kind,
				     .phase = (uint8_t)phase,
				     .link = link,
				     .result = phase == SC_PHASE_END ? 0 : SC_RESULT_PENDING}};

	coverage.calls_in_flight += phase != SC_PHASE_END;
	return sc_pending_note(&pending, &coverage, &r, is_running);
}

EACH_TEST(begin, end)

TEST(call_that_may_still_return)
{
	assert_true(take(SC_OP_EVENT_RECORD, SC_PHASE_ONCE, 0, true));
	assert_int_equal(coverage.late_calls, 1);
}

TEST(call_of_a_process_that_ended)
{
	assert_false(take(SC_OP_EVENT_RECORD, SC_PHASE_ONCE, 0, false));
	assert_int_equal(coverage.late_calls, 0);
	assert_int_equal(coverage.calls_in_flight, 1);
}

TEST(wait_says_all_at_its_beginning)
{
	assert_false(take(SC_OP_STREAM_SYNC, SC_PHASE_BEGIN, 0, true));
	assert_int_equal(coverage.calls_in_flight, 1);
	assert_false(take(SC_OP_STREAM_SYNC, SC_PHASE_END, 1, true));
	assert_int_equal(coverage.calls_in_flight, 0);
	assert_int_equal(coverage.late_calls, 0);
}

/* It was taken to succeed. */
TEST(copy_that_failed)
{
	struct sc_record r = {.op = {.kind = SC_OP_COPY,
				     .phase = SC_PHASE_END,
				     .link = 1,
				     .result = SC_RESULT_INVALID_VALUE}};

	assert_false(take(SC_OP_COPY, SC_PHASE_BEGIN, 0, true));
	assert_true(sc_pending_note(&pending, &coverage, &r, true));
	assert_int_equal(coverage.late_calls, 1);
	assert_int_equal(coverage.calls_in_flight, 0);
}
