/* Plans of windows: how values are read, and when windows by times are open. */
#include "base/window_plan.h"

#include <string.h>
#include "tests/unit/unit.h"

#define S UINT64_C(1000000000)

static char message[512];

static struct sc_window_plan read_plan(const char *text)
{
	struct sc_window_plan plan;

	assert_int_equal(sc_window_plan_read(&plan, text, message, sizeof(message)), 0);
	return plan;
}

TEST(sources)
{
	assert_int_equal(read_plan("").source, SC_WINDOW_ALWAYS);
	assert_int_equal(read_plan("cudaProfilerApi").source, SC_WINDOW_PROFILER);
	assert_int_equal(read_plan("calls").source, SC_WINDOW_CALLS);
	assert_int_equal(read_plan("calls").every, 1);
	assert_int_equal(read_plan("calls,every:1000").every, 1000);
	assert_int_equal(read_plan("nvtx:step,every:7").every, 7);
}

TEST(names_of_ranges)
{
	struct sc_window_plan plan = read_plan("nvtx:a, b@c@lib,every:2");

	assert_string_equal(plan.name, "a, b@c");
	assert_string_equal(plan.domain, "lib");
	assert_true(sc_window_plan_names(&plan, "lib", "a, b@c"));
	assert_false(sc_window_plan_names(&plan, "", "a, b@c"));
	assert_false(sc_window_plan_names(&plan, "lib", "a"));
	plan = read_plan("nvtx:step");
	assert_true(sc_window_plan_names(&plan, "", "step"));
	assert_false(sc_window_plan_names(&plan, "lib", "step"));
	plan = read_plan("calls");
	assert_false(sc_window_plan_names(&plan, "", ""));
}

TEST(bad_values)
{
	static const char *const bad[] = {
		"x",
		",",
		"calls,",
		"calls,every:",
		"calls,every:0",
		"callsx",
		"nvtx:",
		"nvtx:@d",
		"nvtx:a@",
		"calls,every:2x",
		"after:",
		"after:1",
		"after:1x",
		"after:-1s",
		"after:1s,",
		"for:0s",
		"every:0s",
		"after:1s,after:1s",
		"every:1s,for:2s",
		"for:9999999999s",
		"after:01s,x",
		"every:5",
	};
	struct sc_window_plan plan;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		message[0] = '\0';
		if (!sc_window_plan_read(&plan, bad[i], message, sizeof(message)))
			fail_msg("\"%s\" was read", bad[i]);
		assert_non_null(strstr(message, bad[i]));
	}
}

/* That a window is open, or not, after so long, and until when. */
static void expect(const char *text, uint64_t elapsed_ns, bool is_open, uint64_t until_ns)
{
	struct sc_window_plan plan = read_plan(text);
	uint64_t next = 0;

	assert_int_equal(sc_window_plan_is_open(&plan, elapsed_ns, &next), is_open);
	assert_int_equal(next, until_ns);
}

TEST(times)
{
	expect("after:60s,for:10s", 0, false, 60 * S);
	expect("after:60s,for:10s", 60 * S - 1, false, 60 * S);
	expect("after:60s,for:10s", 60 * S, true, 70 * S);
	expect("after:60s,for:10s", 70 * S, false, UINT64_MAX);
	expect("after:1m", 60 * S, true, UINT64_MAX);
	expect("for:500ms", 0, true, S / 2);
	expect("for:500ms", S / 2, false, UINT64_MAX);
	expect("every:2h", 0, true, S);
	expect("every:2h", S, false, 7200 * S);
	expect("every:2h", 7200 * S, true, 7201 * S);
	expect("after:1s,every:10s,for:2s", 25 * S, false, 31 * S);
	expect("after:1s,every:10s,for:2s", 32 * S, true, 33 * S);
	expect("every:1s,for:1s", 5 * S, true, UINT64_MAX);
}
