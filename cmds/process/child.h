/* Child: a program run to its end in the foreground, signals passed on to it. */
#pragma once

#include <signal.h>
#include <sys/types.h>

/* How a program ended. */
struct sc_child_end {
	int status;	/* as wait reports it */
	sigset_t again; /* signals that were sent to the program and us, each of which may be on
			   its way twice */
	sigset_t mask;	/* of this process, as it was before */
};

/* Starts argv[0] = `path` with `prepare` called just before, in the new process; waits for its end.
 * Signals sent to this process go to the program; stop and continue go along. Those that would end
 * it stay blocked, so that the caller can get ready for more of them (cmds/process/interrupt.h).
 * SIGUSR1 goes to `follower` instead, if there is one: it asks for a report of what was seen so
 * far. Returns the process id, or -errno if it could not be started. */
int sc_child_run(const char *path, char **argv, void (*prepare)(void *context), void *context,
		 pid_t follower, struct sc_child_end *end);
/* In the new process: sets a variable for the program, which would be another one without it. No
 * memory ends the process, with a message. */
void sc_child_set(const char *name, const char *value);
/* The same; puts `value` at the start, or at the end, of the list that the variable holds. */
void sc_child_prepend(const char *name, const char *value, char separator);
void sc_child_append(const char *name, const char *value, char separator);
