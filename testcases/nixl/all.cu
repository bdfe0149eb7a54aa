// Runs programs of this folder one after the other in one process: those that are named, or all.
// Each is compiled with its main() under its own name.
#include "testcases/nixl/program.h"

#define PROGRAM(name) extern int name(void);
#include "nixl_programs.inc"
#undef PROGRAM

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
#define PROGRAM(name) {#name, name},
#include "nixl_programs.inc"
#undef PROGRAM
};

static bool is_named(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]) && !status; i++)
		if (is_named(programs[i].name, argc, argv))
			status = programs[i].run();
	return status;
}
