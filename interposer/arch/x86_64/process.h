/* A new process that shares our memory. */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

/* clone(), past any library's function before libc's: ThreadSanitizer's takes the new process for
 * one with memory of its own. The function does not return. Returns the process, or -errno. */
static inline long sc_process_clone(int (*function)(void *), char *stack, int flags, void *data)
{
	register uint64_t no_tid __asm__("r10") = 0, no_tls __asm__("r8") = 0;
	uint64_t *top = (uint64_t *)stack - 2;
	long child;

	top[0] = (uint64_t)function;
	top[1] = (uint64_t)data;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "pop %%rax\n\t"
			 "pop %%rdi\n\t"
			 "call *%%rax\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(child)
			 : "a"(SYS_clone), "D"((uint64_t)flags), "S"(top), "d"(0), "r"(no_tid),
			   "r"(no_tls)
			 : "rcx", "r11", "memory");
	return child;
}
