/* Child: a program run to its end in the foreground, signals passed on to it. */
#ifndef SC_CMDS_CHILD_H
#define SC_CMDS_CHILD_H

/* Starts argv[0] = `path` with `prepare` called just before, in the new process; waits for its end.
 * Signals sent to this process go to the program; stop and continue go along. Returns its process
 * id, or -errno if it could not be started. */
int sc_child_run(const char *path, char **argv, void (*prepare)(void *context), void *context,
		 int *status);

#endif
