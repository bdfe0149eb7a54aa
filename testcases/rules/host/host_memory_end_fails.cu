// Calls that would end memory in flight, and fail: it is there as before.
// expect: clean
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 16, page = 4096;

static void expect(bool has_failed, int error)
{
	if (!has_failed || errno != error)
		exit(EXIT_WRONG);
}

int main()
{
	char *h_data = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *d_data = (char *)on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	expect(munmap(h_data + 1, page) < 0, EINVAL);
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	expect(mmap(h_data, page, PROT_READ, MAP_FIXED | MAP_PRIVATE, -1, 0) == MAP_FAILED, EBADF);
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	expect(mremap(d_data, 0, page, MREMAP_FIXED, h_data) == MAP_FAILED, EINVAL);
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	expect(shmdt(h_data) < 0, EINVAL);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return munmap(h_data, bytes);
}
