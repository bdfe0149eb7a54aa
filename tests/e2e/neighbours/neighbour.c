/* A library that is preloaded beside streamcheck, and as rude as allocators and tools are: its
 * functions use the heap and look others up, and what they stand for they do by syscall(). */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default)

#define KERNEL_RESTORER 0x04000000 /* of sa_flags */
#define KERNEL_SET	8

extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *pointer);

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/* Whatever a function does besides: the heap, a look-up, a lock. */
static void be_busy(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static __thread int depth;

	if (depth++ == 0) {
		pthread_mutex_lock(&mutex);
		free(malloc(100));
		dlsym(RTLD_NEXT, "there_is_no_such_function");
		pthread_mutex_unlock(&mutex);
	}
	depth--;
}

/* By its version, as those do that must not find themselves. */
void *dlsym(void *handle, const char *name)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
	void *(*real)(void *, const char *) = NULL;

	for (unsigned i = 0; !real && i < sizeof(versions) / sizeof(versions[0]); i++)
		*(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	return real(handle, name);
}

void *malloc(size_t bytes)
{
	void *got = __libc_malloc(bytes);

	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	return got;
}

void free(void *pointer)
{
	__libc_free(pointer);
}

void *mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	be_busy();
	return (void *)syscall(SYS_mmap, start, bytes, protection, flags, fd, offset);
}

int munmap(void *start, size_t bytes)
{
	be_busy();
	return (int)syscall(SYS_munmap, start, bytes);
}

void *mremap(void *start, size_t before, size_t after, int flags, ...)
{
	void *fixed;
	va_list rest;

	va_start(rest, flags);
	fixed = va_arg(rest, void *);
	va_end(rest);
	be_busy();
	return (void *)syscall(SYS_mremap, start, before, after, flags, fixed);
}

ssize_t read(int fd, void *to, size_t bytes)
{
	be_busy();
	return syscall(SYS_read, fd, to, bytes);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return (int)syscall(SYS_execve, path, argv, envp);
}

void _exit(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

void restore(void);
__asm__(".globl restore\nrestore: mov $15, %rax\nsyscall\n");

int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	struct kernel_action wanted = {0}, before = {0};
	int result;

	if (new) {
		wanted.handler = new->sa_handler;
		wanted.flags = (unsigned)new->sa_flags | KERNEL_RESTORER;
		wanted.restorer = restore;
		memcpy(&wanted.mask, &new->sa_mask, sizeof(wanted.mask));
	}
	result = (int)syscall(SYS_rt_sigaction, number, new ? &wanted : NULL, old ? &before : NULL,
			      KERNEL_SET);
	if (old && !result) {
		memset(old, 0, sizeof(*old));
		old->sa_handler = before.handler;
		old->sa_flags = (int)before.flags & ~KERNEL_RESTORER;
		memcpy(&old->sa_mask, &before.mask, sizeof(before.mask));
	}
	return result;
}
