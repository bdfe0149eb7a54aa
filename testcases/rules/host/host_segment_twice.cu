// Shared memory is attached twice, at neighbouring addresses. One ends while a copy reads the
// other one.
// expect: clean
// expect[BOTH]: SC-104 at=detach proven order=none
#include <sys/mman.h>
#include <sys/shm.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 16;

int main()
{
	int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
	char *room = (char *)mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first = (char *)shmat(id, room, SHM_REMAP);
	float *h_data = (float *)shmat(id, room + bytes, SHM_REMAP), *d_data = on_device(bytes);
	cudaStream_t stream;

	shmctl(id, IPC_RMID, NULL);
	if (first != room || (char *)h_data != room + bytes)
		return EXIT_WRONG;
	fill(h_data, 3, bytes / sizeof(float));
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	if (shmdt(first))
		return EXIT_WRONG;
#ifdef BOTH
	if (shmdt(h_data)) // @detach
		return EXIT_WRONG;
	return cudaStreamSynchronize(stream) == cudaErrorInvalidValue; // it may fail or not
#endif
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return shmdt(h_data);
}
