/* streamcheck analyze: recorded traces, checked again on any machine. */
#include <signal.h>
#include "cmds/arguments.h"
#include "cmds/check.h"
#include "cmds/command.h"

int sc_cmd_analyze(int argc, char **argv)
{
	struct sc_options options;
	struct sc_check check;
	int first = sc_arguments_read(&options, sc_command_find("analyze"), argc, argv);

	if (first == argc)
		sc_die("analyze: no trace given; usage: streamcheck analyze [options] TRACE...");
	/* A report that cannot be written must not keep the others from being written. */
	signal(SIGPIPE, SIG_IGN);
	sc_check_init(&check, &options);
	sc_check_begin(&check, (unsigned)(argc - first));
	for (int i = first; i < argc; i++)
		sc_check_trace(&check, argv[i]);
	return sc_check_end(&check);
}
