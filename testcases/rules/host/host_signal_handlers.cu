// A program with fault handlers of its own works as without us, while the host uses bytes beside an
// operand in flight: handlers that mend and return, or jump away, or came past libc, or interrupt
// everything; and a child that reads what is in flight, and locked pages.
// expect: clean
// expect[JUMPS]: clean
// expect[RAW]: clean
// expect[TIMER]: clean
// expect[FORKS]: clean
// expect[LOCKS]: clean
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testcases/common.h"

static const int turns = 100;
static const size_t bytes = 1 << 16;
static char *barrier; // a page that the program protects itself
static volatile int *beside, mended, ticks;
static sigjmp_buf back;

static void mend(int, siginfo_t *info, void *)
{
	if ((char *)info->si_addr != barrier)
		_exit(EXIT_WRONG);
	mended = mended + 1;
#ifdef JUMPS
	siglongjmp(back, 1);
#else
	mprotect(barrier, 4096, PROT_READ | PROT_WRITE);
#endif
}

#ifdef RAW
// As runtimes do that know libc's signal functions only as callers.
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)();
	unsigned long mask;
};
extern "C" void return_from_signal();
__asm__("return_from_signal: mov $15, %eax; syscall");
static kernel_action before;

static void mend_or_pass(int number, siginfo_t *info, void *context)
{
	if ((char *)info->si_addr == barrier)
		mend(number, info, context);
	else
		before.handler(number, info, context);
}

static void listen()
{
	kernel_action a = {mend_or_pass, SA_SIGINFO | 0x04000000, return_from_signal, 0};

	if (syscall(SYS_rt_sigaction, SIGSEGV, &a, &before, 8))
		exit(EXIT_WRONG);
}
#else
static void listen()
{
	struct sigaction a = {};
	stack_t stack = {};

	stack.ss_size = 16384;
	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	a.sa_sigaction = mend;
	a.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGSEGV, &a, NULL);
}
#endif

static void tick(int)
{
	beside[1] = beside[1] + 1;
	ticks = ticks + 1;
}

static void start_timer()
{
	itimerval often = {{0, 300}, {0, 300}};

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void fault_once()
{
	mprotect(barrier, 4096, PROT_NONE);
	if (!sigsetjmp(back, 1))
		*(volatile char *)barrier = 1;
}

static void in_child(const int *data)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(data[0] == data[0] && beside[0] >= 0 ? 0 : EXIT_WRONG);
	if (waitpid(child, &status, 0) != child || status)
		exit(EXIT_WRONG);
}

static void lock_and_protect(char *data)
{
	if (mlock(data, bytes) && errno != EPERM && errno != EAGAIN && errno != ENOMEM)
		exit(EXIT_WRONG);
	munlock(data, bytes);
	if (madvise(data, bytes, MADV_NORMAL) || mprotect(data, bytes, PROT_READ | PROT_WRITE))
		exit(EXIT_WRONG);
}

static void one_turn(char *h_data, char *d_data, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(d_data, h_data + 64, bytes, cudaMemcpyHostToDevice, stream));
	for (int i = 0; i < 20; i++)
		beside[0] = beside[0] + 1;
#if defined(FORKS)
	if (ticks++ % 10 == 0)
		in_child((int *)(h_data + 64));
#elif defined(LOCKS)
	lock_and_protect(h_data);
#elif !defined(TIMER)
	fault_once();
#endif
	for (int i = 0; i < 20; i++)
		beside[0] = beside[0] + 1;
	CHECK(cudaStreamSynchronize(stream));
}

int main()
{
	char *h_data = (char *)pinned(bytes + 64), *d_data = (char *)on_device(bytes);
	cudaStream_t stream;

	beside = (volatile int *)h_data;
	barrier = (char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(cudaStreamCreate(&stream));
	listen();
#ifdef TIMER
	start_timer();
#endif
	for (int i = 0; i < turns; i++)
		one_turn(h_data, d_data, stream);
#ifdef TIMER
	itimerval never = {};
	setitimer(ITIMER_REAL, &never, NULL);
	if (beside[1] != ticks)
		return EXIT_WRONG;
#elif !defined(FORKS) && !defined(LOCKS)
	if (mended != turns)
		return EXIT_WRONG;
#endif
	if (beside[0] != 40 * turns)
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
