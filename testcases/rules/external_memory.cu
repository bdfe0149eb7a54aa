// Memory that another side exported is filled in one stream and copied in another.
//
// Its other side may order the two by a semaphore of its own, which is not seen (-DSEMAPHORE, W-5).
// expect: SC-106 at=copy proven
// expect[FIXED]: clean
// expect[SEMAPHORE]: SC-106 at=copy possible
#include "testcases/common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const int N = 1 << 16;
static const size_t bytes = N * sizeof(float);

// The simulated device takes a file in memory. A driver wants memory of Vulkan.
static int make_file(size_t size)
{
	int fd = memfd_create("external", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		exit(EXIT_SKIPPED);
	return fd;
}

static cudaExternalMemory_t import_memory(void)
{
	cudaExternalMemoryHandleDesc wanted = {};
	cudaExternalMemory_t memory;

	wanted.type = cudaExternalMemoryHandleTypeOpaqueFd;
	wanted.handle.fd = make_file(2 * bytes);
	wanted.size = 2 * bytes;
	if (cudaImportExternalMemory(&memory, &wanted) == cudaSuccess)
		return memory;
	printf("this device takes no such memory\n");
	exit(EXIT_SKIPPED);
}

static void *map_half(cudaExternalMemory_t memory)
{
	cudaExternalMemoryBufferDesc half = {};
	void *data;

	half.offset = bytes;
	half.size = bytes;
	CHECK(cudaExternalMemoryGetMappedBuffer(&data, memory, &half));
	return data;
}

__attribute__((unused)) static void wait_elsewhere(cudaStream_t stream)
{
	cudaExternalSemaphoreHandleDesc wanted = {};
	cudaExternalSemaphoreWaitParams params = {};
	cudaExternalSemaphore_t semaphore;
	int fd = make_file(4096);
	unsigned long long *word =
		(unsigned long long *)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0);

	wanted.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
	wanted.handle.fd = fd;
	CHECK(cudaImportExternalSemaphore(&semaphore, &wanted));
	params.params.fence.value = 1;
	CHECK(cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream));
	*word = 1;
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaDestroyExternalSemaphore(semaphore));
	munmap(word, 4096);
}

int main()
{
	cudaExternalMemory_t memory = import_memory();
	float *data = (float *)map_half(memory), *h_back = pinned(bytes);
	cudaStream_t first, second;
	cudaEvent_t filled;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(data, 0, bytes, first));
#ifdef FIXED
	CHECK(cudaEventRecord(filled, first));
	CHECK(cudaStreamWaitEvent(second, filled, 0));
#elif defined(SEMAPHORE)
	wait_elsewhere(second);
#endif
	CHECK(cudaMemcpyAsync(h_back, data, bytes, cudaMemcpyDeviceToHost, second)); // @copy
	CHECK(cudaStreamSynchronize(second));
#ifdef FIXED
	verify(h_back, 0, N);
#else
	CHECK(cudaStreamSynchronize(first));
#endif
	CHECK(cudaFree(data));
	CHECK(cudaDestroyExternalMemory(memory));
	CHECK(cudaEventDestroy(filled));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
