/* Source: lines for excerpts, and whether they are those that the program was built from. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "reports/sources/source.h"

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

static struct sc_sources own = {.is_own = 1};

TEST(a_line_is_trimmed_and_cut)
{
	char *path = make("a.c", "one\n\t two\tand more \r\n", NOW_S, 0);
	struct sc_buf out = {0};

	assert_true(sc_source_line(&out, &own, path, 2, 0));
	assert_string_equal(sc_buf_text(&out), "two and more");
	assert_false(sc_source_line(&out, &own, path, 3, 0));
	assert_false(sc_source_line(&out, &own, "a.c", 1, 0));
	assert_false(sc_source_line(&out, &own, folder, 1, 0));
	sc_buf_fini(&out);
	drop(path);
}

TEST(a_file_changed_later_is_newer)
{
	char *program = make("program", "", NOW_S, 500);
	char *older = make("older.c", "", NOW_S, 499), *newer = make("newer.c", "", NOW_S, 501);
	char *later = make("later.c", "", NOW_S + 1, 0);

	assert_false(sc_source_is_newer(older, program));
	assert_false(sc_source_is_newer(program, program));
	assert_true(sc_source_is_newer(newer, program));
	assert_true(sc_source_is_newer(later, program));
	drop(program);
	drop(older);
	drop(newer);
	drop(later);
}

TEST(what_is_not_known_is_not_newer)
{
	char *source = make("a.c", "", NOW_S, 0);
	char *fixed = make("fixed", "", 1, 0); /* built with a date of its own */

	assert_false(sc_source_is_newer(source, fixed));
	assert_false(sc_source_is_newer(source, "/missing"));
	assert_false(sc_source_is_newer(source, ""));
	assert_false(sc_source_is_newer("/missing", source));
	assert_false(sc_source_is_newer("a.c", source));
	assert_false(sc_source_is_newer(source, folder));
	drop(source);
	drop(fixed);
}

static bool is_read(struct sc_sources *s, const char *path)
{
	FILE *file = sc_source_open(s, path);

	if (file)
		fclose(file);
	return file != NULL;
}

/* Whoever wrote the trace. */
TEST(what_is_no_text_is_not_read)
{
	char *binary = make("binary", "", NOW_S, 0);
	struct sc_sources off = {.is_own = 1, .is_off = 1};
	FILE *file = fopen(binary, "w");

	assert_non_null(file);
	assert_int_equal(fwrite("text\0", 1, 5, file), 5);
	fclose(file);
	assert_false(is_read(&own, binary));
	assert_true(is_read(&own, "/etc/passwd"));
	assert_false(is_read(&own, "/proc/self/environ"));
	assert_false(is_read(&own, "/sys/kernel/mm/transparent_hugepage/enabled"));
	assert_false(is_read(&own, "/dev/null"));
	assert_false(is_read(&off, "/etc/passwd"));
	assert_false(is_read(NULL, "/etc/passwd"));
	drop(binary);
}

static struct sc_sources of_a_foreign_trace(const char *root)
{
	struct sc_options options;
	struct sc_sources s;

	sc_options_init(&options);
	options.source_root.count = root != NULL;
	snprintf(options.source_root.text[0], SC_OPTION_TEXT_BYTES, "%s", root ? root : "");
	sc_sources_init(&s, &options, 0);
	return s;
}

/* One that somebody else wrote leads nowhere but to the user's tree. */
TEST(a_foreign_trace_stays_in_the_tree)
{
	char *inside = make("a.c", "text\n", NOW_S, 0), *hidden = make(".key", "text\n", NOW_S, 0);
	char before[PATH_MAX], link[64], around[96];
	struct sc_sources s;

	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(around, sizeof(around), "%s/../../etc/passwd", folder);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir("/"), 0);
	s = of_a_foreign_trace(NULL);
	assert_false(is_read(&s, inside));
	assert_false(is_read(&s, "/etc/passwd"));
	assert_int_equal(s.passed_over, 2);
	s = of_a_foreign_trace(folder);
	assert_true(is_read(&s, inside));
	assert_false(is_read(&s, hidden));
	assert_false(is_read(&s, link));
	assert_false(is_read(&s, around));
	assert_false(is_read(&s, "/etc/passwd"));
	assert_int_equal(chdir(folder), 0);
	s = of_a_foreign_trace(NULL);
	assert_true(is_read(&s, inside));
	assert_false(is_read(&s, link));
	s = of_a_foreign_trace("/");
	assert_true(is_read(&s, "/etc/passwd"));
	assert_false(is_read(&s, "/proc/self/environ"));
	assert_int_equal(chdir(before), 0);
	unlink(link);
	drop(inside);
	drop(hidden);
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
ALL_TESTS(make_folder, drop_folder)
