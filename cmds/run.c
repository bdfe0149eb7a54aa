/* streamcheck run: a program under the recorder, then the traces of all its processes checked. */
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/run/recording.h"

int sc_cmd_run(int argc, char **argv)
{
	struct sc_recording run = {0};
	int first = sc_arguments_read(&run.options, sc_command_find("run"), argc, argv);

	if (first == argc)
		sc_die("run: no program given; usage: streamcheck run [options] [--] PROGRAM");
	sc_recording_init(&run, argv[first]);
	return sc_recording_run(&run, argv + first);
}
