/* libc functions that hand buffers to the kernel: they see what is in flight opened first. */
#undef _FORTIFY_SOURCE
#include "interposer/libc.h"

#include "interposer/host.h"
#include "interposer/session.h"

#define EXPORT __attribute__((visibility("default")))

enum { READ, WRITE };

#define LIBC(result, name, parameters, arguments, mode, buffer, bytes) \
	EXPORT result name parameters                                  \
	{                                                              \
		sc_host_look((uint64_t)(buffer), bytes, mode);         \
		sc_host_look_device((uint64_t)(buffer), bytes, mode);  \
		return SC_REAL(name) arguments;                        \
	}
#define STDIO(result, name, parameters, arguments, mode, buffer, bytes) \
	EXPORT result name parameters                                   \
	{                                                               \
		sc_host_look((uint64_t)(buffer), bytes, mode);          \
		return SC_REAL(name) arguments;                         \
	}
#define VECTOR(result, name, parameters, arguments, mode, vector, count) \
	EXPORT result name parameters                                    \
	{                                                                \
		sc_host_look_vector(vector, (size_t)(count), mode);      \
		return SC_REAL(name) arguments;                          \
	}
#include "interposer/libc.def"
#undef LIBC
#undef STDIO
#undef VECTOR

/* ---- messages, and other processes ---- */

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	sc_host_look_message(m, READ);
	return SC_REAL(sendmsg)(fd, m, flags);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	sc_host_look_message(m, WRITE);
	return SC_REAL(recvmsg)(fd, m, flags);
}

static void look_messages(const struct mmsghdr *m, unsigned count, int mode)
{
	for (unsigned i = 0; m && i < count; i++)
		sc_host_look_message(&m[i].msg_hdr, mode);
}

EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	look_messages(m, n, READ);
	return SC_REAL(sendmmsg)(fd, m, n, flags);
}

EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout)
{
	look_messages(m, n, WRITE);
	return SC_REAL(recvmmsg)(fd, m, n, flags, timeout);
}

EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
				const struct iovec *remote, unsigned long remotes,
				unsigned long flags)
{
	sc_host_look_vector(local, locals, WRITE);
	if (pid == getpid())
		sc_host_look_vector(remote, remotes, READ);
	return SC_REAL(process_vm_readv)(pid, local, locals, remote, remotes, flags);
}

EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long locals,
				 const struct iovec *remote, unsigned long remotes,
				 unsigned long flags)
{
	sc_host_look_vector(local, locals, READ);
	if (pid == getpid())
		sc_host_look_vector(remote, remotes, WRITE);
	return SC_REAL(process_vm_writev)(pid, local, locals, remote, remotes, flags);
}

/* ---- random bytes ---- */

/* A program that looks for the function finds ours where the C library has none. */
static void fill_randomly(char *b, size_t n)
{
	ssize_t got;

	for (; n; n -= (size_t)got, b += got) {
		got = SC_REAL(getrandom)(b, n, 0);
		if (got > 0)
			continue;
		*(volatile char *)b = 0; /* where there is no memory, the program faults */
		got = 0;
	}
}

/* libc ends the process if the kernel refuses the buffer. */
EXPORT void arc4random_buf(void *b, size_t n)
{
	sc_host_look((uint64_t)b, n, WRITE);
	if (SC_REAL(arc4random_buf))
		SC_REAL(arc4random_buf)(b, n);
	else
		fill_randomly(b, n);
}
