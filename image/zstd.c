/* Unpacking zstd frames without trusting the size that they claim. */
#include "image/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define FIRST_BYTES 65536

/* Doubles the buffer when it is full, up to the limit. */
static int grow(ZSTD_outBuffer *out, size_t most)
{
	size_t wanted = out->size ? out->size * 2 : FIRST_BYTES;
	void *grown;

	if (out->pos < out->size)
		return 0;
	if (out->size >= most)
		return -EINVAL;
	if (wanted > most)
		wanted = most;
	grown = realloc(out->dst, wanted);
	if (!grown)
		return -ENOMEM;
	out->dst = grown;
	out->size = wanted;
	return 0;
}

static int unpack(ZSTD_DStream *stream, ZSTD_inBuffer *in, ZSTD_outBuffer *out, size_t most)
{
	size_t before_in, before_out, left;
	int err;

	do {
		err = grow(out, most);
		if (err)
			return err;
		before_in = in->pos;
		before_out = out->pos;
		left = ZSTD_decompressStream(stream, out, in);
		if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
			return -ENOMEM;
		if (ZSTD_isError(left))
			return -EINVAL;
		if (left && in->pos == before_in && out->pos == before_out)
			return -EINVAL; /* a truncated frame */
	} while (left);
	return 0;
}

int sim_zstd_unpack(struct sim_bytes bytes, size_t most, uint8_t **result, size_t *size)
{
	ZSTD_inBuffer in = {bytes.data, bytes.size, 0};
	ZSTD_outBuffer out = {NULL, 0, 0};
	ZSTD_DStream *stream = ZSTD_createDStream();
	int err;

	if (!stream)
		return -ENOMEM;
	err = unpack(stream, &in, &out, most);
	ZSTD_freeDStream(stream);
	if (err) {
		free(out.dst);
		return err;
	}
	*result = out.dst;
	*size = out.pos;
	return 0;
}
