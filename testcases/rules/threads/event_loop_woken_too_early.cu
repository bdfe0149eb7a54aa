// An event loop is woken by a host function, and uses the result of a copy: the function is in a
// stream that does not wait for the copy. FIXED: after the copy. PIPE and SOCKET: after it too, and
// the loop has a pipe or a pair of sockets (as asyncio). SOCKET_EARLY: in the other stream. UNREAD:
// after it, but the loop does not read its eventfd, so that nothing proves an order. REUSED: a
// function after the copy wakes a loop that is not running; the next one has the same numbers, and
// is woken by the other stream.
// expect: SC-101 at=take proven order=none
// expect[FIXED]: clean
// expect[PIPE]: clean
// expect[SOCKET]: clean
// expect[SOCKET_EARLY]: SC-101 at=take proven order=none
// expect[UNREAD]: SC-101 at=take possible doubt=handed_over
// expect[REUSED]: SC-101 at=take possible doubt=handed_over
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "testcases/common.h"
#include "testcases/unseen.h"

#define ELEMENTS 1024

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

static unseen is_woken;

HOST_LOOP void CUDART_CB wake_unseen(void *unused)
{
	wake(unused);
	is_woken.set();
}

HOST_LOOP void make_next_loop(void)
{
	int number = wakeup[0];

	if (close(wakeup[0]) || close(loop))
		exit(EXIT_WRONG);
	make_loop();
	if (wakeup[0] != number)
		exit(EXIT_WRONG);
}

static void enqueue_wakeup(cudaStream_t copying, cudaStream_t other)
{
#if defined(FIXED) || defined(PIPE) || defined(SOCKET) || defined(UNREAD)
	(void)other;
	CHECK(cudaLaunchHostFunc(copying, wake, NULL));
#elif defined(REUSED)
	CHECK(cudaLaunchHostFunc(copying, wake_unseen, NULL));
	is_woken.await();
	make_next_loop();
	CHECK(cudaLaunchHostFunc(other, wake, NULL));
#else
	(void)copying;
	CHECK(cudaLaunchHostFunc(other, wake, NULL));
#endif
}

static void run_loop(void)
{
	struct epoll_event event;

	if (epoll_wait(loop, &event, 1, -1) != 1)
		exit(EXIT_WRONG);
#ifndef UNREAD
	uint64_t count;

	if (read(wakeup[0], &count, sizeof(count)) != sizeof(count))
		exit(EXIT_WRONG);
#endif
}

int main(void)
{
	const size_t bytes = ELEMENTS * sizeof(float);
	float *h_data, *d_data;
	cudaStream_t copying, other;

	make_loop();
	h_data = pinned(bytes);
	d_data = on_device(bytes);
	CHECK(cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, copying));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, copying));
	enqueue_wakeup(copying, other);
	run_loop();
	printf("%g\n", h_data[0]); // @take
	CHECK(cudaDeviceSynchronize());
	return 0;
}
