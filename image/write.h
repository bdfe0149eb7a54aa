/* Putting images together, as a linker does: one image from several, and its file. */
#pragma once

#include "image/image.h"

/*
 * Adds what another image declares. Returns 0, -EEXIST if both define a kernel and neither is weak,
 * -ENOMEM.
 */
int sim_image_merge(struct sim_image *image, const struct sim_image *from);

/* A PTX text of an image that is written. */
struct sim_written_text {
	const char *bytes; /* borrowed */
	size_t size_bytes;
};

/* The file of an image, as machine code that declares the same, with the texts that it was made of,
 * which sim_image_texts reads back; *out is the caller's to free. Returns 0, -EINVAL for more
 * kernels than a file can hold, -ENOMEM. */
int sim_cubin_write(const struct sim_image *image, const struct sim_written_text *texts,
		    size_t count, void **out, size_t *size);
