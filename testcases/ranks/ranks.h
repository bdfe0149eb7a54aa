// What the programs of ranks need: the process among the others, and device.h.
//
// C, since a compiler of C is enough for them: each is compiled with the headers of Open MPI and of
// MPICH. The kernels (kernels.cu) are compiled once. Head comments as described in common.h, with
//
//   // ranks: 3                              how many processes take part; 2 if nothing is said
//   // only: mpich                           the one library that has these functions
//
// What is expected is that of all ranks together; a finding that several ranks have counts once.
#ifndef SC_TESTCASES_RANKS_H
#define SC_TESTCASES_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include "testcases/ranks/device.h"

static inline void give_up(int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
}

// The process among the others.
struct ranks {
	int rank, ranks;
	int left, right; // neighbours in a ring
};

// Programs may run one after the other in one process (all.c).
static inline struct ranks begin(int *argc, char ***argv)
{
	int is_begun, threads;
	struct ranks r;

	MPI_Initialized(&is_begun);
	if (!is_begun)
		MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &threads);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
	r.right = (r.rank + 1) % r.ranks;
	r.left = (r.rank + r.ranks - 1) % r.ranks;
	return r;
}

static inline int end(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
#ifdef ALONE
	MPI_Finalize();
#endif
	return 0;
}

#endif
