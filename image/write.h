/* Putting images together, as a linker does: one image from several, and its file. */
#ifndef SIM_IMAGE_WRITE_H
#define SIM_IMAGE_WRITE_H

#include "image/image.h"

/*
 * Adds what another image declares. Returns 0, -EEXIST if both define a kernel and neither is weak,
 * -ENOMEM.
 */
int sim_image_merge(struct sim_image *image, const struct sim_image *from);

/* The file of an image, as machine code that declares the same; *out is the caller's to free.
 * Returns 0, -EINVAL for more kernels than a file can hold, -ENOMEM. */
int sim_cubin_write(const struct sim_image *image, void **out, size_t *size);

#endif
