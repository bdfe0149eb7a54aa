/* Traces that are kept: what lies beside one goes along, or it is said that it could not. */
#include "cmds/process/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "trace/remains.h"

#define TRACE "trace.7.sct"

static char from[] = "/tmp/test_collect.XXXXXX", to[] = "/tmp/test_collect.XXXXXX";

static void path_of(char path[PATH_MAX], const char *folder, const char *name, const char *ending)
{
	snprintf(path, PATH_MAX, "%s/%s%s", folder, name, ending);
}

static void make(const char *ending)
{
	char path[PATH_MAX];
	FILE *file;

	path_of(path, from, TRACE, ending);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("x", file);
	fclose(file);
}

static int keep(void)
{
	struct sc_collect c = {0};
	char path[PATH_MAX];
	int err;

	make("");
	make(SC_REMAINS_ENDING);
	make(SC_FOUND_ENDING);
	strcpy(c.folder, from);
	sc_collect_list(&c);
	assert_int_equal(c.count, 1);
	path_of(path, to, "kept.sct", "");
	err = sc_collect_keep(&c, 0, path);
	sc_collect_forget(&c);
	return err;
}

static void expect(const char *ending)
{
	char path[PATH_MAX];

	path_of(path, to, "kept.sct", ending);
	assert_int_equal(access(path, R_OK), 0);
	unlink(path);
	path_of(path, from, TRACE, ending);
	unlink(path);
}

static void test_all_goes_along(void **unused)
{
	(void)unused;
	assert_int_equal(keep(), 0);
	expect("");
	expect(SC_REMAINS_ENDING);
	expect(SC_FOUND_ENDING);
}

static void test_findings_cannot_go_along(void **unused)
{
	char path[PATH_MAX];

	(void)unused;
	path_of(path, to, "kept.sct", SC_FOUND_ENDING);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(keep() < 0);
	rmdir(path);
	path_of(path, from, TRACE, SC_FOUND_ENDING);
	unlink(path);
	expect("");
	expect(SC_REMAINS_ENDING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_goes_along),
		cmocka_unit_test(test_findings_cannot_go_along),
	};
	int failed;

	if (!mkdtemp(from) || !mkdtemp(to))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(from);
	rmdir(to);
	return failed;
}
