/* Text of a trace in a program: nothing of it ends a comment, and names are names. */
#include "extensions/repair/reproducer/spelling.h"

#include <string.h>
#include "tests/unit/unit.h"

static void comment_is(const char *text, const char *expected)
{
	struct sc_buf out = {0};

	sc_spelling_comment(&out, text, 200);
	assert_string_equal(sc_buf_text(&out), expected);
	sc_buf_fini(&out);
}

TEST(a_line_does_not_end)
{
	comment_is("a\nint x;", "a_int x;");
	comment_is("a\r\vb\f", "a__b_");
	comment_is("a\\", "a/");
	comment_is("a\\\nb", "a/_b");
	comment_is("a?\?/", "a?_/");
	comment_is("\xe2\x80\xa8"
		   "b",
		   "___b");
}

TEST(no_comment_begins_or_ends)
{
	comment_is("*/ x /*", "*_ x /_");
	comment_is("/*/", "/_/");
	comment_is("//", "//");
}

TEST(words_of_reports_stay_readable)
{
	comment_is("pinned → device", "pinned -> device");
	comment_is("float*, int", "float*, int");
}

TEST(a_comment_has_an_end)
{
	struct sc_buf out = {0};

	sc_spelling_comment(&out, "123456789", 4);
	assert_string_equal(sc_buf_text(&out), "1234");
	sc_buf_fini(&out);
}

static void name_is(const char *variable, const char *expected)
{
	char name[SC_SPELLING_NAME];

	assert_true(sc_spelling_name(name, variable));
	assert_string_equal(name, expected);
}

TEST(variables_become_names)
{
	name_is("data", "data");
	name_is("h_first", "h_first");
	name_is("streams[1]", "streams_1");
	name_is("this->up_", "this_up");
	name_is("*out", "out");
	name_is("a; system(\"x\"); //", "a_system_x");
	name_is("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
		"abcdefghijklmnopqrstuvwxyzabcdef");
}

TEST(what_may_be_something_else_is_no_name)
{
	char name[SC_SPELLING_NAME];

	assert_false(sc_spelling_name(name, "int"));
	assert_false(sc_spelling_name(name, "CHECK"));
	assert_false(sc_spelling_name(name, "cudaMalloc"));
	assert_false(sc_spelling_name(name, "errno"));
	assert_false(sc_spelling_name(name, "___"));
	assert_false(sc_spelling_name(name, "12"));
	assert_false(sc_spelling_name(name, ""));
}
