/* Traces that are kept: what lies beside one goes along, or it is said that it could not. A process
 * without room for a name is counted in the trace of another one. */
#define UNIT_OWN_MAIN
#include "cmds/process/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/run_id.h"
#include "trace/reader.h"
#include "trace/remains.h"
#include "trace/writer.h"

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

TEST(all_goes_along)
{
	assert_int_equal(keep(), 0);
	expect("");
	expect(SC_REMAINS_ENDING);
	expect(SC_FOUND_ENDING);
}

TEST(findings_cannot_go_along)
{
	char path[PATH_MAX];

	path_of(path, to, "kept.sct", SC_FOUND_ENDING);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(keep() < 0);
	rmdir(path);
	path_of(path, from, TRACE, SC_FOUND_ENDING);
	unlink(path);
	expect("");
	expect(SC_REMAINS_ENDING);
}

/* Processes not recorded, as a trace says after one was added. */
static uint64_t count_lost(bool is_closed)
{
	struct sc_writer w = {.fd = -1};
	struct sc_collect c = {0};
	struct sc_reader *r;
	char path[PATH_MAX];
	uint64_t count;

	path_of(path, from, TRACE, "");
	assert_int_equal(sc_writer_open(&w, path, 1 << 20), 0);
	if (is_closed)
		sc_writer_close(&w);
	strcpy(c.folder, from);
	sc_collect_list(&c);
	assert_true(sc_collect_add_lost(&c, 0));
	sc_collect_forget(&c);
	assert_int_equal(sc_reader_open(&r, path, NULL, 0), 0);
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	assert_int_equal(sc_reader_stats(r)->closed, is_closed);
	count = sc_reader_stats(r)->gaps[SC_GAP_lost_processes];
	sc_reader_free(r);
	if (!is_closed)
		sc_writer_close(&w);
	unlink(path);
	return count;
}

TEST(a_process_without_a_name_is_counted)
{
	struct sc_collect c = {0};

	strcpy(c.folder, from);
	assert_false(sc_collect_lacks(&c));
	assert_int_equal(chmod(from, SC_COLLECT_LACKS), 0);
	assert_true(sc_collect_lacks(&c));
	assert_int_equal(count_lost(true), 1);
	assert_int_equal(count_lost(false), 1);
}

int main(void)
{
	int failed;

	if (!mkdtemp(from) || !mkdtemp(to))
		return 1;
	failed = unit_run();
	rmdir(from);
	rmdir(to);
	return failed;
}
