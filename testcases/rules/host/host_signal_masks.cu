// Handlers and threads that run with all other signals blocked use bytes beside an operand in
// flight: under each function that blocks signals, for a while or for good.
// expect: clean
// nvcc: -Xcompiler -Wno-deprecated-declarations
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "testcases/common.h"
#include "testcases/unseen.h"

static const size_t bytes = 1 << 16;
static char *h_data, *d_data;
static cudaStream_t stream;
static volatile int *beside;
static sigset_t everything, before;
static unseen has_fired;

static void touch(int)
{
	beside[0] = beside[0] + 1;
}

static void begin()
{
	CHECK(cudaMemcpyAsync(d_data, h_data + 64, bytes, cudaMemcpyHostToDevice, stream));
}

static void end()
{
	sigprocmask(SIG_SETMASK, &before, NULL);
	CHECK(cudaStreamSynchronize(stream));
}

// The signal waits until the function lets it through.
static void raise_blocked()
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, NULL);
	raise(SIGUSR1);
	begin();
}

#define WAIT(call)               \
	do {                     \
		raise_blocked(); \
		(void)!(call);   \
		end();           \
	} while (0)

static void wait_in_each_function(sigset_t *set)
{
	struct timespec time = {10, 0};
	struct epoll_event event;
	int events = epoll_create1(0);
	struct {
		sigset_t *set;
		size_t size;
	} pair = {set, 8};

	WAIT(sigsuspend(set));
	WAIT(ppoll(NULL, 0, &time, set));
	WAIT(pselect(0, NULL, NULL, NULL, &time, set));
	WAIT(epoll_pwait(events, &event, 1, 10000, set));
	WAIT(syscall(SYS_rt_sigsuspend, set, 8));
	WAIT(syscall(SYS_ppoll, NULL, 0, &time, set, 8));
	WAIT(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, &pair));
	WAIT(syscall(SYS_epoll_pwait, events, &event, 1, 10000, set, 8));
	close(events);
}

#define BLOCK(call)            \
	do {                   \
		begin();       \
		(void)!(call); \
		touch(0);      \
		end();         \
	} while (0)

static int set_context()
{
	static volatile bool is_set;
	ucontext_t context;

	is_set = false;
	getcontext(&context);
	if (is_set)
		return 0;
	is_set = true;
	context.uc_sigmask = everything;
	return setcontext(&context);
}

static void block_by_each_function()
{
	BLOCK(sigblock(~0));
	BLOCK(sigsetmask(~0));
	BLOCK(sighold(SIGSEGV) | sighold(SIGTRAP));
	BLOCK(sigprocmask(SIG_SETMASK, &everything, NULL));
	BLOCK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &everything, NULL, 8));
	BLOCK(set_context());
}

// As the kernel has it: the handler runs with everything blocked.
static void block_in_handler()
{
	uint64_t action[4], old[4];

	begin();
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, old, 8);
	memcpy(action, old, sizeof(action));
	action[3] = ~UINT64_C(0);
	syscall(SYS_rt_sigaction, SIGUSR1, action, NULL, 8);
	raise(SIGUSR1);
	end();
}

static void *touch_in_thread(void *)
{
	touch(0);
	return NULL;
}

static void begin_thread_blocked()
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
#if __GLIBC_PREREQ(2, 32)
	pthread_attr_setsigmask_np(&attributes, &everything);
#endif
	begin();
	pthread_create(&thread, &attributes, touch_in_thread, NULL);
	pthread_join(thread, NULL);
	end();
}

static void fire(union sigval value)
{
	if (value.sival_int != 7)
		exit(EXIT_WRONG);
	touch(0);
	has_fired.set();
}

// libc blocks everything in such threads.
static void fire_timer()
{
	struct itimerspec soon = {{0, 0}, {0, 1000}};
	struct sigevent event = {};
	timer_t timer;

	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = fire;
	event.sigev_value.sival_int = 7;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	begin();
	timer_settime(timer, 0, &soon, NULL);
	has_fired.await();
	timer_delete(timer);
	end();
}

int main()
{
	sigset_t others;

	h_data = (char *)pinned(bytes + 64);
	d_data = (char *)on_device(bytes);
	beside = (volatile int *)h_data;
	CHECK(cudaStreamCreate(&stream));
	signal(SIGUSR1, touch);
	sigprocmask(SIG_SETMASK, NULL, &before);
	sigfillset(&everything);
	sigfillset(&others);
	sigdelset(&others, SIGUSR1);
	wait_in_each_function(&others);
	block_by_each_function();
	block_in_handler();
	begin_thread_blocked();
	fire_timer();
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost((void *)h_data));
	return 0;
}
