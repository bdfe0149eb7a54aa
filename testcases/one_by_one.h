// Runs the programs of a folder one after the other in one process: those that are named, or all.
// Each is compiled with its main() under its own name. Before this is included:
//
//   PROGRAMS          the file that has a line PROGRAM(name) for each
//   PARAMETERS        what their main() takes: (void), or (int argc, char **argv)
//   ARGUMENTS         what it is given: (), or (argc, argv)
#ifndef SC_TESTCASES_ONE_BY_ONE_H
#define SC_TESTCASES_ONE_BY_ONE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PROGRAM(name) extern int name PARAMETERS;
#include PROGRAMS
#undef PROGRAM

static const struct {
	const char *name;
	int(*run) PARAMETERS;
} programs[] = {
#define PROGRAM(name) {#name, name},
#include PROGRAMS
#undef PROGRAM
};

static bool is_named(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

// Ends with the first that fails; returns its answer.
static int run_one_by_one(int argc, char **argv)
{
	int status = 0;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]) && !status; i++)
		if (is_named(programs[i].name, argc, argv))
			status = programs[i].run ARGUMENTS;
	return status;
}

#endif
