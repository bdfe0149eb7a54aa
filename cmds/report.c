/* streamcheck report: what processes did so far, while they go on. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/arguments.h"
#include "cmds/ask.h"
#include "cmds/check.h"
#include "cmds/command.h"
#include "cmds/process_number.h"
#include "cmds/running.h"

/* Only who follows traces whose space is given back can report of them (option live-disk). */
static int ask(const struct sc_options *o, char **paths, const int *numbers, size_t count)
{
	size_t folder = (size_t)(strrchr(paths[0], '/') - paths[0]) + 1;
	int fd;

	if (count > SC_ASK_PROCESSES)
		sc_die("report: %d processes of a run with option live-disk at most",
		       SC_ASK_PROCESSES);
	for (size_t i = 1; i < count; i++)
		if (strncmp(paths[i], paths[0], folder) != 0 || strchr(paths[i] + folder, '/'))
			sc_die("report: processes %d and %d are of different runs, one of which "
			       "has "
			       "option live-disk; report of each by itself",
			       numbers[0], numbers[i]);
	fd = sc_ask_open(paths[0]);
	if (fd < 0)
		sc_die("report: process %d runs with option live-disk, so its trace is not kept, "
		       "and the process that follows it cannot be reached; \"kill -USR1 %d\" makes "
		       "its run write a report",
		       numbers[0], sc_running_reporter(paths[0]));
	return sc_ask_report(fd, numbers, count, o);
}

int sc_cmd_report(int argc, char **argv)
{
	struct sc_options options;
	struct sc_check check;
	char path[PATH_MAX], **paths;
	int first = sc_arguments_read(&options, sc_command_find("report"), argc, argv);
	size_t count, given = 0;
	int *numbers;

	if (first == argc)
		sc_die("report: no process id given; usage: streamcheck report [options] PID...");
	count = (size_t)(argc - first);
	paths = sc_heap_xcalloc(count, sizeof(*paths));
	numbers = sc_heap_xcalloc(count, sizeof(*numbers));
	for (size_t i = 0; i < count; i++) {
		int process = sc_process_number_read("report", argv[(size_t)first + i]);

		sc_process_number_find("report", process, path);
		numbers[i] = process;
		paths[i] = sc_heap_xcopy(path, strlen(path));
		given += sc_running_gives(path, false);
	}
	if (given)
		return ask(&options, paths, numbers, count);
	free(numbers);
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
