/* Source: lines for excerpts, and whether they are those that the program was built from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/source.h"

#define NOW_S 1700000000

static char folder[] = "/tmp/test_source.XXXXXX";

/* A file in the folder that was changed then; its path, to be freed. */
static char *make(const char *name, const char *text, time_t seconds, long nanoseconds)
{
	const struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
	char *path = malloc(sizeof(folder) + strlen(name) + 1);
	FILE *file;

	assert_non_null(path);
	sprintf(path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(utimensat(0, path, times, 0), 0);
	return path;
}

static void drop(char *path)
{
	unlink(path);
	free(path);
}

static void test_a_line_is_trimmed_and_cut(void **state)
{
	char *path = make("a.c", "one\n\t two\tand more \r\n", NOW_S, 0);
	struct sc_buf out = {0};

	(void)state;
	assert_true(sc_source_line(&out, path, 2, 0));
	assert_string_equal(sc_buf_text(&out), "two and more");
	assert_false(sc_source_line(&out, path, 3, 0));
	assert_false(sc_source_line(&out, "a.c", 1, 0));
	assert_false(sc_source_line(&out, folder, 1, 0));
	sc_buf_fini(&out);
	drop(path);
}

static void test_a_file_changed_later_is_newer(void **state)
{
	char *program = make("program", "", NOW_S, 500);
	char *older = make("older.c", "", NOW_S, 499), *newer = make("newer.c", "", NOW_S, 501);
	char *later = make("later.c", "", NOW_S + 1, 0);

	(void)state;
	assert_false(sc_source_is_newer(older, program));
	assert_false(sc_source_is_newer(program, program));
	assert_true(sc_source_is_newer(newer, program));
	assert_true(sc_source_is_newer(later, program));
	drop(program);
	drop(older);
	drop(newer);
	drop(later);
}

static void test_what_is_not_known_is_not_newer(void **state)
{
	char *source = make("a.c", "", NOW_S, 0);
	char *fixed = make("fixed", "", 1, 0); /* built with a date of its own */

	(void)state;
	assert_false(sc_source_is_newer(source, fixed));
	assert_false(sc_source_is_newer(source, "/missing"));
	assert_false(sc_source_is_newer(source, ""));
	assert_false(sc_source_is_newer("/missing", source));
	assert_false(sc_source_is_newer("a.c", source));
	assert_false(sc_source_is_newer(source, folder));
	drop(source);
	drop(fixed);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int drop_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_trimmed_and_cut),
		cmocka_unit_test(test_a_file_changed_later_is_newer),
		cmocka_unit_test(test_what_is_not_known_is_not_newer),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
