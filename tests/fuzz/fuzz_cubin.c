/* Fuzz: bytes as the image that a program loads; what is found in it is whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_kernel(const struct sim_image *image, const struct sim_image_kernel *k)
{
	if (!k->name || k->param_count > SIM_IMAGE_MAX_PARAMS)
		abort();
	for (uint32_t i = 0; i < k->param_count; i++)
		if (k->params[i].offset_bytes > SIM_IMAGE_MAX_PARAM_BYTES ||
		    k->params[i].size_bytes > SIM_IMAGE_MAX_PARAM_BYTES)
			abort();
	if (!sim_image_find_kernel(image, k->name))
		abort();
}

static void check_global(const struct sim_image_global *g)
{
	uint8_t sum = 0;

	if (!g->name || g->initial_bytes > g->size_bytes || (g->initial_bytes && !g->initial))
		abort();
	for (uint64_t i = 0; i < g->initial_bytes; i++)
		sum += ((const uint8_t *)g->initial)[i];
	(void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sim_image *image = NULL;
	uint8_t *copy = bytes ? malloc(bytes) : NULL; /* no byte behind it is ours */

	if (copy)
		memcpy(copy, data, bytes);
	if (copy && !sim_image_parse(copy, bytes, &image)) {
		for (size_t i = 0; i < image->kernel_count; i++)
			check_kernel(image, &image->kernels[i]);
		for (size_t i = 0; i < image->global_count; i++)
			check_global(&image->globals[i]);
		sim_image_free(image);
	}
	free(copy);
	return 0;
}
