/* Assertions of the recorder: a false one is counted in the trace, and recording goes on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/assert.h"
#include "tests/unit/interposer/trace_fixture.h"

TEST(a_false_one_is_counted)
{
	struct sc_reader *reader;
	struct sc_record r;
	unsigned calls = 0;
	char path[64];

	open_trace(path, "test_assert_recorder", 1 << 20);
	errno = ENOENT;
	sc_assert(sc_self.depth > 0);
	sc_assert(sc_self.busy > 0);
	sc_assert(sc_self.depth == 0);
	assert_int_equal(errno, ENOENT);
	record_anything();
	reader = close_trace(path);
	while (sc_reader_next(reader, &r))
		calls += r.op.kind == SC_OP_CONTEXT_SYNC;
	assert_int_equal(calls, 1);
	assert_int_equal(sc_reader_stats(reader)->gaps[SC_GAP_internal], 2);
	sc_reader_free(reader);
}

TEST(without_a_trace_nothing_happens)
{
	sc_session.writer = (struct sc_writer){.fd = -1};
	sc_assert(sc_self.depth > 0);
}
