/* External memory and semaphores; and in 11 and 12 the first forms of calls, which the plain names
 * still have where the header leads programs to later ones. */
#include "claims.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 4096

static int make_file(void)
{
	int fd = memfd_create("external", MFD_ALLOW_SEALING);

	NEED(fd >= 0 && !ftruncate(fd, BYTES) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	return fd;
}

static void check_memory(void)
{
	ROOM(struct cudaExternalMemoryHandleDesc) wanted;
	ROOM(struct cudaExternalMemoryBufferDesc) part;
	cudaExternalMemory_t memory;
	void *mapped = NULL;
	int value = 7;

	PREPARE(wanted);
	memset(&wanted.value, 0, sizeof(wanted.value));
	wanted.value.type = cudaExternalMemoryHandleTypeOpaqueFd;
	wanted.value.handle.fd = make_file();
	wanted.value.size = BYTES;
	CALL(cudaImportExternalMemory(&memory, &wanted.value));
	PREPARE(part);
	memset(&part.value, 0, sizeof(part.value));
	part.value.size = BYTES;
	CALL(cudaExternalMemoryGetMappedBuffer(&mapped, memory, &part.value));
	CALL(cudaMemcpy(mapped, &value, sizeof(value), cudaMemcpyHostToDevice));
	CALL(cudaFree(mapped));
	CALL(cudaDestroyExternalMemory(memory));
}

static cudaExternalSemaphore_t import_semaphore(volatile unsigned long long **word)
{
	ROOM(struct cudaExternalSemaphoreHandleDesc) wanted;
	cudaExternalSemaphore_t semaphore;
	int fd = make_file();

	PREPARE(wanted);
	memset(&wanted.value, 0, sizeof(wanted.value));
	*word = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	NEED(*word != MAP_FAILED);
	wanted.value.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
	wanted.value.handle.fd = fd;
	CALL(cudaImportExternalSemaphore(&semaphore, &wanted.value));
	return semaphore;
}

#if CUDART_VERSION < 13000
cudaError_t first_signal(const cudaExternalSemaphore_t *list, const void *values,
			 unsigned int count,
			 cudaStream_t stream) __asm__("cudaSignalExternalSemaphoresAsync");
cudaError_t first_wait(const cudaExternalSemaphore_t *list, const void *values, unsigned int count,
		       cudaStream_t stream) __asm__("cudaWaitExternalSemaphoresAsync");
cudaError_t first_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
		       unsigned long long *id) __asm__("cudaStreamGetCaptureInfo");
cudaError_t first_properties(void *properties, int device) __asm__("cudaGetDeviceProperties");

static void check_first_semaphores(cudaExternalSemaphore_t semaphore,
				   const volatile unsigned long long *word, cudaStream_t stream)
{
	struct cudaExternalSemaphoreSignalParams_v1 signals[2] = {{.params.fence.value = 6},
								  {.params.fence.value = 7}};
	struct cudaExternalSemaphoreWaitParams_v1 wait = {.params.fence.value = 7};
	cudaExternalSemaphore_t both[2] = {semaphore, semaphore};

	CALL(first_signal(both, signals, 2, stream));
	CALL(first_wait(&semaphore, &wait, 1, stream));
	CALL(cudaStreamSynchronize(stream));
	NEED(*word == 7);
	NEED(first_signal(NULL, signals, 1, stream) == cudaErrorInvalidValue);
	cudaGetLastError();
}

/* The properties of 11 end where 12 has hostRegisterSupported. */
static void check_first_properties(void)
{
	struct cudaDeviceProp now;
	struct {
		char first[728];
		char after[1024];
	} room;

	CALL(cudaGetDeviceProperties(&now, 0));
	memset(&room, 0x5a, sizeof(room));
	CALL(first_properties(&room, 0));
	NEED(INTACT(room) && !memcmp(&room, &now, sizeof(room.first)));
}

static void check_first_info(cudaStream_t stream)
{
	enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
	unsigned long long id = 0;
	cudaGraph_t graph;

	CALL(first_info(stream, &status, &id));
	NEED(status == cudaStreamCaptureStatusNone);
	CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CALL(first_info(stream, &status, &id));
	NEED(status == cudaStreamCaptureStatusActive && id);
	CALL(cudaStreamEndCapture(stream, &graph));
	CALL(cudaGraphDestroy(graph));
}
#endif

static void check_semaphores(cudaStream_t stream)
{
	struct cudaExternalSemaphoreSignalParams signal = {.params.fence.value = 5};
	struct cudaExternalSemaphoreWaitParams wait = {.params.fence.value = 5};
	volatile unsigned long long *word;
	cudaExternalSemaphore_t semaphore = import_semaphore(&word);

	CALL(cudaSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream));
	CALL(cudaWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream));
	CALL(cudaStreamSynchronize(stream));
	NEED(*word == 5);
#if CUDART_VERSION < 13000
	check_first_semaphores(semaphore, word, stream);
#endif
	CALL(cudaDestroyExternalSemaphore(semaphore));
}

int main(void)
{
	cudaStream_t stream;

	CALL(cudaStreamCreate(&stream));
	check_memory();
	check_semaphores(stream);
#if CUDART_VERSION < 13000
	check_first_properties();
	check_first_info(stream);
#endif
	CALL(cudaStreamDestroy(stream));
	puts("all forms are right");
	return 0;
}
