/* Traced: looked for in /proc. */
#include "extensions/live/traced.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LINE_MOST 8192

static FILE *open_proc(int process, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", process, name);
	return fopen(path, "re");
}

/* Whether the process maps the file. A line of /proc/N/maps: addresses, rights, offset, device,
 * inode. */
static bool maps(int process, const struct stat *file)
{
	FILE *list = open_proc(process, "maps");
	char line[LINE_MOST];
	bool is_found = false;

	while (list && !is_found && fgets(line, sizeof(line), list)) {
		unsigned major = 0, minor = 0;
		unsigned long inode = 0;

		if (sscanf(line, "%*s %*s %*s %x:%x %lu", &major, &minor, &inode) == 3)
			is_found = inode && inode == file->st_ino && major == major(file->st_dev) &&
				   minor == minor(file->st_dev);
	}
	if (list)
		fclose(list);
	return is_found;
}

/* Its number in its innermost namespace, the last of the line; 0: not known. */
static int own_number(int process)
{
	FILE *list = open_proc(process, "status");
	char line[LINE_MOST];
	int number = 0;

	while (list && !number && fgets(line, sizeof(line), list))
		if (!strncmp(line, "NSpid:", 6)) {
			const char *last = strrchr(line, '\t');

			number = last ? (int)strtol(last + 1, NULL, 10) : 0;
		}
	if (list)
		fclose(list);
	return number;
}

/* The descriptor comes first: from then on the number stays that of this process. */
static bool try(struct sc_traced *t, int process, const struct stat *file)
{
	int descriptor = (int)syscall(SYS_pidfd_open, process, 0);

	if (descriptor < 0)
		return false;
	if (own_number(process) != t->number || !maps(process, file)) {
		close(descriptor);
		return false;
	}
	t->descriptor = descriptor;
	t->here = process;
	return true;
}

void sc_traced_open(struct sc_traced *t, int number, const char *trace)
{
	const struct dirent *entry;
	struct stat file;
	DIR *all;

	*t = (struct sc_traced){.descriptor = -1, .number = number};
	if (number <= 0 || stat(trace, &file) || try(t, number, &file))
		return;
	all = opendir("/proc");
	while (all && t->descriptor < 0 && (entry = readdir(all)))
		if (isdigit((unsigned char)entry->d_name[0]))
			try(t, (int)strtol(entry->d_name, NULL, 10), &file);
	if (all)
		closedir(all);
}

void sc_traced_close(struct sc_traced *t)
{
	if (t->descriptor >= 0)
		close(t->descriptor);
	t->descriptor = -1;
}

bool sc_traced_may_live(const struct sc_traced *t)
{
	struct pollfd end = {.fd = t->descriptor, .events = POLLIN};

	if (t->descriptor >= 0)
		return poll(&end, 1, 0) <= 0;
	return !kill(t->number, 0) || errno != ESRCH;
}

bool sc_traced_signal(const struct sc_traced *t, int number)
{
	return t->descriptor >= 0 && sc_traced_may_live(t) &&
	       !syscall(SYS_pidfd_send_signal, t->descriptor, number, NULL, 0);
}
