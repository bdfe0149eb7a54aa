/* System calls without libc: for code whose libc functions this very library exports, and which may
 * run in a signal handler, before anything was resolved. Leave errno alone. */
#ifndef SC_INTERPOSER_RAW_H
#define SC_INTERPOSER_RAW_H

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

static inline int sc_raw_mprotect(uint64_t start, uint64_t bytes, int protection)
{
	return (int)sc_raw(SYS_mprotect, start, bytes, (uint64_t)protection, 0, 0, 0);
}

#endif
