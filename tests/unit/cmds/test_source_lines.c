/* Where declarations of a C file go, and which headers are whose. */
#include "reports/sources/source_lines.h"

#include <string.h>
#include "tests/unit/unit.h"
#include "base/heap.h"

static void make(struct sc_source_lines *l, const char *text)
{
	*l = (struct sc_source_lines){0};
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		sc_vector_push(&l->lines, sc_heap_xcopy(text, bytes));
		text += bytes + (text[bytes] == '\n');
	}
}

static unsigned last_include(const char *text)
{
	struct sc_source_lines l;
	unsigned line;

	make(&l, text);
	line = sc_source_lines_last_include(&l, 1000);
	sc_source_lines_fini(&l);
	return line;
}

static bool includes(const char *text, const char *path)
{
	struct sc_source_lines l;
	bool is_found;

	make(&l, text);
	is_found = sc_source_lines_includes(&l, path, 1000);
	sc_source_lines_fini(&l);
	return is_found;
}

static bool is_cpp(const char *text, const char *path)
{
	struct sc_source_lines l;
	bool is_found;

	make(&l, text);
	is_found = sc_source_lines_is_cpp(&l, path);
	sc_source_lines_fini(&l);
	return is_found;
}

/* Comments of both kinds stand after a statement's end. */
TEST(a_comment_ends_no_statement)
{
	struct sc_source_lines l;

	make(&l, "int a; /* one */\nfill(a, /* in */\n     2); /* two */ // three\nfill(a);\n");
	assert_int_equal(sc_source_lines_begin(&l, 3), 2);
	assert_int_equal(sc_source_lines_end(&l, 2), 3);
	assert_int_equal(sc_source_lines_begin(&l, 4), 4);
	sc_source_lines_fini(&l);
}

TEST(an_include_guard_is_no_condition)
{
	assert_int_equal(last_include("#pragma once\n#include <a.h>\nint x;\n"), 2);
	assert_int_equal(
		last_include("// head\n#ifndef A_H\n#define A_H\n#include <a.h>\nint x;\n#endif\n"),
		4);
	assert_int_equal(last_include("#ifndef A_H\n#define A_H\n#include <a.h>\n#ifdef B\n"
				      "#include <b.h>\n#endif\nint x;\n#endif /* A_H */\n\n"),
			 3);
}

TEST(other_conditions_are)
{
	assert_int_equal(last_include("#ifndef N\n#define N 3\n#include <a.h>\n#endif\nint x;\n"),
			 0);
	assert_int_equal(last_include("#ifndef N\n#define N 3\n#include <a.h>\n#endif\n#ifdef B\n"
				      "#endif\nint x;\n"),
			 0);
	assert_int_equal(last_include("#ifdef B\n#include <a.h>\n#endif\n"), 0);
	assert_int_equal(last_include("#ifndef N\n"), 0);
	assert_int_equal(last_include("#\n#include\n"), 2);
	assert_int_equal(last_include("extern \"C\" {\n#include <a.h>\n}\n"), 0);
	assert_int_equal(last_include(""), 0);
}

TEST(a_header_is_named_from_some_folder_on)
{
	const char *path = "/home/me/app/sub/first.cuh";

	assert_true(includes("#include \"first.cuh\"\n", path));
	assert_true(includes("#  include <sub/first.cuh> // it\n", path));
	assert_true(includes("#include \"../sub/first.cuh\"\n", path));
	assert_false(includes("#include \"irst.cuh\"\n", path));
	assert_false(includes("#include \"other/first.cuh\"\n", path));
	assert_false(includes("#include \"first.cu\"\n", path));
	assert_false(includes("#include\n#include \"\n#include \"\"\n", path));
	assert_false(includes("#ifdef A\n#include \"first.cuh\"\n#endif\n", path));
}

TEST(a_header_that_c_may_read_is_not_one_of_cpp)
{
	assert_true(is_cpp("int x;\n", "a.hpp"));
	assert_true(is_cpp("namespace a {\n}\n", "a.h"));
	assert_true(is_cpp("  template <class T>\n", "a.h"));
	assert_false(is_cpp("int x;\n", "a.h"));
	assert_false(is_cpp("int class_count;\n", "a.h"));
	assert_false(is_cpp("#ifdef __cplusplus\nnamespace a {}\n#endif\n", "a.hpp"));
}
