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

/* ---- several messages, and other processes ---- */

static void look_messages(const struct mmsghdr *m, unsigned count, int mode)
{
	if (!atomic_load_explicit(&sc_session.guard.live, memory_order_relaxed))
		return;
	for (unsigned i = 0; i < count; i++)
		sc_host_look_vector(m[i].msg_hdr.msg_iov, m[i].msg_hdr.msg_iovlen, mode);
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
