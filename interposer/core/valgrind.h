/* Whether Valgrind runs the process, by its client request mechanism (Valgrind manual,
 * section 3.1).
 *
 * Valgrind knows no process that shares memory with its parent, reads all that is mapped when it
 * looks for leaks, and takes the protection of the page guard for errors of the program; nor can it
 * step over one instruction. Costs six instructions that change nothing where it is not there.
 */
#ifndef SC_INTERPOSER_CORE_VALGRIND_H
#define SC_INTERPOSER_CORE_VALGRIND_H

#include <stdbool.h>
#include <stdint.h>

#define SC_VALGRIND_MOST ((uint64_t)1 << 27) /* bytes of a mapping that it may read as a whole */

static inline bool sc_valgrind_runs(void)
{
	const volatile uint64_t is_running[6] = {0x1001};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(&is_running[0])
			 : "cc", "memory");
	return answer;
}

#endif
