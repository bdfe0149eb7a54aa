/* streamcheck report: what a process did so far, while it goes on. */
#include <limits.h>
#include "cmds/arguments.h"
#include "cmds/check.h"
#include "cmds/command.h"
#include "cmds/process_number.h"
#include "cmds/running.h"

int sc_cmd_report(int argc, char **argv)
{
	struct sc_options options;
	struct sc_check check;
	char path[PATH_MAX];
	int first = sc_arguments_read(&options, sc_command_find("report"), argc, argv);

	if (first != argc - 1)
		sc_die("report: one process id is wanted; usage: streamcheck report [options] PID");
	sc_process_number_find("report", sc_process_number_read("report", argv[first]), path);
	if (sc_running_gives(path, false))
		sc_die("report: process %s runs with option live-disk, so its trace is not kept; "
		       "its report comes when it ends",
		       argv[first]);
	sc_check_init(&check, &options);
	check.is_own = 1; /* its trace is removed when it ends */
	sc_check_begin(&check, 1);
	sc_check_trace(&check, path, NULL);
	return sc_check_end(&check);
}
