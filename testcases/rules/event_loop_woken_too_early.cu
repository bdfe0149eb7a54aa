// An event loop is woken by a host function, and takes what a copy brought: the function stands in
// front of the copy. FIXED: behind it. PIPE and SOCKET: behind it too, and the loop has a pipe or a
// pair of sockets (as asyncio). SOCKET_EARLY: in front of it. UNREAD: behind it, but the loop does
// not read its eventfd, so that nothing proves an order.
// expect: SC-101 at=take proven
// expect[FIXED]: clean
// expect[PIPE]: clean
// expect[SOCKET]: clean
// expect[SOCKET_EARLY]: SC-101 at=take proven
// expect[UNREAD]: SC-101 at=take possible
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "testcases/common.h"

#define ELEMENTS 1024

#if defined(FIXED) || defined(PIPE) || defined(SOCKET) || defined(UNREAD)
#define IS_BEHIND 1
#else
#define IS_BEHIND 0
#endif

static int loop, wakeup[2]; // the end that is waited for, the one that is written to

static void make_loop(void)
{
	struct epoll_event event = {};
	int failed;

#if defined(PIPE)
	failed = pipe(wakeup);
#elif defined(SOCKET) || defined(SOCKET_EARLY)
	failed = socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, wakeup);
#else
	wakeup[0] = wakeup[1] = eventfd(0, EFD_NONBLOCK);
	failed = wakeup[0] < 0;
#endif
	loop = epoll_create1(0);
	event.events = EPOLLIN;
	if (failed || loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, wakeup[0], &event))
		exit(EXIT_WRONG);
}

static void CUDART_CB wake(void *unused)
{
	uint64_t one = 1;

	(void)unused;
	if (write(wakeup[1], &one, sizeof(one)) != sizeof(one))
		exit(EXIT_WRONG);
}

static void run_loop(void)
{
	struct epoll_event event;
	uint64_t count = 0;

	if (epoll_wait(loop, &event, 1, -1) != 1)
		exit(EXIT_WRONG);
#ifndef UNREAD
	if (read(wakeup[0], &count, sizeof(count)) != sizeof(count))
		exit(EXIT_WRONG);
#endif
	(void)count;
}

int main(void)
{
	const size_t bytes = ELEMENTS * sizeof(float);
	float *h_data, *d_data;
	cudaStream_t stream;

	make_loop();
	h_data = pinned(bytes);
	d_data = on_device(bytes);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	if (!IS_BEHIND)
		CHECK(cudaLaunchHostFunc(stream, wake, NULL));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	if (IS_BEHIND)
		CHECK(cudaLaunchHostFunc(stream, wake, NULL));
	run_loop();
	printf("%g\n", sum(h_data, ELEMENTS)); // @take
	CHECK(cudaStreamSynchronize(stream));
	return 0;
}
