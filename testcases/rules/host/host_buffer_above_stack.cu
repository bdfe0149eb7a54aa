// A thread's stack ends where registered memory begins, as the kernel likes to lay them out. The
// stack is never protected, the memory is: the host reads a copy's result too early (FIXED: it
// waits).
//
// expect: SC-101 proven at=read order=none
// expect[FIXED]: clean
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include "testcases/common.h"

static const size_t bytes = 256 << 10, stack_bytes = 256 << 10;
static sem_t begun, over;

static void *stay(void *)
{
	sem_post(&begun);
	sem_wait(&over);
	return NULL;
}

static pthread_t start_on(void *stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	sem_init(&begun, 0, 0);
	sem_init(&over, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, stack_bytes);
	if (pthread_create(&thread, &attributes, stay, NULL))
		exit(EXIT_WRONG);
	sem_wait(&begun);
	return thread;
}

static __attribute__((noinline)) void use(volatile char *result)
{
	(void)*result;
}

int main()
{
	char *stack = (char *)mmap(NULL, stack_bytes + bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *result = stack + stack_bytes;
	char *d_data = (char *)on_device(bytes);
	cudaStream_t stream;
	pthread_t thread;

	if (stack == MAP_FAILED)
		return EXIT_WRONG;
	CHECK(cudaStreamCreate(&stream));
	thread = start_on(stack);
	CHECK(cudaHostRegister(result, bytes, cudaHostRegisterDefault));
	CHECK(cudaMemcpyAsync(result, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifndef FIXED
	use(result); // @read
#endif
	CHECK(cudaStreamSynchronize(stream));
	use(result);
	sem_post(&over);
	pthread_join(thread, NULL);
	CHECK(cudaHostUnregister(result));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	munmap(stack, stack_bytes + bytes);
	return 0;
}
