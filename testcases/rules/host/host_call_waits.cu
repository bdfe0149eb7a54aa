// A thread waits inside a call of the kernel for data of another thread, which meanwhile starts a
// copy of bytes beside the buffer: what the call was given stays the program's, and is not refused.
//
// expect: clean
// expect[BESIDE]: clean
// expect[POLL]: clean
// expect[SIGNAL]: clean
// expect[CANCELLED]: clean
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <atomic>
#include <sys/syscall.h>
#include <unistd.h>
#include "testcases/common.h"

static const size_t page = 4096, half = 2048;
static char *h_data;
static int ends[2];
static std::atomic_int waiter;

// True once the thread sleeps, which it does in that one call only.
static bool is_asleep(int thread)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (!file || !fgets(line, sizeof(line), file))
		exit(EXIT_WRONG);
	fclose(file);
	return strstr(line, ") S ");
}

static void *wait_for_data(void *)
{
#if defined(POLL)
	struct pollfd *one = (struct pollfd *)h_data;

	one->fd = ends[0];
	one->events = POLLIN;
	waiter = (int)syscall(SYS_gettid);
	return (void *)(long)(poll(one, 1, -1) == 1 && one->revents == POLLIN);
#elif defined(SIGNAL)
	siginfo_t *info = (siginfo_t *)h_data;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	waiter = (int)syscall(SYS_gettid);
	return (void *)(long)(sigwaitinfo(&set, info) == SIGUSR1 && info->si_pid == getpid());
#else
	waiter = (int)syscall(SYS_gettid);
	return (void *)(long)(read(ends[0], h_data, 4) == 4 && !memcmp(h_data, "data", 4));
#endif
}

static bool send_data(pthread_t to)
{
#if defined(SIGNAL)
	return !pthread_kill(to, SIGUSR1);
#elif defined(CANCELLED)
	return !pthread_cancel(to);
#else
	(void)to;
	return write(ends[1], "data", 4) == 4;
#endif
}

int main()
{
	char *d_data = (char *)on_device(page);
	cudaStream_t stream;
	pthread_t thread;
	sigset_t set;
	void *ok;

#ifdef BESIDE // the buffer is no memory of CUDA's, and only shares its page
	h_data = (char *)aligned_alloc(page, page);
	CHECK(cudaHostRegister(h_data + half, half, 0));
#else
	h_data = (char *)pinned(page);
#endif
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	CHECK(cudaStreamCreate(&stream));
	if (pipe(ends) || pthread_create(&thread, NULL, wait_for_data, NULL))
		return EXIT_WRONG;
	while (!waiter || !is_asleep(waiter))
		sched_yield();
	CHECK(cudaMemcpyAsync(h_data + half, d_data, half, cudaMemcpyDeviceToHost, stream));
	if (!send_data(thread) || pthread_join(thread, &ok) || !ok)
		return EXIT_WRONG;
#ifdef CANCELLED
	if (ok != PTHREAD_CANCELED)
		return EXIT_WRONG;
#endif
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
#ifdef BESIDE
	CHECK(cudaHostUnregister(h_data + half));
	free(h_data);
#else
	CHECK(cudaFreeHost(h_data));
#endif
	return 0;
}
