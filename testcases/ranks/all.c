// Runs programs of this folder one after the other in one process: those that are named, or all.
// Each is compiled with its main() under its own name.
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM(name) extern int name(int argc, char **argv);
#include "programs.inc"
#undef PROGRAM

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name},
#include "programs.inc"
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
	int threads, status = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]) && !status; i++)
		if (is_named(programs[i].name, argc, argv))
			status = programs[i].run(argc, argv);
	if (status)
		MPI_Abort(MPI_COMM_WORLD, status);
	MPI_Finalize();
	return 0;
}
