// A rank: it reads a pinned buffer that a copy may still write. Its rank is in the variable of
// MPICH, Open MPI or Slurm.
//
//   rank [WAITS [CRASHES]]     ranks that wait for the copy first, and that end by a signal after
//   it; -1: none
#include <csignal>
#include <cstdlib>
#include <cstring>
#include "testcases/common.h"

#define BYTES 4096

static const char *rank_text(void)
{
	for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
		if (const char *text = getenv(name))
			return text;
	return nullptr;
}

int main(int argc, char **argv)
{
	const char *text = rank_text();
	int rank = text ? atoi(text) : 0;
	int waits = argc > 1 ? atoi(argv[1]) : -1, crashes = argc > 2 ? atoi(argv[2]) : -1;
	cudaStream_t stream;
	char *device, *host;

	CHECK(cudaMalloc(&device, BYTES));
	CHECK(cudaMallocHost(&host, BYTES));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
	if (rank == waits)
		CHECK(cudaStreamSynchronize(stream));
	volatile char first = host[0]; // @read
	(void)first;
	CHECK(cudaStreamSynchronize(stream));
	if (rank == crashes)
		raise(SIGSEGV);
	return 0;
}
