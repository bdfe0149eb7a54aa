/* Lines of Python in stacks: where they stand, whose they are, and texts that are none. */
#include "analyzer/symbol/symbol.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"

#define MAPS                                          \
	"map 0x1000 4096 0 \"/opt/app/kernels.so\"\n" \
	"map 0x2000 4096 0 \"/usr/bin/python3.11\"\n" \
	"map 0x3000 4096 0 \"/v/site-packages/t/_C.so\"\n"

struct fixture {
	char text[4096];
	struct sc_reader *reader;
	struct sc_symbols *symbols;
	const struct sc_frame *frames;
	size_t count;
};

static void open_stack(struct fixture *f, const char *stacks, uint32_t id)
{
	struct sc_record record;

	snprintf(f->text, sizeof(f->text), MAPS "%s", stacks);
	assert_int_equal(sc_reader_open_memory(&f->reader, f->text, strlen(f->text), NULL, 0), 0);
	while (sc_reader_next(f->reader, &record) > 0)
		continue;
	f->symbols = sc_symbols_new(f->reader);
	f->count = sc_symbols_stack(f->symbols, id, &f->frames);
}

static void close_stack(struct fixture *f)
{
	sc_symbols_free(f->symbols);
	sc_reader_free(f->reader);
}

static void frame_is(const struct sc_frame *f, const char *function, unsigned line, bool internal)
{
	assert_string_equal(f->function, function);
	assert_int_equal(f->line, line);
	assert_int_equal(f->is_internal, internal);
}

TEST(lines_stand_above_the_c_code_they_called)
{
	struct fixture f;

	open_stack(&f,
		   "stack 1 0x1011,0x2021,0x2031\n"
		   "stack 2 - peer=1 python=\"Net.run\\t/home/u/net.py\\t12\\n"
		   "wrap\\t/v/site-packages/t/nn.py\\t7\\n"
		   "run\\t/usr/lib/python3.11/runpy.py\\t88\\n\"\n",
		   2);
	assert_int_equal(f.count, 6);
	frame_is(&f.frames[0], "kernels.so+0x10", 0, 0);
	frame_is(&f.frames[1], "Net.run", 12, 0);
	assert_string_equal(f.frames[1].file, "/home/u/net.py");
	frame_is(&f.frames[2], "wrap", 7, 1);
	frame_is(&f.frames[3], "run", 88, 1);
	frame_is(&f.frames[4], "python3.11+0x20", 0, 1);
	frame_is(&f.frames[5], "python3.11+0x30", 0, 1);
	close_stack(&f);
}

TEST(packages_are_not_the_users_where_lines_are_known)
{
	struct fixture f;

	open_stack(&f, "stack 1 0x3011\nstack 2 - peer=1 python=\"m\\ta.py\\t1\\n\"\n", 2);
	assert_int_equal(f.count, 2);
	frame_is(&f.frames[0], "_C.so+0x10", 0, 1);
	frame_is(&f.frames[1], "m", 1, 0);
	close_stack(&f);
	open_stack(&f, "stack 1 0x3011\n", 1);
	frame_is(&f.frames[0], "_C.so+0x10", 0, 0);
	close_stack(&f);
}

TEST(tests_in_a_package_are_the_users)
{
	struct fixture f;

	open_stack(&f,
		   "stack 1 0x3011\nstack 2 - peer=1 python=\""
		   "copy\\t/v/site-packages/t/array.py\\t3\\n"
		   "helper\\t/v/site-packages/t/tests/util.py\\t4\\n"
		   "test_copy\\t/v/site-packages/t/tests/test_array.py\\t5\\n"
		   "inner\\t/usr/lib/python3.11/contextlib.py\\t81\\n"
		   "pytest_pyfunc_call\\t/v/site-packages/_pytest/python.py\\t194\\n"
		   "_multicall\\t/v/site-packages/pluggy/_callers.py\\t77\\n"
		   "<module>\\t/v/bin/pytest\\t8\\n\"\n",
		   2);
	assert_int_equal(f.count, 8);
	frame_is(&f.frames[0], "_C.so+0x10", 0, 1);
	frame_is(&f.frames[1], "copy", 3, 1);
	frame_is(&f.frames[2], "helper", 4, 0);
	frame_is(&f.frames[3], "test_copy", 5, 0);
	frame_is(&f.frames[4], "inner", 81, 1);
	frame_is(&f.frames[5], "pytest_pyfunc_call", 194, 1);
	frame_is(&f.frames[6], "_multicall", 77, 1);
	close_stack(&f);
	/* The user's test is the user's, and what it calls is not. */
	open_stack(&f,
		   "stack 1 - peer=1 python=\"copy\\t/v/site-packages/t/array.py\\t3\\n"
		   "test_mine\\t/home/u/test_mine.py\\t5\\n"
		   "TestCase.run\\t/usr/lib/python3.11/unittest/case.py\\t9\\n\"\n",
		   1);
	frame_is(&f.frames[0], "copy", 3, 1);
	frame_is(&f.frames[1], "test_mine", 5, 0);
	close_stack(&f);
}

TEST(unknown_lines_are_said)
{
	struct fixture f;

	open_stack(&f, "stack 1 0x2021,0x2031\n", 1);
	assert_int_equal(f.count, 3);
	frame_is(&f.frames[0], "(Python code)", 0, 0);
	frame_is(&f.frames[1], "python3.11+0x20", 0, 1);
	close_stack(&f);
}

TEST(texts_that_are_no_lines_cost_nothing)
{
	static const char *const texts[] = {
		"\\n\\n\\n",	 "\\t\\t\\t\\t", "f", "f\\tg", "f\\tg\\t99999999999999999999\\n",
		"f\\tg\\t-1\\n",
	};
	char stack[256];
	struct fixture f;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		snprintf(stack, sizeof(stack), "stack 1 - peer=1 python=\"%s\"\n", texts[i]);
		open_stack(&f, stack, 1);
		assert_true(f.count >= 1);
		for (size_t k = 0; k < f.count; k++)
			assert_non_null(f.frames[k].function);
		close_stack(&f);
	}
}
