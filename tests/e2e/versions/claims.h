/* What a test program needs to be true, and structures with bytes after them that no call may
 * touch. */
#ifndef SC_TESTS_VERSIONS_CLAIMS_H
#define SC_TESTS_VERSIONS_CLAIMS_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(claim)                                                         \
	do {                                                                \
		if (!(claim)) {                                             \
			printf("line %d: %s is wrong\n", __LINE__, #claim); \
			exit(1);                                            \
		}                                                           \
	} while (0)

#define CALL(call)                                                                              \
	do {                                                                                    \
		cudaError_t error_ = (call);                                                    \
		if (error_) {                                                                   \
			printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_)); \
			exit(1);                                                                \
		}                                                                               \
	} while (0)

/* A structure that a call fills, and bytes after it that no call may touch. */
#define ROOM(type)               \
	struct {                 \
		type value;      \
		char after[256]; \
	}
#define PREPARE(room) memset(&(room), 0x5a, sizeof(room))
#define INTACT(room)  is_intact((room).after, sizeof((room).after))

static inline int is_intact(const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] != 0x5a)
			return 0;
	}
	return 1;
}

#endif
