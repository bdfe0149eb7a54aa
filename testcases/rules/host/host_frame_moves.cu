// A fiber has a buffer on its stack that a copy reads. The thread that it began on ends, another
// one goes on with it: the stack is there all the time.
// expect: clean
// expect[WRITES]: SC-102 at=write proven order=none
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 14, stack_bytes = 1 << 20;
static ucontext_t fiber, caller;
static float *d_data;
static cudaStream_t stream;

static void work()
{
	float h_data[bytes / sizeof(float)];

	fill(h_data, 3, bytes / sizeof(float));
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	swapcontext(&fiber, &caller); // another thread comes back
#ifdef WRITES
	FILE *zero = fopen("/dev/zero", "r");

	setvbuf(zero, NULL, _IONBF, 0);
	if (fread(h_data, bytes, 1, zero) != 1) // @write
		exit(EXIT_WRONG);
	fclose(zero);
#endif
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
}

static void *start(void *unused)
{
	swapcontext(&caller, &fiber);
	return unused;
}

int main()
{
	pthread_t thread;

	d_data = on_device(bytes);
	CHECK(cudaStreamCreate(&stream));
	getcontext(&fiber);
	fiber.uc_stack.ss_size = stack_bytes;
	fiber.uc_stack.ss_sp =
		mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fiber.uc_link = &caller;
	makecontext(&fiber, work, 0);
	if (pthread_create(&thread, NULL, start, NULL) || pthread_join(thread, NULL))
		return EXIT_WRONG;
	swapcontext(&caller, &fiber);
	munmap(fiber.uc_stack.ss_sp, stack_bytes);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
