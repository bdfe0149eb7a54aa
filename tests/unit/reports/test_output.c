/* Output: whole or not at all, through no link of others, and never over what others wrote. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/run_start.h"
#include "reports/output.h"

#define NOBODY 65534

static char folder[64];

static const char *in_folder(const char *name)
{
	static _Thread_local char path[4][256];
	static _Thread_local int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", folder, name);
	return path[next];
}

static int write_text(const char *name, const char *text, const struct sc_run_start *keeps)
{
	struct sc_buf buf = {0};
	int err;

	sc_buf_add(&buf, text);
	err = sc_output_write_file(in_folder(name), &buf, keeps);
	sc_buf_fini(&buf);
	return err;
}

static void assert_holds(const char *name, const char *wanted)
{
	char text[64] = "";
	int fd = open(in_folder(name), O_RDONLY | O_NOFOLLOW);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	assert_string_equal(text, wanted);
}

static unsigned mode_of(const char *name)
{
	struct stat status;

	assert_int_equal(lstat(in_folder(name), &status), 0);
	return status.st_mode;
}

static int entries(void)
{
	DIR *d = opendir(folder);
	int count = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		count += *e->d_name != '.';
	closedir(d);
	return count;
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/streamcheck-output-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", folder);
	return system(line);
}

TEST_WITH(replaces_a_file_and_keeps_its_mode, make_folder, remove_folder)
{
	umask(022);
	assert_int_equal(write_text("a", "one", NULL), 0);
	assert_int_equal(mode_of("a") & 07777, 0644);
	assert_int_equal(chmod(in_folder("a"), 0640), 0);
	assert_int_equal(write_text("a", "two", NULL), 0);
	assert_int_equal(mode_of("a") & 07777, 0640);
	assert_holds("a", "two");
	assert_int_equal(entries(), 1);
}

TEST_WITH(follows_links_of_the_user, make_folder, remove_folder)
{
	assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
	assert_int_equal(symlink("sub/real", in_folder("link")), 0);
	assert_int_equal(symlink("link", in_folder("more")), 0);
	assert_int_equal(write_text("more", "text", NULL), 0);
	assert_holds("sub/real", "text");
	assert_int_equal(symlink("loop", in_folder("loop")), 0);
	assert_int_equal(write_text("loop", "text", NULL), -ELOOP);
}

/* As root alone can make what others would. */
TEST_WITH(replaces_what_others_planted, make_folder, remove_folder)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(write_text("victim", "old", NULL), 0);
	assert_int_equal(symlink("victim", in_folder("link")), 0);
	assert_int_equal(lchown(in_folder("link"), NOBODY, NOBODY), 0);
	assert_int_equal(write_text("link", "new", NULL), 0);
	assert_holds("victim", "old");
	assert_holds("link", "new");
	assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
	assert_int_equal(lchown(in_folder("pipe"), NOBODY, NOBODY), 0);
	assert_int_equal(write_text("pipe", "new", NULL), 0);
	assert_holds("pipe", "new");
	assert_int_equal(write_text("file", "old", NULL), 0);
	assert_int_equal(chmod(in_folder("file"), 0666), 0);
	assert_int_equal(chown(in_folder("file"), NOBODY, NOBODY), 0);
	assert_int_equal(write_text("file", "new", NULL), 0);
	assert_int_equal(mode_of("file") & 07777, 0644);
	assert_int_equal(entries(), 4);
}

/* What is written to as it stands. */
TEST_WITH(in_place_nothing_of_others_is_touched, make_folder, remove_folder)
{
	int fd;

	if (geteuid())
		skip();
	assert_int_equal(write_text("mine", "mine", NULL), 0);
	fd = sc_output_open_in_place(in_folder("mine"), O_APPEND);
	assert_int_equal(write(fd, "+", 1), 1);
	close(fd);
	assert_holds("mine", "mine+");
	assert_int_equal(symlink("mine", in_folder("own")), 0);
	fd = sc_output_open_in_place(in_folder("own"), O_APPEND);
	assert_int_equal(write(fd, "+", 1), 1);
	close(fd);
	assert_holds("mine", "mine++");
	assert_int_equal(symlink("mine", in_folder("planted")), 0);
	assert_int_equal(lchown(in_folder("planted"), NOBODY, NOBODY), 0);
	assert_true(sc_output_open_in_place(in_folder("planted"), O_APPEND) < 0);
	assert_int_equal(chown(in_folder("mine"), NOBODY, NOBODY), 0);
	assert_int_equal(sc_output_open_in_place(in_folder("mine"), O_APPEND), -EPERM);
	assert_holds("mine", "mine++");
	unlink(in_folder("own"));
	unlink(in_folder("planted"));
	unlink(in_folder("mine"));
	fd = sc_output_open_in_place(in_folder("new"), O_APPEND);
	assert_true(fd >= 0);
	close(fd);
	unlink(in_folder("new"));
}

