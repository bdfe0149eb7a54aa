/* streamcheck report: what processes did so far, while they go on. */
#include <string.h>
#include "base/message.h"
#include "cmds/arguments.h"
#include "extensions/live/ask.h"
#include "cmds/check/check.h"
#include "cmds/command.h"
#include "extensions/live/process_number.h"
#include "cmds/process/running.h"

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
	struct sc_process_traces t = {0};
	int first = sc_arguments_read(&options, sc_command_find("report"), argc, argv), code;
	size_t given = 0;

	if (first == argc)
		sc_die("report: no process id given; usage: streamcheck report [options] PID...");
	for (int i = first; i < argc; i++)
		sc_process_traces_take(&t, "report", argv[i]);
	for (size_t i = 0; i < t.paths.count; i++)
		given += sc_running_gives(t.paths.items[i], false);
	if (given) {
		code = ask(&options, t.paths.items, t.numbers.items, t.paths.count);
		sc_process_traces_fini(&t);
		return code;
	}
	sc_check_init(&check, &options);
	check.is_own = 1; /* its trace is removed when it ends */
	sc_check_begin(&check, (unsigned)t.paths.count);
	sc_check_compare(&check, t.paths.items, t.paths.count);
	for (size_t i = 0; i < t.paths.count; i++)
		sc_check_trace(&check, t.paths.items[i], NULL);
	sc_process_traces_fini(&t);
	return sc_check_end(&check);
}
