/* streamcheck report: what a process did so far, while it goes on. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "cmds/arguments.h"
#include "cmds/check.h"
#include "cmds/command.h"
#include "cmds/running.h"

static int number_of(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (number < 1 || number > INT_MAX || *end)
		sc_die("report: %s is no process id", text);
	return (int)number;
}

static void find(int process, char path[PATH_MAX])
{
	int err = sc_running_trace(process, path);

	if (err == -ESRCH)
		sc_die("report: there is no process %d", process);
	if (err == -ENOENT)
		sc_die("report: process %d writes no trace: streamcheck is not loaded there, or it "
		       "made no CUDA call yet",
		       process);
	if (err)
		sc_die("report: cannot look at process %d: %s", process, strerror(-err));
}

int sc_cmd_report(int argc, char **argv)
{
	struct sc_options options;
	struct sc_check check;
	char path[PATH_MAX];
	int first = sc_arguments_read(&options, sc_command_find("report"), argc, argv);

	if (first != argc - 1)
		sc_die("report: one process id is wanted; usage: streamcheck report [options] PID");
	find(number_of(argv[first]), path);
	sc_check_init(&check, &options);
	check.is_own = 1; /* its trace is removed when it ends */
	sc_check_begin(&check, 1);
	sc_check_trace(&check, path, NULL);
	return sc_check_end(&check);
}
