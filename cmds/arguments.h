/* Arguments: options of the table base/option.def on a command line. */
#ifndef SC_CMDS_ARGUMENTS_H
#define SC_CMDS_ARGUMENTS_H

#include "base/option.h"
#include "cmds/command.h"

/* Reads STREAMCHECK_OPTIONS, then --name=value, --name value and, for yes/no options, --name; -o is
 * --output; up to the first other argument or past "--". Returns the index of that argument.
 * `--help` prints the command's help and ends the tool; wrong usage ends it with a sentence. */
int sc_arguments_read(struct sc_options *o, const struct sc_command *command, int argc,
		      char **argv);

#endif
