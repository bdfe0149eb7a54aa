/* A fatbin that a file carries, as nvcc's code does it: FATBIN and WRAPPER. With CARRIED defined,
 * whoever includes this carries the one in that file. */
#ifndef SC_TESTS_CARRIED_H
#define SC_TESTS_CARRIED_H

#include <stddef.h>

#define FATBIN(name, file)                                     \
	__asm__(".section .nv_fatbin, \"a\"\n"                 \
		".balign 8\n" #name ": .incbin \"" file "\"\n" \
		".previous\n");                                \
	extern const char name[];

#define WRAPPER(name)                        \
	static struct {                      \
		int magic, version;          \
		const void *fatbin, *linked; \
	} name##_wrapper                     \
		__attribute__((section(".nvFatBinSegment"), used)) = {0x466243b1, 1, name, NULL};

#ifdef CARRIED
FATBIN(carried, CARRIED)
WRAPPER(carried)
#endif

#endif
