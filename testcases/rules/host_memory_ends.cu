// Registered host memory ends, in one of the ways in which it can, while a copy may still read it.
// expect: SC-104 at=munmap proven
// expect[REALLOC]: SC-104 at=realloc proven
// expect[MREMAP]: SC-104 at=mremap proven
// expect[REPLACED]: SC-104 at=mmap proven
// expect[SHMDT]: SC-104 at=shmdt proven
// expect[DELETED]: SC-104 at=delete proven
// expect[FIXED]: clean
#include <sys/mman.h>
#include <sys/shm.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 16;

static float *begin()
{
#if defined(SHMDT)
	int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
	float *data = (float *)shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	return data;
#elif defined(REALLOC)
	return (float *)malloc(bytes);
#elif defined(DELETED)
	return new float[bytes / sizeof(float)];
#else
	return (float *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
#endif
}

int main()
{
	float *h_data = begin(), *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 3, bytes / sizeof(float));
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
#endif
#if defined(REALLOC)
	h_data = (float *)realloc(h_data, 16 * bytes); // @realloc
#elif defined(MREMAP)
	if (mremap(h_data, bytes, bytes / 2, 0) == MAP_FAILED) // @mremap
		return EXIT_WRONG;
#elif defined(REPLACED)
	if (mmap(h_data, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED) // @mmap
		return EXIT_WRONG;
#elif defined(SHMDT)
	if (shmdt(h_data)) // @shmdt
		return EXIT_WRONG;
#elif defined(DELETED)
	delete[] h_data; // @delete
#else
	munmap(h_data, bytes); // @munmap
#endif
#ifndef FIXED
	return cudaStreamSynchronize(stream) == cudaErrorInvalidValue; // it may fail or not
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
