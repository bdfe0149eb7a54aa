/* Between the readers of one image: adding to it, and reading bytes with bounds. */
#pragma once

#include <string.h>

#include "image/image.h"

/* A piece of the input. */
struct sim_bytes {
	const uint8_t *data;
	size_t size;
};

/* A part of a piece; false if it does not lie inside. */
static inline bool sim_bytes_part(struct sim_bytes from, uint64_t offset, uint64_t size,
				  struct sim_bytes *part)
{
	if (offset > from.size || size > from.size - offset)
		return false;
	part->data = from.data + offset;
	part->size = (size_t)size;
	return true;
}

/* Copies `size` bytes at `offset` out; false if they do not lie inside. */
static inline bool sim_bytes_read(struct sim_bytes from, uint64_t offset, void *to, size_t size)
{
	struct sim_bytes part;

	if (!sim_bytes_part(from, offset, size, &part))
		return false;
	memcpy(to, part.data, size);
	return true;
}

/*
 * Adds a kernel or a global of that name (`length` bytes, copied), zeroed otherwise. An earlier one
 * of the same name is answered by NULL with *err 0: the first one counts.
 */
struct sim_image_kernel *sim_image_add_kernel(struct sim_image *image, const char *name,
					      size_t length, int *err);
struct sim_image_global *sim_image_add_global(struct sim_image *image, const char *name,
					      size_t length, int *err);

/* Appends or sets a parameter; -EINVAL when it is beyond all limits. */
int sim_image_set_param(struct sim_image_kernel *kernel, uint32_t index,
			struct sim_image_param param);

struct sim_fatbin_entry;

/* The next entry of a fatbin at *offset; false at the end. A broken one sets *err. */
bool sim_fatbin_next(struct sim_bytes payload, size_t *offset, struct sim_fatbin_entry *entry,
		     struct sim_bytes *stored, int *err);

/* The readers of one format; each adds to the image. */
int sim_fatbin_read(struct sim_bytes bytes, struct sim_image *image);
int sim_cubin_read(struct sim_bytes bytes, struct sim_image *image);
int sim_ptx_read(struct sim_bytes bytes, struct sim_image *image);

/* Decompresses what an entry stores, to at most `most` bytes; *out is the caller's to free, NULL if
 * the entry is not compressed. */
int sim_fatbin_unpack(const struct sim_fatbin_entry *entry, struct sim_bytes stored, size_t most,
		      uint8_t **out, size_t *size);
/* The same for a zstd frame, and for an LZ4 block that holds `plain` bytes. */
int sim_zstd_unpack(struct sim_bytes bytes, size_t most, uint8_t **out, size_t *size);
int sim_lz4_unpack(struct sim_bytes bytes, uint64_t plain, size_t most, uint8_t **out,
		   size_t *size);
