/* streamcheck analyze: recorded traces, checked again on any machine. */
#include <signal.h>
#include <stdlib.h>
#include "cmds/arguments.h"
#include "cmds/check/check.h"
#include "cmds/command.h"
#include "cmds/inputs.h"
#include "extensions/ranks/ranks.h"

int sc_cmd_analyze(int argc, char **argv)
{
	struct sc_options options;
	struct sc_inputs in = {0};
	struct sc_check check;
	const char *ended =
		getenv("STREAMCHECK_ENDED"); /* of the recorder (interposer/process/spawn.c) */
	int first = sc_arguments_read(&options, sc_command_find("analyze"), argc, argv);

	if (first == argc)
		sc_die("analyze: no trace given; usage: streamcheck analyze [options] "
		       "TRACE|FOLDER...");
	sc_shard_check(&options);
	if (!ended)
		sc_arguments_print_data(&options);
	/* A report that cannot be written must not keep the others from being written. */
	signal(SIGPIPE, SIG_IGN);
	sc_inputs_take_traces(&in, "analyze", argv + first, argc - first);
	sc_check_init(&check, &options);
	sc_check_compare(&check, in.traces.items, in.traces.count);
	sc_shard_apply(&options, &in, &check, argv[first]);
	sc_check_begin(&check, (unsigned)in.traces.count);
	if (ended)
		sc_check_set_ended(&check, (int)strtol(ended, NULL, 10));
	for (size_t i = 0; i < in.traces.count; i++)
		sc_check_trace(&check, in.traces.items[i], NULL);
	sc_inputs_fini(&in);
	return sc_check_end(&check);
}
