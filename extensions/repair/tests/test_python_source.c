/* Statements of Python, and what they name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/heap.h"
#include "extensions/repair/patcher/python_names.h"

struct file {
	struct sc_source_lines source;
	struct sc_python_source lines;
};

/* Splits a text into the lines of a file; whether its statements can be read. */
static bool file_make(struct file *f, const char *text)
{
	*f = (struct file){0};
	while (*text) {
		size_t bytes = strcspn(text, "\n");
		char *line = sc_heap_xcalloc(1, bytes + 1);

		memcpy(line, text, bytes);
		sc_vector_push(&f->source.lines, line);
		text += bytes + (text[bytes] == '\n');
	}
	return sc_python_source_read(&f->lines, &f->source);
}

static void file_fini(struct file *f)
{
	sc_python_source_fini(&f->lines);
	sc_source_lines_fini(&f->source);
}

static const char program[] = "import torch.cuda, cupy as cp\n"	     /* 1 */
			      "from numba import (cuda as nb,\n"     /* 2 */
			      "                   jit)  # (\n"	     /* 3 */
			      "'''A text\n"			     /* 4 */
			      "def no(): '''\n"			     /* 5 */
			      "side, main = make()\n"		     /* 6 */
			      "def step(a, b=\"(\"):\n"		     /* 7 */
			      "    with torch.cuda.stream(side):\n"  /* 8 */
			      "        a.copy_(b,\n"		     /* 9 */
			      "  # nothing\n"			     /* 10 */
			      "                non_blocking=True)\n" /* 11 */
			      "    total = a \\\n"		     /* 12 */
			      "        + 1; b = 2\n"		     /* 13 */
			      "    for main in b:\n"		     /* 14 */
			      "        k[1, (2, 3), nb.s](a)\n"	     /* 15 */
			      "        a.get(stream = cp.s)\n"	     /* 16 */
			      "        a.get(stream=list[0])\n"	     /* 17 */
			      "    return total\n"		     /* 18 */
			      "done.record(side)\n"		     /* 19 */
			      "side.wait_event(made.event)\n";	     /* 20 */

static size_t at(const struct file *f, unsigned line)
{
	size_t i = sc_python_source_at(&f->lines, line);

	assert_int_not_equal(i, 0);
	return i - 1;
}

static void joins_lines_into_statements(void **state)
{
	struct file f;
	struct sc_buf text = {0};

	(void)state;
	assert_true(file_make(&f, program));
	assert_int_equal(f.lines.list.items[at(&f, 5)].first, 4);
	assert_int_equal(f.lines.list.items[at(&f, 9)].last, 11);
	assert_int_equal(f.lines.list.items[at(&f, 9)].indent, 8);
	assert_true(f.lines.list.items[at(&f, 13)].is_several);
	assert_true(f.lines.list.items[at(&f, 7)].is_head);
	assert_false(f.lines.list.items[at(&f, 4)].is_head);
	sc_python_source_add(&text, &f.lines, at(&f, 2));
	assert_string_equal(text.text, "from numba import (cuda as nb, jit)  ");
	sc_buf_fini(&text);
	file_fini(&f);
}

static void knows_where_a_statement_can_be_put(void **state)
{
	struct file f;

	(void)state;
	assert_true(file_make(&f, program));
	assert_true(sc_python_source_takes_after(&f.lines, at(&f, 11)));
	assert_false(sc_python_source_takes_after(&f.lines, at(&f, 8)));
	assert_false(sc_python_source_takes_after(&f.lines, at(&f, 12)));
	assert_false(sc_python_source_takes_after(&f.lines, at(&f, 18)));
	assert_true(sc_python_source_takes_before(&f.lines, at(&f, 8)));
	assert_false(sc_python_source_takes_before(&f.lines, at(&f, 14)));
	file_fini(&f);
}

/* Out of the `with`, but not out of the loop. */
static void knows_what_always_comes_first(void **state)
{
	struct file f;

	(void)state;
	assert_true(file_make(&f, program));
	assert_true(sc_python_source_leads(&f.lines, at(&f, 9), at(&f, 15)));
	assert_true(sc_python_source_leads(&f.lines, at(&f, 15), at(&f, 16)));
	assert_false(sc_python_source_leads(&f.lines, at(&f, 15), at(&f, 18)));
	assert_false(sc_python_source_leads(&f.lines, at(&f, 16), at(&f, 15)));
	assert_false(sc_python_source_leads(&f.lines, at(&f, 15), at(&f, 15)));
	file_fini(&f);
}

static void expect_module(const struct file *f, const char *module, const char *name)
{
	struct sc_buf out = {0};

	assert_int_equal(sc_python_names_module(&out, &f->lines, module), name != NULL);
	assert_string_equal(sc_buf_text(&out), name ? name : "");
	sc_buf_fini(&out);
}

static void finds_names_of_modules(void **state)
{
	struct file f;

	(void)state;
	assert_true(file_make(&f, program));
	expect_module(&f, "torch", "torch");
	expect_module(&f, "cupy", "cp");
	expect_module(&f, "numba.cuda", "nb");
	expect_module(&f, "numba", NULL);
	assert_int_equal(sc_python_names_last_import(&f.lines, 20), at(&f, 2) + 1);
	file_fini(&f);
}

static void expect_stream(const struct file *f, unsigned line, enum sc_python_stream found,
			  const char *name)
{
	struct sc_buf out = {0};

	assert_int_equal(sc_python_names_stream(&out, &f->lines, at(f, line)), found);
	assert_string_equal(sc_buf_text(&out), name);
	sc_buf_fini(&out);
}

static void finds_names_of_streams_and_events(void **state)
{
	struct file f;
	struct sc_buf event = {0};

	(void)state;
	assert_true(file_make(&f, program));
	expect_stream(&f, 9, SC_PYTHON_STREAM_NAMED, "side");
	expect_stream(&f, 12, SC_PYTHON_STREAM_CURRENT, "");
	expect_stream(&f, 15, SC_PYTHON_STREAM_NAMED, "nb.s");
	expect_stream(&f, 16, SC_PYTHON_STREAM_NAMED, "cp.s");
	expect_stream(&f, 17, SC_PYTHON_STREAM_HIDDEN, "");
	assert_true(sc_python_names_is_global(&f.lines, "side"));
	assert_false(sc_python_names_is_global(&f.lines, "main"));
	assert_false(sc_python_names_is_global(&f.lines, "total"));
	assert_true(sc_python_names_event(&event, &f.lines, at(&f, 19)));
	sc_buf_add_char(&event, ' ');
	assert_true(sc_python_names_event(&event, &f.lines, at(&f, 20)));
	assert_string_equal(event.text, "done made.event");
	assert_false(sc_python_names_event(&event, &f.lines, at(&f, 16)));
	sc_buf_fini(&event);
	file_fini(&f);
}

/* What does not end has no statements that can be trusted. */
static void refuses_what_is_not_complete(void **state)
{
	static const char *const texts[] = {"f(\n", "'''text\n", "a = 'text\nb = 1\n", "f)\n", ""};
	struct file f;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_false(file_make(&f, texts[i]));
		file_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_lines_into_statements),
		cmocka_unit_test(knows_where_a_statement_can_be_put),
		cmocka_unit_test(knows_what_always_comes_first),
		cmocka_unit_test(finds_names_of_modules),
		cmocka_unit_test(finds_names_of_streams_and_events),
		cmocka_unit_test(refuses_what_is_not_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
