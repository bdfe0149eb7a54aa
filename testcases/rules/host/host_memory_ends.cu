// Registered host memory ends, in one of the ways in which it can, while a copy may still read it;
// and in all of them after a wait.
// expect: SC-104 at=munmap proven order=none
// expect[REALLOC]: SC-104 at=realloc proven order=none
// expect[MREMAP]: SC-104 at=mremap proven order=none
// expect[REPLACED]: SC-104 at=mmap proven order=none
// expect[SHMDT]: SC-104 at=shmdt proven order=none
// expect[DELETED]: SC-104 at=delete proven order=none
// expect[SYSTEM_CALL]: SC-104 at=system_call proven order=none
// expect[MAPPED_OVER]: SC-104 at=mapped_over proven order=none
// expect[FIXED]: clean
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "testcases/common.h"

enum way {
	BY_MUNMAP,
	BY_REALLOC,
	BY_MREMAP,
	BY_MMAP,
	BY_SHMDT,
	BY_DELETE,
	BY_CALL,
	BY_MAP_CALL,
	WAYS
};

#if defined(REALLOC)
static __attribute__((unused)) const way chosen = BY_REALLOC;
#elif defined(MREMAP)
static __attribute__((unused)) const way chosen = BY_MREMAP;
#elif defined(REPLACED)
static __attribute__((unused)) const way chosen = BY_MMAP;
#elif defined(SHMDT)
static __attribute__((unused)) const way chosen = BY_SHMDT;
#elif defined(DELETED)
static __attribute__((unused)) const way chosen = BY_DELETE;
#elif defined(SYSTEM_CALL)
static __attribute__((unused)) const way chosen = BY_CALL;
#elif defined(MAPPED_OVER)
static __attribute__((unused)) const way chosen = BY_MAP_CALL;
#else
static __attribute__((unused)) const way chosen = BY_MUNMAP;
#endif

static const size_t bytes = 1 << 16;

static float *begin_shared()
{
	int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
	float *data = (float *)shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	return data;
}

static float *begin(way by)
{
	switch (by) {
	case BY_SHMDT: return begin_shared();
	case BY_REALLOC: return (float *)malloc(bytes);
	case BY_DELETE: return new float[bytes / sizeof(float)];
	default:
		return (float *)mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
}

static bool end(way by, float *data)
{
	switch (by) {
	case BY_REALLOC:
		data = (float *)realloc(data, 16 * bytes); // @realloc
		return data != NULL;
	case BY_MREMAP:
		data = (float *)mremap(data, bytes, bytes / 2, 0); // @mremap
		return data != MAP_FAILED;
	case BY_MMAP:
		data = (float *)mmap(data, bytes, PROT_READ,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); // @mmap
		return data != MAP_FAILED;
	case BY_SHMDT: return !shmdt(data); // @shmdt
	case BY_DELETE:
		delete[] data; // @delete
		return true;
	case BY_CALL: return !syscall(SYS_munmap, data, bytes); // @system_call
	case BY_MAP_CALL:
		return syscall(SYS_mmap, data, bytes, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			       0) == (long)data; // @mapped_over
	default: return !munmap(data, bytes);	 // @munmap
	}
}

static void use(way by, float *d_data, cudaStream_t stream)
{
	float *h_data = begin(by);

	fill(h_data, 3, bytes / sizeof(float));
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
#endif
	if (!end(by, h_data))
		exit(EXIT_WRONG);
}

int main()
{
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
#ifdef FIXED
	for (int by = 0; by < WAYS; by++)
		use((way)by, d_data, stream);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
#else
	use(chosen, d_data, stream);
	return cudaStreamSynchronize(stream) == cudaErrorInvalidValue; // it may fail or not
#endif
}
