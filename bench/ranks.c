/* What following MPI costs: two ranks exchange halos with each other, four messages at a time, and
 * do nothing else. Prints nanoseconds of an exchange: the best round, and the median. One rank
 *alone exchanges them with itself, so that its instructions can be counted.
 *
 * With streamcheck and without, and with ThreadSanitizer (ranks-LIBRARY-tsan), in one run of a
 *machine (no GPU is needed):
 *
 *	export LD_LIBRARY_PATH=build/release/stage/lib/streamcheck/sim
 *	mpirun -n 2 bench/ranks 64
 *	mpirun -n 2 env LD_PRELOAD=…/libstreamcheck.so STREAMCHECK_OPTIONS=analyze=no bench/ranks 64
 *
 * usage: ranks BYTES [ROUNDS]
 */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS_MOST 2000
#define EXCHANGES   40 /* of a round */

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void exchange(char *const buffer[4], int bytes, int peer)
{
	MPI_Request requests[4];

	MPI_Irecv(buffer[0], bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(buffer[1], bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(buffer[2], bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(buffer[3], bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[3]);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	int bytes = argc > 1 ? atoi(argv[1]) : 64, rank, ranks;
	int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS_MOST;
	static double time_ns[ROUNDS_MOST];
	char *buffer[4];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (bytes <= 0 || ranks > 2 || rounds <= 0 || rounds > ROUNDS_MOST) {
		fprintf(stderr, "usage: mpirun -n 2 ranks BYTES [ROUNDS]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int i = 0; i < 4; i++)
		if (cudaMallocHost((void **)&buffer[i], (size_t)bytes) != cudaSuccess)
			MPI_Abort(MPI_COMM_WORLD, 1);
	for (int round = 0; round < rounds; round++) {
		double start_ns = now_ns();

		for (int i = 0; i < EXCHANGES; i++)
			exchange(buffer, bytes, ranks - 1 - rank);
		time_ns[round] = (now_ns() - start_ns) / EXCHANGES;
	}
	qsort(time_ns, (size_t)rounds, sizeof(*time_ns), compare);
	if (!rank)
		printf("%d bytes: best %.0f ns, median %.0f ns an exchange\n", bytes, time_ns[0],
		       time_ns[rounds / 2]);
	MPI_Finalize();
	return 0;
}
