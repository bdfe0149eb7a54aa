/* System calls without libc, whose functions the recorder exports under their own names: a call of
 * ours through them would look like the program's. Leaves errno alone; may run in a signal handler.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Returns the result, or -errno. */
static inline long sc_raw(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
			  uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The same again where a signal interrupted it: file systems of a network or of a process do so. */
static inline long sc_raw_again(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	long result;

	do
		result = sc_raw(number, a, b, c, d, 0, 0);
	while (result == -EINTR);
	return result;
}
