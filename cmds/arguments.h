/* Arguments: options of the table base/option.def on a command line. */
#pragma once

#include "base/option.h"
#include "cmds/command.h"

/* Reads the file of option config (base/config.h), then STREAMCHECK_OPTIONS, then --name=value,
 * --name value and, for yes/no options, --name; -o is --output. Options may follow file names, but
 * neither
 * "--" nor the program of `run`. The other arguments are moved to the end of argv, in their order;
 * returns the index of the first. `--help` prints the command's help and ends the tool; wrong usage
 * ends it with a sentence. */
int sc_arguments_read(struct sc_options *o, const struct sc_command *command, int argc,
		      char **argv);

/* Where no program runs, standard output is free: sends a report there that is not for people, if
 * it has no file. */
void sc_arguments_print_data(struct sc_options *o);
