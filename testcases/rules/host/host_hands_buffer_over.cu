// The kernel of the host is given a buffer that a copy in flight still fills, by one function or
// another; it must neither refuse the buffer nor go unseen.
// expect: SC-101 at=use proven order=none
// expect[SENDMMSG]: SC-101 at=use proven order=none
// expect[VMSPLICE]: SC-101 at=use proven order=none
// expect[OTHERS_MEMORY]: SC-101 at=use proven order=none
// expect[SYSTEM_CALL]: SC-101 at=use proven order=none
// expect[AIO]: SC-101 at=use proven order=none
// expect[FIXED]: clean
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "testcases/common.h"

static const size_t bytes = 8192;

// Each takes `bytes` from the buffer, or returns false.
static bool use(char *data)
{
	iovec part = {data, bytes};

#if defined(SENDMMSG)
	mmsghdr message = {};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		return false;
	message.msg_hdr.msg_iov = &part;
	message.msg_hdr.msg_iovlen = 1;
	return sendmmsg(pair[0], &message, 1, 0) == 1 && message.msg_len == bytes;
#elif defined(VMSPLICE)
	int ends[2];

	return !pipe(ends) && vmsplice(ends[1], &part, 1, 0) == (ssize_t)bytes;
#elif defined(OTHERS_MEMORY)
	static char copy[bytes];
	iovec to = {copy, bytes};
	ssize_t got = process_vm_readv(getpid(), &to, 1, &part, 1, 0);

	return got == (ssize_t)bytes || errno == EPERM || errno == ENOSYS;
#elif defined(SYSTEM_CALL)
	int ends[2];

	return !pipe(ends) && syscall(SYS_write, ends[1], data, bytes) == (ssize_t)bytes;
#elif defined(AIO)
	char path[] = "/tmp/host_hands_buffer_over.XXXXXX";
	aiocb request = {};
	const aiocb *list[] = {&request};

	request.aio_fildes = mkstemp(path);
	request.aio_buf = data;
	request.aio_nbytes = bytes;
	unlink(path);
	if (aio_write(&request))
		return false;
	while (aio_error(&request) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	return aio_return(&request) == (ssize_t)bytes;
#else
	int ends[2];

	return !pipe(ends) && writev(ends[1], &part, 1) == (ssize_t)bytes;
#endif
}

int main()
{
	char *h_data = (char *)pinned(bytes), *d_data = (char *)on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	if (!use(h_data)) { // @use
		perror("use");
		return EXIT_WRONG;
	}
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
