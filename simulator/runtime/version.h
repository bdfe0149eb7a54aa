/*
 * Which version of the runtime these sources are compiled as: RT_MAJOR is 13, 12 or 11.
 *
 * The sources are written in the types of the toolkit that builds them. Where an older version has
 * a shorter structure, it is the beginning of today's (structs.def): what a program passes is read
 * through RT_WIDE, and of what it asks for only the first RT_BYTES_... bytes are written.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <string.h>

#if RT_MAJOR >= 13
#define RT_VERSION CUDART_VERSION
#elif RT_MAJOR == 12
#define RT_VERSION 12090
#else
#define RT_VERSION 11080
#endif

enum {
#if RT_MAJOR >= 13
#define STRUCT(name, bytes_12, bytes_11) RT_BYTES_##name = sizeof(struct name),
#elif RT_MAJOR == 12
#define STRUCT(name, bytes_12, bytes_11) RT_BYTES_##name = bytes_12,
#else
#define STRUCT(name, bytes_12, bytes_11) RT_BYTES_##name = bytes_11,
#endif
#include "simulator/runtime/structs.def"
#undef STRUCT
};

/* Copies the structure that a program passes into the room, which is zero. NULL stays NULL. */
static inline const void *rt_widen(void *room, const void *given, size_t bytes)
{
	return given ? memcpy(room, given, bytes) : NULL;
}

/* What the program passed, as today's structure; lives as long as the block around it. */
#define RT_WIDE(type, given) rt_widen(&(struct type){0}, given, RT_BYTES_##type)
