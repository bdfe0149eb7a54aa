// A handler of SIGSEGV that is set while a copy runs, by each function that sets one: it gets the
// program's own faults, on the stack that it asked for, and none of the guard's.
// expect: clean
// nvcc: -Xcompiler -Wno-deprecated-declarations
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include "testcases/common.h"

extern "C" sighandler_t bsd_signal(int, sighandler_t);
extern "C" void return_from_signal();
__asm__("return_from_signal: mov $15, %eax; syscall");

static const size_t bytes = 1 << 16;
static char *h_data, *d_data, alternate[65536];
static cudaStream_t stream;
static volatile int faults, strays;
static sigjmp_buf back;

static void jump(int)
{
	char here;

	strays = strays + (&here >= alternate && &here < alternate + sizeof(alternate));
	faults = faults + 1;
	siglongjmp(back, 1);
}

static int set_past_libc(sighandler_t handler)
{
	uint64_t action[4] = {(uint64_t)handler, 0x04000000, (uint64_t)return_from_signal, 0},
		 old[4];

	if (syscall(SYS_rt_sigaction, SIGSEGV, action, old, 8))
		return -1;
	return old[0] != (uint64_t)handler;
}

static int set_action(sighandler_t handler)
{
	struct sigaction action = {};

	action.sa_handler = handler;
	return sigaction(SIGSEGV, &action, NULL);
}

// Stores beside the operand are the guard's business, a wild one is the program's.
static void fault()
{
	volatile char *beside = h_data;

	faults = 0;
	if (!sigsetjmp(back, 1))
		beside[0] = 1;
	if (!sigsetjmp(back, 1))
		*(volatile int *)16 = 1;
	if (!sigsetjmp(back, 1))
		beside[1] = 1;
	if (faults != 1 || strays)
		exit(EXIT_WRONG);
}

#define SET(call)                                                                         \
	do {                                                                              \
		CHECK(cudaMemcpyAsync(d_data, h_data + 64, bytes, cudaMemcpyHostToDevice, \
				      stream));                                           \
		(void)(call);                                                             \
		fault();                                                                  \
		signal(SIGSEGV, SIG_DFL);                                                 \
		CHECK(cudaStreamSynchronize(stream));                                     \
	} while (0)

int main()
{
	stack_t stack = {};

	h_data = (char *)pinned(bytes + 64);
	d_data = (char *)on_device(bytes);
	CHECK(cudaStreamCreate(&stream));
	stack.ss_sp = alternate;
	stack.ss_size = sizeof(alternate);
	sigaltstack(&stack, NULL);
	SET(signal(SIGSEGV, jump));
	SET(set_action(jump));
	SET(bsd_signal(SIGSEGV, jump));
	SET(ssignal(SIGSEGV, jump));
	SET(sysv_signal(SIGSEGV, jump));
	SET(sigset(SIGSEGV, jump));
	SET(set_past_libc(jump));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
