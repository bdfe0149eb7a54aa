/* One image from several, as a linker puts them together. */
#include <errno.h>
#include <stdlib.h>

#include "image/parts.h"
#include "image/write.h"

static int copy_params(struct sim_image_kernel *to, const struct sim_image_kernel *from)
{
	to->params = calloc(from->param_count + 1, sizeof(*to->params));
	if (!to->params)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->param_count; i++)
		to->params[i] = from->params[i];
	to->param_count = from->param_count;
	return 0;
}

static int add_kernel(struct sim_image *image, const struct sim_image_kernel *from)
{
	const struct sim_image_kernel *old = sim_image_find_kernel(image, from->name);
	struct sim_image_kernel *to;
	int err;

	if (old)
		return old->is_weak || from->is_weak ? 0 : -EEXIST;
	to = sim_image_add_kernel(image, from->name, strlen(from->name), &err);
	if (!to)
		return err;
	to->register_count = from->register_count;
	to->shared_bytes = from->shared_bytes;
	to->local_bytes = from->local_bytes;
	to->const_bytes = from->const_bytes;
	to->max_threads = from->max_threads;
	memcpy(to->cluster, from->cluster, sizeof(to->cluster));
	to->is_weak = from->is_weak;
	return copy_params(to, from);
}

/* A variable that another part declares as external has the same name; the first one counts. */
static int add_global(struct sim_image *image, const struct sim_image_global *from)
{
	struct sim_image_global *to;
	int err;

	to = sim_image_add_global(image, from->name, strlen(from->name), &err);
	if (!to)
		return err;
	to->size_bytes = from->size_bytes;
	to->is_managed = from->is_managed;
	to->is_constant = from->is_constant;
	if (!from->initial_bytes)
		return 0;
	to->initial = malloc(from->initial_bytes);
	if (!to->initial)
		return -ENOMEM;
	memcpy(to->initial, from->initial, from->initial_bytes);
	to->initial_bytes = from->initial_bytes;
	return 0;
}

int sim_image_merge(struct sim_image *image, const struct sim_image *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->kernel_count; i++)
		err = add_kernel(image, &from->kernels[i]);
	for (size_t i = 0; !err && i < from->global_count; i++)
		err = add_global(image, &from->globals[i]);
	if (!image->arch)
		image->arch = from->arch;
	return err;
}
