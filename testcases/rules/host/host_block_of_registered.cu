// Pages in the middle of a block are registered, as the program aligned them itself. The block
// ends, or is filled as a whole, while a copy reads them.
// expect: SC-104 at=free proven order=none
// expect[MAPPED]: SC-104 at=munmap proven order=none
// expect[WRITTEN]: SC-102 at=read proven order=none
// expect[FIXED]: clean
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 16, page = 4096;

static char *begin()
{
#ifdef MAPPED
	return (char *)mmap(NULL, bytes + 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else
	return (char *)malloc(bytes + 2 * page);
#endif
}

static void end(char *block)
{
#ifdef MAPPED
	munmap(block, bytes + 2 * page); // @munmap
#else
	free(block); // @free
#endif
}

int main()
{
	char *block = begin(), *d_data = (char *)on_device(bytes);
	char *h_data = (char *)(((uintptr_t)block + page) & ~(page - 1));
	cudaStream_t stream;

	memset(block, 1, bytes);
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifdef WRITTEN
	int zero = open("/dev/zero", O_RDONLY);

	if (read(zero, block, bytes) != (ssize_t)bytes) // @read
		return EXIT_WRONG;
	close(zero);
#endif
#if defined(FIXED) || defined(WRITTEN)
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
	end(block);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
#else
	end(block);
	return cudaStreamSynchronize(stream) == cudaErrorInvalidValue; // it may fail or not
#endif
}
