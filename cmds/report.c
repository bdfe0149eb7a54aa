/* streamcheck report: what processes did so far, while they go on. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "cmds/arguments.h"
#include "cmds/check.h"
#include "cmds/command.h"
#include "cmds/process_number.h"
#include "cmds/running.h"

int sc_cmd_report(int argc, char **argv)
{
	struct sc_options options;
	struct sc_check check;
	char path[PATH_MAX], **paths;
	int first = sc_arguments_read(&options, sc_command_find("report"), argc, argv);
	size_t count;

	if (first == argc)
		sc_die("report: no process id given; usage: streamcheck report [options] PID...");
	count = (size_t)(argc - first);
	paths = sc_heap_xcalloc(count, sizeof(*paths));
	for (size_t i = 0; i < count; i++) {
		int process = sc_process_number_read("report", argv[(size_t)first + i]);

		sc_process_number_find("report", process, path);
		if (sc_running_gives(path, false))
			sc_die("report: process %d runs with option live-disk, so its trace is not "
			       "kept; \"kill -USR1 %d\" makes its run write a report",
			       process, sc_running_reporter(path));
		paths[i] = sc_heap_xcopy(path, strlen(path));
	}
	sc_check_init(&check, &options);
	check.is_own = 1; /* its trace is removed when it ends */
	sc_check_begin(&check, (unsigned)count);
	sc_check_compare(&check, paths, count);
	for (size_t i = 0; i < count; i++) {
		sc_check_trace(&check, paths[i], NULL);
		free(paths[i]);
	}
	free(paths);
	return sc_check_end(&check);
}
