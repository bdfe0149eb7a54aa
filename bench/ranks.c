/* What following MPI costs: two ranks exchange halos with each other, four messages at a time, and
 * do nothing else. Prints nanoseconds of an exchange: the best round, and the median. One rank
 * alone exchanges them with itself, so that its instructions can be counted.
 *
 * With the word `step`, each exchange is a step of a simulation: kernels fill what is sent, the
 *host waits for them, and kernels add what was received; buffers are device memory then, of
 * a device of its own where there is one.
 *
 * With streamcheck and without, and with ThreadSanitizer (ranks-LIBRARY-tsan), in one run of a
 * machine (no GPU is needed, but for steps):
 *
 *	export LD_LIBRARY_PATH=build/release/stage/lib/streamcheck/sim
 *	mpirun -n 2 bench/ranks 64
 *	mpirun -n 2 env LD_PRELOAD=…/libstreamcheck.so STREAMCHECK_OPTIONS=analyze=no bench/ranks 64
 *
 * usage: ranks BYTES [ROUNDS [step]]
 */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

// testcases/ranks/kernels.cu
extern void put(float *to, int count, float value);
extern void add(float *to, const float *from, int count);

static void must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "ranks: %s\n", cudaGetErrorName(error));
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void launch(const void *kernel, void **parameters, int bytes, cudaStream_t stream)
{
	unsigned blocks = ((unsigned)bytes / (unsigned)sizeof(float) + 255) / 256;

	must(cudaLaunchKernel(kernel, (dim3){blocks, 1, 1}, (dim3){256, 1, 1}, parameters, 0,
			      stream));
}

static void pack(char *const buffer[4], int bytes, cudaStream_t stream)
{
	for (int i = 2; i < 4; i++)
		launch((const void *)put,
		       (void *[]){&(float *){(float *)buffer[i]}, &(int){bytes / 4}, &(float){1}},
		       bytes, stream);
	must(cudaStreamSynchronize(stream));
}

static void unpack(char *const buffer[4], char *sums, int bytes, cudaStream_t stream)
{
	for (int i = 0; i < 2; i++)
		launch((const void *)add,
		       (void *[]){&(float *){(float *)sums}, &(const float *){(float *)buffer[i]},
				  &(int){bytes / 4}},
		       bytes, stream);
	must(cudaStreamSynchronize(stream)); // before the next exchange receives there again
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
	int bytes = argc > 1 ? atoi(argv[1]) : 64, rank, ranks, devices;
	int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS_MOST;
	static double time_ns[ROUNDS_MOST];
	char *buffer[4], *sums = NULL;
	const int is_step = argc > 3 && !strcmp(argv[3], "step");
	cudaStream_t stream = NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (bytes <= 0 || ranks > 2 || rounds <= 0 || rounds > ROUNDS_MOST) {
		fprintf(stderr, "usage: mpirun -n 2 ranks BYTES [ROUNDS [step]]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	if (is_step) {
		must(cudaGetDeviceCount(&devices));
		must(cudaSetDevice(rank % devices));
	}
	for (int i = 0; i < 4; i++)
		must(is_step ? cudaMalloc((void **)&buffer[i], (size_t)bytes)
			     : cudaMallocHost((void **)&buffer[i], (size_t)bytes));
	if (is_step) {
		must(cudaMalloc((void **)&sums, (size_t)bytes));
		must(cudaMemset(sums, 0, (size_t)bytes));
		must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		must(cudaDeviceSynchronize());
	}
	for (int round = 0; round < rounds; round++) {
		double start_ns = now_ns();

		for (int i = 0; i < EXCHANGES; i++) {
			if (is_step)
				pack(buffer, bytes, stream);
			exchange(buffer, bytes, ranks - 1 - rank);
			if (is_step)
				unpack(buffer, sums, bytes, stream);
		}
		time_ns[round] = (now_ns() - start_ns) / EXCHANGES;
	}
	qsort(time_ns, (size_t)rounds, sizeof(*time_ns), compare);
	if (!rank)
		printf("%d bytes: best %.0f ns, median %.0f ns an exchange\n", bytes, time_ns[0],
		       time_ns[rounds / 2]);
	MPI_Finalize();
	return 0;
}
