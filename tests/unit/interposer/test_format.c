/* Formats: which arguments of a printf are strings, taken from real argument lists. */
#include "interposer/libc/format.h"

#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"

_Static_assert(sizeof(va_list) == sizeof(struct sc_arguments), "a va_list of x86-64");

static char found[256];

/* Strings as they are read, one after the other. */
static void string(void *context, uint64_t start, uint64_t most)
{
	int bytes = most > 100 ? 100 : (int)most;

	(void)context;
	snprintf(found + strlen(found), sizeof(found) - strlen(found), "[%.*s]", bytes,
		 (const char *)start);
}

/* The strings of a call. */
static const char *strings(const char *format, ...)
{
	struct sc_arguments arguments;
	va_list list;

	found[0] = 0;
	va_start(list, format);
	memcpy(&arguments, list, sizeof(arguments));
	sc_format_each_string(format, arguments, string, NULL);
	va_end(list);
	return found;
}

TEST(only_strings_are_found)
{
	static const char hidden[] = "never";

	assert_string_equal(strings("no argument"), "");
	assert_string_equal(strings("100%%"), "");
	assert_string_equal(strings("%d %s", 1, "a"), "[a]");
	assert_string_equal(strings("%p %lx", (void *)hidden, (long)hidden), "");
	assert_string_equal(strings("%s", NULL), "");
	assert_string_equal(strings("%m%s", "a"), "[a]");
	assert_string_equal(strings("%s and no more", "a", hidden), "[a]");
	assert_string_equal(strings("%c%n%s", 'x', (int *)hidden, "a"), "[a]");
}

TEST(wide_strings_are_not_found)
{
	assert_string_equal(strings("%ls%S%s", L"w", L"w", "a"), "[a]");
}

TEST(arguments_after_the_registers)
{
	assert_string_equal(strings("%d%d%d%d%d%d%d%s%s", 1, 2, 3, 4, 5, 6, 7, "a", "b"), "[a][b]");
}

TEST(floating_point_is_elsewhere)
{
	assert_string_equal(strings("%f%s%e%s", 1.0, "a", 2.0, "b"), "[a][b]");
	assert_string_equal(strings("%g%g%g%g%g%g%g%g%g%d%d%d%d%d%s", 1., 2., 3., 4., 5., 6., 7.,
				    8., 9., 1, 2, 3, 4, 5, "a"),
			    "[a]");
	assert_string_equal(strings("%d%d%d%d%d%d%Lf%s", 1, 2, 3, 4, 5, 6, 1.0L, "a"), "[a]");
	assert_string_equal(strings("%La%d%d%d%d%d%d%Lg%s", 1.0L, 1, 2, 3, 4, 5, 6, 1.0L, "a"),
			    "[a]");
}

TEST(flags_widths_and_sizes)
{
	assert_string_equal(strings("%-+ #0'12.34lld%s", 1LL, "a"), "[a]");
	assert_string_equal(strings("%*d%hhd%zu%jd%td%s", 5, 1, 2, sizeof(int), 3L, 4L, "a"),
			    "[a]");
}

TEST(precision_limits)
{
	assert_string_equal(strings("%.2s", "abc"), "[ab]");
	assert_string_equal(strings("%.s", "abc"), "[]");
	assert_string_equal(strings("%.*s", 1, "abc"), "[a]");
	assert_string_equal(strings("%*.*s", 9, 2, "abc"), "[ab]");
	assert_string_equal(strings("%.*s", -1, "abc"), "[abc]");
}

TEST(positions)
{
	assert_string_equal(strings("%2$s %1$d", 1, "a"), "[a]");
	assert_string_equal(strings("%3$.*1$s %2$f", 2, 1.0, "abc"), "[ab]");
	assert_string_equal(strings("%1$s %1$s", "a"), "[a]");
}

TEST(what_nobody_knows_ends_it)
{
	static const char hidden[] = "never";

	assert_string_equal(strings("%s %Y %s", "a", hidden, hidden), "[a]");
	assert_string_equal(strings("%"), "");
	assert_string_equal(strings("%9999999999999999999$s", hidden), "");
	assert_string_equal(strings("%l", hidden), "");
}

TEST(too_many_arguments)
{
	char format[2 * (SC_FORMAT_MOST + 8) + 1] = "";

	for (int i = 0; i < SC_FORMAT_MOST + 8; i++)
		strcat(format, "%e");
	sc_format_each_string(format, (struct sc_arguments){.vector = 48}, string, NULL);
	assert_string_equal(strings("%300$s"), "");
}
