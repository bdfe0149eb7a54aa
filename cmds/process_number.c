/* Process numbers: read, and looked up. */
#include "cmds/process_number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/message.h"
#include "cmds/running.h"

int sc_process_number_read(const char *command, const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (number < 1 || number > INT_MAX || *end)
		sc_die("%s: %s is no process id", command, text);
	return (int)number;
}

void sc_process_number_find(const char *command, int process, char path[PATH_MAX])
{
	int err = sc_running_trace(process, path);

	if (err == -ESRCH)
		sc_die("%s: there is no process %d", command, process);
	if (err == -ENOENT)
		sc_die("%s: process %d writes no trace: streamcheck is not loaded there, or it "
		       "made no CUDA call yet",
		       command, process);
	if (err)
		sc_die("%s: cannot look at process %d: %s", command, process, strerror(-err));
}
