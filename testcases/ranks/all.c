// Runs programs of this folder, or of a folder below, one after the other in one process.
#include <mpi.h>

#define PROGRAMS   "programs.inc"
#define PARAMETERS (int argc, char **argv)
#define ARGUMENTS  (argc, argv)
#include "testcases/one_by_one.h"

int main(int argc, char **argv)
{
	int threads, status;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
	status = run_one_by_one(argc, argv);
	if (status)
		MPI_Abort(MPI_COMM_WORLD, status);
	MPI_Finalize();
	return 0;
}
