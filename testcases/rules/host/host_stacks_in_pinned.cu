// Stacks in pinned memory that a kernel may reach: the kernel of the host puts signal frames on
// them, and would end the process if it could not. The program's own is known to no one else.
//
// expect: clean
// expect[ALTERNATE]: clean
// expect[CONTEXT]: clean
// expect[OWN]: clean
// expect[SUSPENDED]: clean
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <atomic>
#include <ucontext.h>
#include <unistd.h>
#include "testcases/common.h"

static const size_t bytes = 256 << 10, stack_bytes = 128 << 10;
static char *arena; // results in front, a stack behind
static char *stack;
static cudaStream_t stream;
static std::atomic_int signals;

__global__ void fill_in(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = 1;
}

static void launch()
{
	fill_in<<<1, 256, 0, stream>>>((float *)arena, 256);
	CHECK(cudaGetLastError());
}

static void count(int)
{
	signals++;
}

// Uses its stack, and gets a signal on it.
static __attribute__((noinline)) void work()
{
	volatile char room[8192];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 1;
	raise(SIGUSR1);
}

#if defined(ALTERNATE)
static void run()
{
	struct sigaction action = {};
	stack_t alternate = {};

	alternate.ss_sp = stack;
	alternate.ss_size = stack_bytes;
	action.sa_handler = count;
	action.sa_flags = SA_ONSTACK;
	if (sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL))
		exit(EXIT_WRONG);
	launch();
	work();
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
}
#elif defined(CONTEXT) || defined(SUSPENDED)
static ucontext_t here, there;

static void coroutine()
{
#ifdef SUSPENDED
	swapcontext(&there, &here);
#else
	launch();
#endif
	work();
}

static void run()
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = stack_bytes;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
#ifdef SUSPENDED
	launch();
	swapcontext(&here, &there);
#endif
}
#elif defined(OWN)
static void launch_and_work()
{
	launch();
	work();
}

static void run()
{
	asm volatile("mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tcall *%1\n\tmov %%rbx, %%rsp"
		     :
		     : "r"(stack + stack_bytes - 256), "r"(launch_and_work)
		     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
		       "cc");
}
#else
static sem_t begun, launched;

static void *wait_and_work(void *)
{
	sem_post(&begun);
	sem_wait(&launched);
	work();
	return NULL;
}

static void run()
{
	pthread_attr_t attributes;
	pthread_t thread;

	sem_init(&begun, 0, 0);
	sem_init(&launched, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, stack_bytes);
	if (pthread_create(&thread, &attributes, wait_and_work, NULL))
		exit(EXIT_WRONG);
	sem_wait(&begun);
	launch();
	sem_post(&launched);
	pthread_join(thread, NULL);
}
#endif

int main()
{
	signal(SIGUSR1, count);
	CHECK(cudaStreamCreate(&stream));
	arena = (char *)pinned(bytes);
	stack = arena + bytes - stack_bytes;
	run();
	CHECK(cudaStreamSynchronize(stream));
	if (signals != 1)
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(arena));
	return 0;
}
