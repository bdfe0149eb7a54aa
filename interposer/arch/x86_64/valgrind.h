/* A client request of Valgrind: six instructions that change nothing where it is not there. */
#pragma once

#include <stdint.h>

/* The answer to a request, 0 without Valgrind. */
static inline uint64_t sc_valgrind_ask(const volatile uint64_t request[6])
{
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer;
}
