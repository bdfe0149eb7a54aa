/* Running: found by the file that the process has mapped. */
#include "cmds/process/running.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/vector.h"
#include "trace/follow.h"
#include "trace/given.h"

#define TRACE_ENDING ".sct"
#define STARTED_MOST 4096 /* processes that are looked at */
#define END_MOST_MS  10000
#define STAT_FLAGS   9
#define PF_SIGNALED  0x400 /* of the kernel, in field 9 */
#define STAT_PENDING 31

/* Process ids. */
struct numbers {
	SC_VECTOR(int) list;
};

/* Offers the path of each file in the process's memory; true once one is taken. */
static int each_file(int process, bool (*take)(void *data, const char *path), void *data)
{
	char name[32], *line = NULL;
	size_t room = 0;
	bool is_taken = false, has_failed;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", process);
	maps = fopen(name, "re");
	if (!maps)
		return errno == ENOENT ? -ESRCH : -errno;
	errno = 0;
	while (!is_taken && getline(&line, &room, maps) > 0) {
		const char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		is_taken = path && take(data, path);
	}
	has_failed = ferror(maps);
	free(line);
	fclose(maps);
	return is_taken ? 0 : has_failed ? -EIO : -ENOENT;
}

/* One that was removed has " (deleted)" at its end. */
static bool take_trace(void *data, const char *path)
{
	size_t bytes = strlen(path), ending = strlen(TRACE_ENDING);

	if (bytes < ending || bytes >= PATH_MAX || strcmp(path + bytes - ending, TRACE_ENDING) != 0)
		return false;
	memcpy(data, path, bytes + 1);
	return true;
}

/* Field `number` of /proc/PID/stat, from the third on (proc(5)). */
static unsigned long field_of(const char *stat, int number)
{
	const char *at = strrchr(stat, ')'); /* the name before it may have any character */

	for (int i = 2; at && i < number; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoul(at, NULL, 10) : 0;
}

/* A killed process keeps its memory until it gets a processor. */
static bool is_killed(int process)
{
	char name[32], stat[1024] = "";
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", process);
	file = fopen(name, "re");
	if (!file)
		return false;
	stat[fread(stat, 1, sizeof(stat) - 1, file)] = '\0';
	fclose(file);
	return field_of(stat, STAT_FLAGS) & PF_SIGNALED ||
	       field_of(stat, STAT_PENDING) & 1UL << (SIGKILL - 1);
}

bool sc_running_is_alive(int process)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
	bool is_alive;

	if (end.fd < 0)
		return !kill(process, 0);
	is_alive = poll(&end, 1, is_killed(process) ? END_MOST_MS : 0) <= 0;
	close(end.fd);
	return is_alive;
}

int sc_running_trace(int process, char path[PATH_MAX])
{
	return each_file(process, take_trace, path);
}

bool sc_running_own_trace(int process, char path[PATH_MAX])
{
	struct sc_trace_header head = {0};
	ssize_t got;
	int fd;

	if (sc_running_trace(process, path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	got = fd < 0 ? -1 : pread(fd, &head, sizeof(head), 0);
	if (fd >= 0)
		close(fd);
	return got == (ssize_t)sizeof(head) && head.process == (uint32_t)process;
}

/* Appends the children of one process that it has now. */
static void add_children(int process, struct numbers *out)
{
	char name[64], *line = NULL;
	size_t room = 0;
	glob_t threads;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/task/*/children", process);
	if (glob(name, 0, NULL, &threads))
		return;
	for (size_t i = 0; i < threads.gl_pathc; i++) {
		file = fopen(threads.gl_pathv[i], "re");
		if (file && getline(&line, &room, file) > 0)
			for (char *at = line, *end; *at && out->list.count < STARTED_MOST;
			     at = end) {
				long child = strtol(at, &end, 10);

				if (end == at)
					break;
				sc_vector_push(&out->list, (int)child);
			}
		if (file)
			fclose(file);
	}
	free(line);
	globfree(&threads);
}

void sc_running_each_started(int process, bool (*take)(void *data, int process), void *data)
{
	struct numbers all = {0};

	add_children(process, &all);
	for (size_t i = 0; i < all.list.count && take(data, all.list.items[i]); i++)
		add_children(all.list.items[i], &all);
	sc_vector_fini(&all.list);
}

static bool is_same(void *data, const char *path)
{
	const struct stat *wanted = data;
	struct stat status;

	return !stat(path, &status) && status.st_dev == wanted->st_dev &&
	       status.st_ino == wanted->st_ino;
}

void sc_running_settle(struct sc_reader *r, const char *path)
{
	struct stat status;
	struct sc_follow f;

	if (sc_reader_stats(r)->closed || stat(path, &status) ||
	    each_file((int)sc_reader_header(r)->process, is_same, &status) ||
	    !sc_running_is_alive((int)sc_reader_header(r)->process) || sc_follow_open(&f, path))
		return;
	f.passes_messages = true;
	sc_follow_look(&f, 0);
	if (!f.is_closed)
		sc_reader_set_end(r, f.settled);
	sc_follow_close(&f);
}

/* The trace, opened; -1: nobody ever gave space of it back. */
static int open_given(const char *path, struct sc_trace_given *given)
{
	struct stat status;
	int fd = stat(path, &status) || !S_ISREG(status.st_mode) ? -1
								 : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (pread(fd, given, sizeof(*given), SC_TRACE_GIVEN) == sizeof(*given) &&
		       given->was_followed))
		return fd;
	close(fd);
	return -1;
}

int sc_running_reporter(const char *path)
{
	struct sc_trace_given given;
	int fd = open_given(path, &given);

	if (fd < 0)
		return 0;
	close(fd);
	return given.run <= INT_MAX ? (int)given.run : 0;
}

bool sc_running_gives(const char *path, bool ever)
{
	struct sc_trace_given given;
	int fd = open_given(path, &given);
	bool is_given = fd >= 0;

	if (!is_given)
		return false;
	/* its reader holds a lock as long as it lives (trace/giver.h) */
	if (!ever)
		is_given = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return is_given;
}
