/* The names of kernels that only machine code says: where an image has several fatbins, which of
 * them a kernel is in.
 *
 * For images as traces keep them, fatbins one after the other. Every byte is hostile.
 */
#pragma once

#include <stddef.h>
#include "image/image.h"

/* Reads the machine code of all fatbins that have no text. The result, the caller's to free, has
 * its kernels, perhaps none. Returns 0, -ENOMEM, or -EINVAL if some of the names are not known. */
int sim_image_names(const void *data, size_t size, struct sim_image **image);