TEST_WITH(leaves_nothing_of_what_fails, make_folder, remove_folder)
{
	struct sc_output o;

	assert_int_equal(write_text("no/such", "text", NULL), -ENOENT);
	assert_int_equal(write_text("", "text", NULL), -EISDIR);
	assert_int_equal(sc_output_open(&o, in_folder("a"), 0600), 0);
	assert_int_equal(entries(), 1);
	sc_output_drop(&o);
	assert_int_equal(entries(), 0);
	assert_int_equal(symlink("/dev/full", in_folder("full")), 0);
	assert_int_equal(write_text("full", "text", NULL), -ENOSPC);
	assert_int_equal(sc_output_check(in_folder("full")), 0);
	assert_int_equal(sc_output_check(in_folder("no/such")), -ENOENT);
	assert_int_equal(sc_output_check(folder), -EISDIR);
}

static uint64_t now_on(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

TEST_WITH(what_is_newer_stays, make_folder, remove_folder)
{
	struct sc_run_start run = {.began = now_on(CLOCK_REALTIME_COARSE), .process = 1};

	assert_int_equal(write_text("a", "first", &run), 0);
	assert_int_equal(write_text("a", "second", &run), -EEXIST);
	assert_holds("a", "first");
	run.began = now_on(CLOCK_REALTIME) + 1;
	assert_int_equal(write_text("a", "third", &run), 0);
	assert_holds("a", "third");
	assert_int_equal(entries(), 1);
}

#define WRITERS 16
#define SECOND	UINT64_C(1000000000)

static struct sc_run_start began;

static void *write_one(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)write_text("old", "new", &began);
}

TEST_WITH(one_of_many_replaces_the_old_one, make_folder, remove_folder)
{
	struct timespec past[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	pthread_t threads[WRITERS];
	int winners = 0;

	began = (struct sc_run_start){.began = now_on(CLOCK_REALTIME_COARSE), .process = 1};
	for (int round = 0; round < 50; round++) {
		winners = 0;
		assert_int_equal(write_text("old", "old", NULL), 0);
		assert_int_equal(utimensat(AT_FDCWD, in_folder("old"), past, 0), 0);
		for (int i = 0; i < WRITERS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, write_one, NULL), 0);
		for (int i = 0; i < WRITERS; i++) {
			void *err;

			pthread_join(threads[i], &err);
			assert_true(!err || (intptr_t)err == -EEXIST);
			winners += !err;
		}
		assert_int_equal(winners, 1);
		assert_int_equal(entries(), 1);
	}
}

/* Of a file that is stamped in the tick in which the run began only its mark tells whose it is. */
TEST_WITH(a_mark_tells_runs_of_one_tick_apart, make_folder, remove_folder)
{
	struct sc_run_start mine = {.began = 100 * SECOND, .ticks = 7, .process = 12};
	const struct sc_run_start other = {.began = 100 * SECOND, .ticks = 6, .process = 12};
	struct timespec same[2] = {{.tv_sec = 100}, {.tv_sec = 100}};

	assert_int_equal(write_text("file", "other", &other), 0);
	assert_int_equal(utimensat(AT_FDCWD, in_folder("file"), same, 0), 0);
	if (getxattr(in_folder("file"), "user.streamcheck.run", NULL, 0) < 0)
		skip(); /* the file system keeps no marks */
	assert_int_equal(write_text("file", "mine", &mine), 0);
	assert_holds("file", "mine");
	assert_int_equal(utimensat(AT_FDCWD, in_folder("file"), same, 0), 0);
	assert_int_equal(write_text("file", "again", &mine), -EEXIST);
	assert_int_equal(write_text("file", "other", &other), 0);
	assert_int_equal(write_text("file", "mine", &mine), -EEXIST); /* stamped now: later */

	assert_int_equal(write_text("file", "plain", NULL), 0);
	assert_int_equal(utimensat(AT_FDCWD, in_folder("file"), same, 0), 0);
	assert_int_equal(write_text("file", "mine", &mine), -EEXIST);
	mine.began++;
	assert_int_equal(write_text("file", "mine", &mine), 0);
}

/* A file of now is never earlier than the beginning of this process. */
TEST(a_family_began_before_now)
{
	struct sc_run_start run;

	assert_true(sc_run_find(getpid(), &run));
	assert_true(run.began > SECOND * 1000000000);
	assert_true(run.began <= now_on(CLOCK_REALTIME));
	assert_false(sc_run_find(-1, &run));
	assert_int_equal(run.began, 0);
}
