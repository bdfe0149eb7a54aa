// Memory that another side exported is filled in one stream and copied in another.
//
// Its other side may order the two by a semaphore of its own, which is not seen (-DSEMAPHORE, W-5).
// expect: SC-106 at=copy proven order=no_event
// expect[FIXED]: clean
// expect[SEMAPHORE]: SC-106 at=copy possible doubt=unseen_signal
#include "testcases/semaphore.h"

static const int N = 1 << 16;
static const size_t bytes = N * sizeof(float);

static cudaExternalMemory_t import_memory(void)
{
	struct exported_memory exported = export_memory(2 * bytes);
	cudaExternalMemoryHandleDesc wanted = {};
	cudaExternalMemory_t memory;

	wanted.type = cudaExternalMemoryHandleTypeOpaqueFd;
	wanted.handle.fd = exported.fd;
	wanted.size = exported.size_bytes;
	wanted.flags = exported.is_dedicated ? cudaExternalMemoryDedicated : 0;
	CHECK(cudaImportExternalMemory(&memory, &wanted));
	return memory;
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

__attribute__((unused)) static void wait_for_other_side(cudaStream_t stream)
{
	struct semaphore filled = import_semaphore(true);

	wait(&filled, 1, stream);
	signal_elsewhere(&filled, 1);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaDestroyExternalSemaphore(filled.imported));
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
	wait_for_other_side(second);
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
	close_exports();
	CHECK(cudaEventDestroy(filled));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
