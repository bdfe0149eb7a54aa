/* CUPTI in the recorder: correlations, buffers and records, from buffers made by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/cupti/correlation.h"
#include "interposer/cupti/times.h"
#include "tests/unit/interposer/trace_fixture.h"

#define RECORD_BYTES 512 /* room of each record in a buffer of this test */

static CUptiResult next_record(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + RECORD_BYTES : buffer;

	if (next + RECORD_BYTES > buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

static const struct sc_cupti_calls calls = {.ActivityGetNextRecord = next_record};

/* ---- correlations ---- */

TEST(correlations_are_found)
{
	struct sc_correlations all = {0};

	sc_correlations_init(&all);
	sc_correlations_put(&all, 7, 100);
	sc_correlations_put(&all, 8, 101);
	assert_int_equal(sc_correlations_find(&all, 7), 100);
	assert_int_equal(sc_correlations_find(&all, 8), 101);
	assert_int_equal(sc_correlations_find(&all, 9), 0);
	assert_int_equal(sc_correlations_find(&all, 0), 0);
}

TEST(an_overwritten_correlation_is_not_mistaken)
{
	struct sc_correlations all = {0};

	sc_correlations_init(&all);
	sc_correlations_put(&all, 7, 100);
	sc_correlations_put(&all, 7 + SC_CORRELATIONS, 200);
	assert_int_equal(sc_correlations_find(&all, 7), 0);
	assert_int_equal(sc_correlations_find(&all, 7 + SC_CORRELATIONS), 200);
}

TEST(without_memory_nothing_is_found)
{
	struct sc_correlations none = {0};

	sc_correlations_put(&none, 7, 100);
	assert_int_equal(sc_correlations_find(&none, 7), 0);
}

/* ---- records ---- */

TEST(each_kind_has_its_engine)
{
	static const struct {
		CUpti_ActivityKind kind;
		uint8_t copy;
		enum sc_engine engine;
	} cases[] = {
		{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 0, SC_ENGINE_KERNEL},
		{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, SC_ENGINE_COPY_IN},
		{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, SC_ENGINE_COPY_OUT},
		{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD,
		 SC_ENGINE_COPY_WITHIN},
		{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, SC_ENGINE_COPY_HOST},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		union {
			CUpti_Activity any;
			CUpti_ActivityKernel10 kernel;
			CUpti_ActivityMemcpy6 copy;
		} r = {.any = {.kind = cases[i].kind}};
		uint32_t correlation;
		struct sc_op op;

		if (cases[i].kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
			r.copy.copyKind = cases[i].copy;
			r.copy.start = 100;
			r.copy.end = 250;
			r.copy.bytes = 4096;
			r.copy.correlationId = 9;
		} else {
			r.kernel.start = 100;
			r.kernel.end = 250;
			r.kernel.correlationId = 9;
			r.kernel.graphNodeId = 0x200000003;
		}
		assert_true(sc_times_decode(&r.any, &op, &correlation));
		assert_int_equal(op.engine, cases[i].engine);
		assert_int_equal(op.time_ns, 100);
		assert_int_equal(op.value, 150);
		assert_int_equal(op.peer, op.engine == SC_ENGINE_KERNEL ? 3 : 0);
		assert_int_equal(correlation, 9);
	}
}

TEST(what_has_not_ended_says_nothing)
{
	CUpti_ActivityMemset4 r = {.kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = 100, .end = 0};
	uint32_t correlation;
	struct sc_op op;

	assert_false(sc_times_decode((CUpti_Activity *)&r, &op, &correlation));
	r.start = 0;
	assert_false(sc_times_decode((CUpti_Activity *)&r, &op, &correlation));
}

TEST(other_kinds_are_passed_over)
{
	CUpti_Activity r = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD};
	uint32_t correlation;
	struct sc_op op;

	assert_false(sc_times_decode(&r, &op, &correlation));
}

/* ---- buffers ---- */

TEST(buffers_are_bounded_and_come_back)
{
	static struct sc_times t;
	uint8_t *buffer[SC_TIMES_BUFFERS], *more;
	size_t size, most;

	t.calls = &calls;
	for (unsigned i = 0; i < SC_TIMES_BUFFERS; i++) {
		sc_times_request(&t, &buffer[i], &size, &most);
		assert_non_null(buffer[i]);
		assert_int_equal((uintptr_t)buffer[i] % 8, 0);
		assert_int_equal(size, SC_TIMES_BUFFER_BYTES);
	}
	sc_times_request(&t, &more, &size, &most);
	assert_null(more);
	assert_int_equal(size, 0);
	assert_int_equal(t.out, SC_TIMES_BUFFERS);
	sc_times_take(&t, buffer[3], 0);
	sc_times_request(&t, &more, &size, &most);
	assert_ptr_equal(more, buffer[3]);
}

/* CUPTI was informed that buffers are zeros. */
TEST(a_buffer_comes_back_cleared)
{
	static struct sc_times t;
	uint8_t *buffer, *again;
	size_t size, most;

	t.calls = &calls;
	sc_times_request(&t, &buffer, &size, &most);
	memset(buffer, 0xff, size);
	sc_times_take(&t, buffer, 0);
	sc_times_request(&t, &again, &size, &most);
	assert_ptr_equal(again, buffer);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(again[i], 0);
}

/* A kernel of a known call, one of an unknown call, and a wait of the driver's own. */
static void fill_buffer(uint8_t *buffer)
{
	CUpti_ActivityKernel10 *kernel = (void *)buffer;
	CUpti_ActivityMemset4 *set = (void *)(buffer + RECORD_BYTES);
	CUpti_ActivitySynchronization2 *wait = (void *)(buffer + 2 * RECORD_BYTES);

	memset(buffer, 0, 3 * RECORD_BYTES);
	*kernel = (CUpti_ActivityKernel10){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
					   .start = 1000,
					   .end = 3000,
					   .correlationId = 5};
	*set = (CUpti_ActivityMemset4){
		.kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = 4000, .end = 4500, .correlationId = 6};
	*wait = (CUpti_ActivitySynchronization2){.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
						 .start = 4000,
						 .end = 4600,
						 .correlationId = 7};
}

TEST(records_become_ops)
{
	static struct sc_times t;
	struct sc_correlations links = {0};
	struct sc_reader *reader;
	struct sc_record r;
	uint8_t *buffer;
	size_t size, most;
	char path[64];

	t.calls = &calls;
	t.links = &links;
	sc_correlations_init(&links);
	sc_correlations_put(&links, 5, 42);
	open_trace(path, "test_cupti", 1 << 20);
	sc_times_request(&t, &buffer, &size, &most);
	fill_buffer(buffer);
	sc_times_take(&t, buffer, 3 * RECORD_BYTES);
	sc_times_count(&t);
	reader = close_trace(path);
	assert_true(sc_reader_next(reader, &r));
	assert_int_equal(r.op.kind, SC_OP_DEVICE_TIME);
	assert_int_equal(r.op.link, 42);
	assert_int_equal(r.op.value, 2000);
	assert_true(sc_reader_next(reader, &r));
	assert_int_equal(r.op.engine, SC_ENGINE_FILL);
	assert_int_equal(r.op.link, 0);
	assert_true(sc_reader_next(reader, &r));
	assert_int_equal(r.op.kind, SC_OP_DEVICE_LOST);
	assert_int_equal(r.op.value, 1);
	assert_false(sc_reader_next(reader, &r));
	sc_reader_free(reader);
}
