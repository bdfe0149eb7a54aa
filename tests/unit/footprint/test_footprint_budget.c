/* The budget of a footprint: work grows with the kernel, and ends; what is cut off says so. */
#include "tests/unit/unit.h"
#include <string.h>

#include "footprint/eval_state.h"
#include "footprint/kernel.h"
#include "base/buf.h"

#define LAUNCH_STEPS 800000 /* of a launch, with the analysis of its kernel */

struct fixture {
	struct sc_buf text;
	struct sc_footprint_module *module;
	struct sc_footprint footprint;
	uint64_t steps;
};

static void begin_kernel(struct fixture *f)
{
	sc_buf_add(&f->text, ".visible .entry k(.param .u64 .ptr .global a, .param .u32 n)\n{\n"
			     ".reg .b64 %a, %d<9>; .reg .b32 %r<9>, %n; .reg .pred %p, %q;\n"
			     "ld.param.u64 %a, [a]; ld.param.u32 %n, [n];\n"
			     "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x;\n"
			     "mov.u32 %r4, %ctaid.y; mul.wide.u32 %d1, %r1, 4;\n"
			     "add.s64 %d2, %a, %d1;\n");
}

/* The first launch analyzes, and the steps are those of both. */
static void launch(struct fixture *f, uint32_t n)
{
	struct {
		uint64_t a;
		uint32_t n;
	} image = {0x7000000000, n};
	struct sc_footprint_launch launch = {.grid = {500, 300, 1},
					     .block = {16, 32, 1},
					     .shared_bytes = n,
					     .param_bytes = 12,
					     .params = &image};
	struct sc_footprint_kernel *k;
	uint64_t before;

	if (!f->module)
		f->module = sc_footprint_parse(f->text.text, f->text.bytes);
	assert_int_equal(sc_footprint_problems(f->module), 0);
	k = sc_footprint_find(f->module, "k");
	assert_non_null(k);
	before = k->steps;
	f->footprint = sc_footprint_of(k, &launch);
	f->steps = k->steps - before;
}

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	sc_buf_add(&f.text, ".version 9.0\n.target sm_90\n.address_size 64\n");
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sc_footprint_free(f->module);
	sc_buf_fini(&f->text);
	return 0;
}

/* Exits of the kernel, one after the other: the end is entered from everywhere. */
static void add_ways_out(struct fixture *f, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sc_buf_printf(&f->text,
			      "setp.eq.u32 %%p, %%r1, %u; @%%p bra END; st.global.u32 [%%d2], "
			      "%%n;\n",
			      i + 40);
	sc_buf_add(&f->text, "END: st.global.u32 [%a+-4], %n; ret;\n}\n");
}

static uint64_t steps_of_ways_out(unsigned count)
{
	struct fixture *f;
	uint64_t steps;

	setup((void **)&f);
	begin_kernel(f);
	add_ways_out(f, count);
	launch(f, 1000);
	steps = f->steps;
	teardown((void **)&f);
	return steps;
}

/* Branches that come together again, around each access. */
static uint64_t steps_of_branches(unsigned count)
{
	struct fixture *f;
	uint64_t steps;

	setup((void **)&f);
	begin_kernel(f);
	for (unsigned i = 0; i < count; i++)
		sc_buf_printf(&f->text,
			      "setp.lt.u32 %%p, %%r3, %u; @%%p bra L%u; st.global.u32 [%%d2+%u], "
			      "%%n; L%u:\n",
			      i + 7, i, i * 64, i);
	sc_buf_add(&f->text, "ret;\n}\n");
	launch(f, 1000);
	steps = f->steps;
	teardown((void **)&f);
	return steps;
}

TEST(work_grows_with_the_kernel)
{
	assert_in_range(steps_of_ways_out(1000), 1, steps_of_ways_out(500) * 5 / 2);
	assert_in_range(steps_of_branches(1000), 1, steps_of_branches(500) * 5 / 2);
}

static void expect_cut(const struct fixture *f)
{
	unsigned cut = 0;

	assert_false(f->footprint.is_exact);
	for (size_t i = 0; i < f->footprint.count; i++)
		cut += f->footprint.ranges[i].reason == SC_REASON_BUDGET;
	assert_true(cut > 0);
}

/* The address alone is cheap: what is cut off still says where it is. */
TEST_WITH(a_kernel_too_large_is_an_upper_bound, setup, teardown)
{
	struct fixture *f = *state;

	begin_kernel(f);
	add_ways_out(f, 6000);
	launch(f, 1000);
	expect_cut(f);
	assert_in_range(f->steps, 1, LAUNCH_STEPS);
	for (size_t i = 0; i < f->footprint.count; i++) {
		assert_int_equal(f->footprint.ranges[i].base_kind, SC_BASE_PARAMETER);
		assert_false(f->footprint.ranges[i].is_unbounded);
	}
}

/* Each level of conditions uses both of the one before, twice: ways to the leaves double. */
static void add_shared_conditions(struct fixture *f, unsigned levels)
{
	sc_buf_printf(&f->text,
		      ".reg .pred %%x<%u>, %%y<%u>;\n"
		      "setp.lt.u32 %%x0, %%r1, %%n; setp.lt.u32 %%y0, %%r2, %%r3;\n",
		      levels + 1, levels + 1);
	for (unsigned i = 0; i < levels; i++)
		sc_buf_printf(&f->text,
			      "and.pred %%x%u, %%x%u, %%y%u; or.pred %%y%u, %%x%u, %%y%u;\n", i + 1,
			      i, i, i + 1, i, i);
	sc_buf_printf(&f->text, "@!%%x%u bra END; st.global.u32 [%%d2], %%n;\n", levels);
	sc_buf_add(&f->text, "END: ret;\n}\n");
}

TEST_WITH(conditions_that_are_shared_end_in_an_upper_bound, setup, teardown)
{
	struct fixture *f = *state;
	const struct sc_footprint_kernel *k;

	begin_kernel(f);
	add_shared_conditions(f, 22);
	launch(f, 7);
	k = sc_footprint_find(f->module, "k");
	assert_in_range(k->eval->spent, 1, LAUNCH_STEPS);
	assert_int_equal(f->footprint.count, 1);
	assert_int_equal(f->footprint.ranges[0].base_kind, SC_BASE_PARAMETER);
	assert_false(f->footprint.ranges[0].is_unbounded);
}

TEST_WITH(many_different_launches_get_less_each, setup, teardown)
{
	struct fixture *f = *state;
	uint64_t first, last;

	begin_kernel(f);
	add_ways_out(f, 6000);
	launch(f, 1000);
	first = f->steps;
	for (unsigned i = 1; i < 20; i++)
		launch(f, 1000 + i);
	last = f->steps;
	expect_cut(f);
	assert_in_range(last, 1, first / 4);
}

/* No control flow that can be followed: anything, by all pointers. */
TEST_WITH(a_kernel_beyond_all_limits_is_unknown, setup, teardown)
{
	struct fixture *f = *state;

	begin_kernel(f);
	add_ways_out(f, 50000);
	launch(f, 1000);
	expect_cut(f);
	assert_int_equal(f->footprint.count, 1);
	assert_int_equal(f->footprint.ranges[0].base_kind, SC_BASE_UNKNOWN);
}
