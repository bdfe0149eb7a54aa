/* Children that are ended by a signal: kill, signals to groups, and the note for the command. */
#include "interposer/libc/kills.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "base/run_id.h"
#include "interposer/core/environment.h"
#include "interposer/core/maps.h"
#include "interposer/core/raw.h"
#include "interposer/core/real.h"
#include "interposer/core/session.h"

#define EXPORT	      __attribute__((visibility("default")))
#define CHILDREN_MOST 64

/* By system calls: programs send signals from handlers of signals. */
static void leave_note(int process, int number)
{
	const char *folder = sc_environment_value(SC_VARIABLE_COLLECT);
	char path[SC_PATH_BYTES], text[16];
	int bytes, n;
	long fd;

	n = snprintf(path, sizeof(path), "%s/%d" SC_ENDED_ENDING, folder, process);
	if (n < 0 || n >= (int)sizeof(path))
		return;
	fd = sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
	if (fd < 0)
		return;
	bytes = snprintf(text, sizeof(text), "%d\n", number);
	sc_raw(SYS_write, (uint64_t)fd, (uint64_t)text, (uint64_t)bytes, 0, 0, 0);
	sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

static bool is_collected(void)
{
	const char *folder = sc_environment_value(SC_VARIABLE_COLLECT);

	return folder && *folder;
}

/* Children that a signal ends, of a group also theirs. They are looked at before it, after which
 * they are no more. */
struct ended {
	int list[CHILDREN_MOST];
	unsigned count;
};

static void find(struct ended *e, int process, int number)
{
	int found[CHILDREN_MOST];
	unsigned count = 1;

	e->count = 0;
	if (!number || process == -1 || !is_collected())
		return;
	found[0] = process;
	if (process <= 0)
		count = sc_maps_descendants(found, CHILDREN_MOST, -process);
	for (unsigned i = 0; i < count; i++)
		if (sc_maps_is_ended_by(found[i], number, process > 0))
			e->list[e->count++] = found[i];
}

static void note(const struct ended *e, int number)
{
	for (unsigned i = 0; i < e->count; i++)
		leave_note(e->list[i], number);
}

void sc_kills_note(int process, int number)
{
	struct ended e;

	find(&e, process, number);
	note(&e, number);
}

void sc_kills_note_descriptor(int fd, int number)
{
	int process = number && is_collected() ? sc_maps_process_of(fd) : 0;

	if (process > 0)
		sc_kills_note(process, number);
}

/* The signal was sent, unless that failed; errno stays. */
static int sent(const struct ended *e, int number, int result)
{
	int saved = errno;

	if (!result)
		note(e, number);
	errno = saved;
	return result;
}

EXPORT int kill(pid_t process, int number)
{
	struct ended e;

	find(&e, process, number);
	return sent(&e, number, SC_REAL(kill)(process, number));
}

EXPORT int killpg(pid_t group, int number)
{
	struct ended e = {0};

	if (group >= 0 && group != 1)
		find(&e, -group, number);
	return sent(&e, number, SC_REAL(killpg)(group, number));
}

EXPORT int sigqueue(pid_t process, int number, const union sigval value)
{
	struct ended e;

	find(&e, process > 0 ? process : -1, number);
	return sent(&e, number, SC_REAL(sigqueue)(process, number, value));
}
