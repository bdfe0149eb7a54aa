/* Device times of host functions: on the time line of their stream, where there is one. */
#include "tests/unit/unit.h"
#include "analyzer/run/device_time.h"

static void note(struct sc_device_times *t, uint64_t sequence, struct sc_op op)
{
	struct sc_record record = {.op = op, .sequence = sequence};

	sc_device_times_note(t, &record);
}

/* A host function at sequence 4, whose callback runs from 100 to 140. */
static void run_callback(struct sc_device_times *t, uint32_t flags)
{
	note(t, 4, (struct sc_op){.kind = SC_OP_HOST_FUNC, .stream = 1, .flags = flags});
	note(t, 7, (struct sc_op){.kind = SC_OP_CALLBACK_BEGIN, .link = 5, .time_ns = 100});
	note(t, 8, (struct sc_op){.kind = SC_OP_CALLBACK_END, .link = 5, .time_ns = 140});
}

/* A kernel at sequence 2, with the device's clock 1000 ns later than that of the calls. */
static void run_kernel(struct sc_device_times *t)
{
	note(t, 9, (struct sc_op){.kind = SC_OP_DEVICE_CLOCK, .time_ns = 1050, .value = 50});
	note(t, 10,
	     (struct sc_op){.kind = SC_OP_DEVICE_TIME,
			    .link = 3,
			    .time_ns = 60,
			    .value = 20,
			    .engine = SC_ENGINE_KERNEL});
}

TEST(a_host_function_is_timed_by_the_clock_of_the_calls)
{
	struct sc_device_times t = {0};
	struct sc_device_span span;

	run_callback(&t, 0);
	run_kernel(&t);
	sc_device_times_finish(&t);
	assert_true(sc_device_time_of(&t, 2, &span));
	assert_int_equal(span.start_ns, 1060);
	assert_true(sc_device_time_of(&t, 4, &span));
	assert_int_equal(span.engine, SC_ENGINE_HOST_FUNCTION);
	assert_int_equal(span.start_ns, 100);
	assert_int_equal(span.end_ns, 140);
	sc_device_times_fini(&t);
}

TEST(host_functions_alone_make_no_time_line)
{
	struct sc_device_times t = {0};
	struct sc_device_span span;

	run_callback(&t, 0);
	sc_device_times_finish(&t);
	assert_int_equal(t.list.count, 0);
	assert_false(sc_device_time_of(&t, 4, &span));
	sc_device_times_fini(&t);
}

TEST(a_captured_host_function_did_not_run)
{
	struct sc_device_times t = {0};
	struct sc_device_span span;

	run_callback(&t, SC_FLAG_CAPTURED);
	run_kernel(&t);
	sc_device_times_finish(&t);
	assert_false(sc_device_time_of(&t, 4, &span));
	sc_device_times_fini(&t);
}

TEST(one_that_never_ended_has_no_time)
{
	struct sc_device_times t = {0};
	struct sc_device_span span;

	note(&t, 4, (struct sc_op){.kind = SC_OP_HOST_FUNC, .stream = 1});
	note(&t, 7, (struct sc_op){.kind = SC_OP_CALLBACK_BEGIN, .link = 5, .time_ns = 100});
	run_kernel(&t);
	sc_device_times_finish(&t);
	assert_false(sc_device_time_of(&t, 4, &span));
	sc_device_times_fini(&t);
}

static bool is_seven(const void *data, uint64_t sequence)
{
	(void)data;
	return sequence == 7;
}

/* Of a run that is followed the last times stay, and those of ops that findings refer to. */
TEST(times_of_old_ops_make_room)
{
	struct sc_device_times t = {.most = 64, .is_kept = is_seven};
	struct sc_device_span span;

	for (uint64_t i = 1; i <= 1000; i++) {
		note(&t, i, (struct sc_op){.kind = SC_OP_HOST_FUNC, .stream = 1});
		note(&t, i,
		     (struct sc_op){.kind = SC_OP_DEVICE_CLOCK, .time_ns = i + 50, .value = i});
		note(&t, i,
		     (struct sc_op){.kind = SC_OP_DEVICE_TIME,
				    .link = i + 1,
				    .time_ns = i,
				    .value = 1,
				    .engine = SC_ENGINE_KERNEL});
	}
	assert_true(t.list.count <= 64);
	assert_true(t.callbacks.count <= 6);
	assert_true(t.pairs.count <= 3);
	assert_int_equal(t.lost, 1000 - t.list.count);
	sc_device_times_finish(&t);
	assert_true(sc_device_time_of(&t, 7, &span));
	assert_int_equal(span.start_ns, 57);
	assert_true(sc_device_time_of(&t, 1000, &span));
	assert_int_equal(span.start_ns, 1050);
	assert_false(sc_device_time_of(&t, 8, &span));
	sc_device_times_fini(&t);
}
