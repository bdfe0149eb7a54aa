/* Files and memory by system calls alone, with the results and errno of libc's functions.
 *
 * For what runs inside of the program: libc's functions are exported by the recorder itself, and
 * libraries between it and libc have their own (a faked time, a faked root), which may change what
 * we ask, or be over when the trace is closed. No function is a point of cancellation. What a
 * signal interrupts before it has begun is done again, but for waitpid.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include "base/raw.h"

/* What syscall() makes of a result: -1 and errno if it is an error. */
static inline long sc_raw_result(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

#define SC_SYS_(number, a, b, c, d) \
	sc_raw_result(              \
		sc_raw(number, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), 0, 0))

#define SC_SYS_AGAIN_(number, a, b, c, d) \
	sc_raw_result(                    \
		sc_raw_again(number, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d)))

static inline int sc_sys_open(const char *path, int flags, mode_t mode)
{
	return (int)SC_SYS_AGAIN_(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int sc_sys_close(int fd)
{
	return (int)SC_SYS_(SYS_close, fd, 0, 0, 0);
}

static inline ssize_t sc_sys_read(int fd, void *to, size_t bytes)
{
	return SC_SYS_AGAIN_(SYS_read, fd, to, bytes, 0);
}

static inline ssize_t sc_sys_write(int fd, const void *from, size_t bytes)
{
	return SC_SYS_AGAIN_(SYS_write, fd, from, bytes, 0);
}

static inline ssize_t sc_sys_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	return SC_SYS_AGAIN_(SYS_pwrite64, fd, from, bytes, at);
}

static inline int sc_sys_fstat(int fd, struct stat *out)
{
	return (int)SC_SYS_(SYS_fstat, fd, out, 0, 0);
}

static inline int sc_sys_lstat(const char *path, struct stat *out)
{
	return (int)SC_SYS_(SYS_lstat, path, out, 0, 0);
}

static inline int sc_sys_ftruncate(int fd, off_t bytes)
{
	return (int)SC_SYS_AGAIN_(SYS_ftruncate, fd, bytes, 0, 0);
}

static inline int sc_sys_fallocate(int fd, int mode, off_t from, off_t bytes)
{
	return (int)SC_SYS_AGAIN_(SYS_fallocate, fd, mode, from, bytes);
}

static inline int sc_sys_access(const char *path, int mode)
{
	return (int)SC_SYS_(SYS_access, path, mode, 0, 0);
}

static inline int sc_sys_unlink(const char *path)
{
	return (int)SC_SYS_(SYS_unlink, path, 0, 0, 0);
}

static inline ssize_t sc_sys_readlink(const char *path, char *to, size_t bytes)
{
	return SC_SYS_(SYS_readlink, path, to, bytes, 0);
}

/* Bytes with the end of the text, or -1. A folder that cannot be reached is named as no path. */
static inline ssize_t sc_sys_getcwd(char *to, size_t bytes)
{
	return SC_SYS_(SYS_getcwd, to, bytes, 0, 0);
}

/* A new descriptor of the same file, at least `least`. */
static inline int sc_sys_dup_from(int fd, int least)
{
	return (int)SC_SYS_(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least, 0);
}

static inline int sc_sys_getrlimit(int resource, struct rlimit *out)
{
	return (int)SC_SYS_(SYS_prlimit64, 0, resource, NULL, out);
}

/* MAP_FAILED on an error. */
static inline void *sc_sys_mmap_file(size_t bytes, int protection, int flags, int fd)
{
	return (void *)sc_raw_result(
		sc_raw(SYS_mmap, 0, bytes, (uint64_t)protection, (uint64_t)flags, (uint64_t)fd, 0));
}

static inline int sc_sys_munmap(void *start, size_t bytes)
{
	return (int)SC_SYS_(SYS_munmap, start, bytes, 0, 0);
}

static inline int sc_sys_madvise(void *start, size_t bytes, int advice)
{
	return (int)SC_SYS_(SYS_madvise, start, bytes, advice, 0);
}

static inline int sc_sys_msync(void *start, size_t bytes, int flags)
{
	return (int)SC_SYS_(SYS_msync, start, bytes, flags, 0);
}

/* One piece of memory of this process, which may not be there. */
static inline ssize_t sc_sys_read_memory(pid_t self, const struct iovec *to,
					 const struct iovec *from)
{
	return sc_raw_result(sc_raw(SYS_process_vm_readv, (uint64_t)self, (uint64_t)to, 1,
				    (uint64_t)from, 1, 0));
}

/* The kernel's sets have 64 signals. */
static inline int sc_sys_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)SC_SYS_(SYS_rt_sigprocmask, how, set, old, sizeof(uint64_t));
}

static inline pid_t sc_sys_waitpid(pid_t child, int *status, int flags)
{
	return (pid_t)SC_SYS_(SYS_wait4, child, status, flags, NULL);
}
