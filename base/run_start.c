/* The start of a run: parents, as far up as they have the library in their environment. */
#include "base/run_start.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/sys.h"

#define VARIABLE    "LD_PRELOAD="
#define LIBRARY	    "libstreamcheck.so"
#define PARENTS_MAX 64
#define SECOND	    UINT64_C(1000000000)
#define PARENT_WORD 2  /* of /proc/PID/stat, from what follows the name */
#define START_WORD  20 /* in ticks since the machine was started */

static int open_of(int process, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", process, what);
	return sc_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

/* Its parent, and when it was started. */
static bool read_stat(int process, int *parent, uint64_t *ticks)
{
	int fd = open_of(process, "stat");
	const char *word;
	char text[1024];
	ssize_t bytes;

	bytes = fd < 0 ? -1 : sc_sys_read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		sc_sys_close(fd);
	if (bytes <= 0)
		return 0;
	text[bytes] = '\0';
	word = strrchr(text, ')'); /* a name may hold anything */
	for (int i = 1; word && i <= START_WORD; i++) {
		word = strchr(word + 1, ' ');
		if (word && i == PARENT_WORD)
			*parent = (int)strtol(word, NULL, 10);
	}
	if (!word)
		return 0;
	*ticks = strtoull(word, NULL, 10);
	return 1;
}

/* Where a text is looked for, letter by letter. Neither word begins again inside itself. */
struct search {
	size_t name, value; /* letters of VARIABLE and of LIBRARY that were found */
	bool is_other;	    /* variable */
};

static bool take(struct search *s, char c)
{
	if (!c) {
		*s = (struct search){0};
	} else if (!s->is_other && s->name < strlen(VARIABLE)) {
		s->is_other = c != VARIABLE[s->name++];
	} else if (!s->is_other) {
		s->value = c == LIBRARY[s->value] ? s->value + 1 : c == LIBRARY[0];
	}
	return s->value == strlen(LIBRARY);
}

static bool has_library(int process)
{
	int fd = open_of(process, "environ");
	struct search s = {0};
	bool found = 0;
	char text[1024];
	ssize_t bytes;

	while (!found && fd >= 0 && (bytes = sc_sys_read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < bytes && !found; i++)
			found = take(&s, text[i]);
	if (fd >= 0)
		sc_sys_close(fd);
	return found;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static uint64_t tick_ns(void)
{
	return SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

bool sc_run_find(int process, struct sc_run_start *out)
{
	int parent = 0, next = 0;
	uint64_t above;

	*out = (struct sc_run_start){.process = process};
	if (!read_stat(process, &parent, &out->ticks)) {
		*out = (struct sc_run_start){0};
		return 0;
	}
	for (int i = 0; i < PARENTS_MAX && parent > 1 && has_library(parent); i++) {
		if (!read_stat(parent, &next, &above))
			break;
		out->process = parent;
		out->ticks = above;
		parent = next;
	}
	out->began = now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME) + (out->ticks - 1) * tick_ns();
	return 1;
}

/* ---- what it wrote ---- */

#define MARK	   "user.streamcheck.run"
#define MARK_BYTES 48

static int print_mark(char text[MARK_BYTES], const struct sc_run_start *run)
{
	return snprintf(text, MARK_BYTES, "%d.%" PRIu64, run->process, run->ticks);
}

void sc_run_sign(int fd, const struct sc_run_start *run)
{
	char text[MARK_BYTES];
	int bytes = print_mark(text, run);

	sc_raw(SYS_fsetxattr, (uint64_t)fd, (uint64_t)MARK, (uint64_t)text, (uint64_t)bytes, 0, 0);
}

/* True if the file has a mark, which another run put there. */
static bool is_marked_by_another(int fd, const struct sc_run_start *run)
{
	char mine[MARK_BYTES], found[MARK_BYTES];
	long bytes;

	if (fd < 0)
		return 0;
	bytes = sc_raw(SYS_fgetxattr, (uint64_t)fd, (uint64_t)MARK, (uint64_t)found, sizeof(found),
		       0, 0);
	return bytes > 0 && (bytes != print_mark(mine, run) || memcmp(mine, found, (size_t)bytes));
}

bool sc_run_wrote(const struct sc_run_start *run, int fd, const struct stat *status)
{
	uint64_t changed =
		(uint64_t)status->st_mtim.tv_sec * SECOND + (uint64_t)status->st_mtim.tv_nsec;

	if (!S_ISREG(status->st_mode) || changed < run->began)
		return 0;
	/* A mark that differs behind these ticks is of a process whose parents have ended: nobody
	 * can tell any more that it was of this run. */
	return changed >= run->began + 2 * tick_ns() || !is_marked_by_another(fd, run);
}

bool sc_run_is_outermost(int process)
{
	uint64_t ticks;
	int parent = 0;

	return read_stat(process, &parent, &ticks) && !(parent > 1 && has_library(parent));
}
