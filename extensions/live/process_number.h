/* Process numbers on a command line, and the traces that these processes write. */
#pragma once

#include <limits.h>
#include "base/vector.h"

/* Processes, each with the trace that it writes. */
struct sc_process_traces {
	SC_VECTOR(int) numbers;
	SC_VECTOR(char *) paths; /* owned */
};

/* What is no process id ends the tool with a sentence that begins with the command's name. */
int sc_process_number_read(const char *command, const char *text);
/* Path of the trace that the process writes; if there is none, the tool ends with a sentence. */
void sc_process_number_find(const char *command, int process, char path[PATH_MAX]);
/* Adds the process of a word of the command line; one that writes no trace stands for those that it
 * started, and that they started. If none writes a trace, the tool ends with a sentence. */
void sc_process_traces_take(struct sc_process_traces *t, const char *command, const char *text);
void sc_process_traces_fini(struct sc_process_traces *t);
