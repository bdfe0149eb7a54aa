/* A trace of a fuzz target: a copy whose checksums are right, as most mutations leave none so; a
 * version of the format that is not read any more is taken for this one. One in 16 keeps its wrong
 * checksums. */
#pragma once

#include <stdlib.h>
#include "tests/sealed.h"

/* Owned by the caller; NULL for no bytes. */
static inline uint8_t *sealed_copy(const uint8_t *data, size_t bytes)
{
	uint8_t *copy = bytes ? malloc(bytes) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, data, bytes);
	if (bytes > 8 && copy[8] == 1)
		copy[8] = SC_TRACE_VERSION;
	if (bytes % 16 != 15)
		sealed(copy, bytes);
	return copy;
}
