/* Collect: the private folder in which the processes of one run leave their traces, and texts of
 * device code for one another (interposer/object/assembler.c). */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define SC_FOUND_ENDING ".found" /* of the file beside a trace (cmds/files/follower_findings.h) */

struct sc_collect {
	char folder[PATH_MAX];
	char **names; /* owned: file names of the traces, in order of process id */
	int count;
};

/* Makes the folder below TMPDIR; failure ends the tool with a sentence. */
void sc_collect_init(struct sc_collect *c);
/* Lists the traces that are there now. */
void sc_collect_list(struct sc_collect *c);
/* Forgets the list; the folder stays. */
void sc_collect_forget(struct sc_collect *c);
/* Path of trace `index`. */
void sc_collect_path(const struct sc_collect *c, int index, char out[PATH_MAX]);
/* Process that wrote trace `index`. */
int sc_collect_process(const struct sc_collect *c, int index);
/* True if its process could not be recorded, and left an empty file as the sign. */
bool sc_collect_is_empty(const struct sc_collect *c, int index);
/* Such a file becomes a trace without records that counts its process as lost, so that each report
 * has it; false if that fails. */
bool sc_collect_fill(const struct sc_collect *c, int index);
/* True if a process could not leave even that. */
bool sc_collect_lacks(const struct sc_collect *c);
/* Counts such a process in trace `index`, which another process wrote; false if that fails. */
bool sc_collect_add_lost(const struct sc_collect *c, int index);
/* Closes trace `index` if it is open: its process is known to have ended by itself, with `status`,
 * if past the C library, where the recorder could not see the end (Go). The end comes after all
 * other ops. */
void sc_collect_close(const struct sc_collect *c, int index, int status);
/* Closes trace `index` if its process's own parent, of the run too, ended it by a signal. */
void sc_collect_close_ended(const struct sc_collect *c, int index);
/* Moves trace `index` to a file of the user's, with what lies beside it. Returns 0 or -errno. */
int sc_collect_keep(const struct sc_collect *c, int index, const char *path);
/* Removes the folder and what is left in it. */
void sc_collect_fini(struct sc_collect *c);
