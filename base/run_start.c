/* The start of a run: parents, as far up as they have the library in their environment. */
#include "base/run_start.h"

#include <fcntl.h>
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

uint64_t sc_run_start(int process)
{
	uint64_t ticks, tick = SECOND / (uint64_t)sysconf(_SC_CLK_TCK), above;
	int parent = 0, next = 0;

	if (!read_stat(process, &parent, &ticks))
		return 0;
	for (int i = 0; i < PARENTS_MAX && parent > 1 && has_library(parent); i++) {
		if (!read_stat(parent, &next, &above))
			break;
		parent = next;
		ticks = above;
	}
	return now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME) + (ticks - 1) * tick;
}

bool sc_run_is_outermost(int process)
{
	uint64_t ticks;
	int parent = 0;

	return read_stat(process, &parent, &ticks) && !(parent > 1 && has_library(parent));
}
