/* Children that are ended by a signal: kill, and the note for the command. */
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

#define EXPORT __attribute__((visibility("default")))

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

void sc_kills_note(int process, int number)
{
	if (number && is_collected() && sc_maps_is_ended_by(process, number))
		leave_note(process, number);
}

void sc_kills_note_descriptor(int fd, int number)
{
	int process = number && is_collected() ? sc_maps_process_of(fd) : 0;

	if (process > 0)
		sc_kills_note(process, number);
}

/* Looked at before the signal, after which the child is no more. */
EXPORT int kill(pid_t process, int number)
{
	bool ends = number && process > 0 && is_collected() && sc_maps_is_ended_by(process, number);
	int result = SC_REAL(kill)(process, number), saved = errno;

	if (ends && !result)
		leave_note(process, number);
	errno = saved;
	return result;
}
