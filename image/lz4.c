/* Unpacking LZ4 blocks, whose size is given beside them. */
#include "image/parts.h"

#include <errno.h>
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>

#define MOST_RATIO 255 /* a block cannot grow more than that */

int sim_lz4_unpack(struct sim_bytes bytes, uint64_t plain, size_t most, uint8_t **result,
		   size_t *size)
{
	uint8_t *out;
	int got;

	if (!plain || plain > most || plain > INT_MAX || bytes.size > INT_MAX ||
	    plain / MOST_RATIO > bytes.size)
		return -EINVAL;
	out = malloc((size_t)plain);
	if (!out)
		return -ENOMEM;
	got = LZ4_decompress_safe((const char *)bytes.data, (char *)out, (int)bytes.size,
				  (int)plain);
	if (got < 0 || (uint64_t)got != plain) {
		free(out);
		return -EINVAL;
	}
	*result = out;
	*size = (size_t)plain;
	return 0;
}
