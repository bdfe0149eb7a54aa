/* Process numbers on a command line, and the traces that these processes write. */
#ifndef SC_CMDS_PROCESS_NUMBER_H
#define SC_CMDS_PROCESS_NUMBER_H

#include <limits.h>

/* What is no process id ends the tool with a sentence that begins with the command's name. */
int sc_process_number_read(const char *command, const char *text);
/* Path of the trace that the process writes; if there is none, the tool ends with a sentence. */
void sc_process_number_find(const char *command, int process, char path[PATH_MAX]);

#endif
