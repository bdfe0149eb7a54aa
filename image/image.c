/* The image itself: building, finding, freeing, and recognizing formats. */
#include "image/image.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "image/fatbin.h"
#include "image/parts.h"

#define MAX_ENTRIES ((size_t)1 << 20)
#define PAGE	    ((uintptr_t)4096)

/* Room for one more element; doubles at each power of two. */
static void *grow(void *list, size_t count, size_t element_bytes)
{
	if (count & (count - 1))
		return list;
	return realloc(list, (count ? count * 2 : 1) * element_bytes);
}

const struct sim_image_kernel *sim_image_find_kernel(const struct sim_image *image,
						     const char *name)
{
	size_t i;

	for (i = 0; i < image->kernel_count; i++)
		if (strcmp(image->kernels[i].name, name) == 0)
			return &image->kernels[i];
	return NULL;
}

static bool has_global(const struct sim_image *image, const char *name)
{
	size_t i;

	for (i = 0; i < image->global_count; i++)
		if (strcmp(image->globals[i].name, name) == 0)
			return true;
	return false;
}

/* A name of the input; empty and endless ones are refused. */
static char *copy_name(const char *name, size_t length, int *err)
{
	char *copy = NULL;

	*err = length && length < 65536 ? 0 : -EINVAL;
	if (!*err)
		copy = strndup(name, length);
	if (!*err && !copy)
		*err = -ENOMEM;
	return copy;
}

struct sim_image_kernel *sim_image_add_kernel(struct sim_image *image, const char *name,
					      size_t length, int *err)
{
	char *copy = copy_name(name, length, err);
	struct sim_image_kernel *grown;

	if (!copy)
		return NULL;
	if (sim_image_find_kernel(image, copy)) {
		free(copy);
		return NULL;
	}
	grown = image->kernel_count < MAX_ENTRIES
			? grow(image->kernels, image->kernel_count, sizeof(*grown))
			: NULL;
	if (!grown) {
		free(copy);
		*err = image->kernel_count < MAX_ENTRIES ? -ENOMEM : -EINVAL;
		return NULL;
	}
	image->kernels = grown;
	grown += image->kernel_count++;
	*grown = (struct sim_image_kernel){.name = copy, .max_threads = 1024};
	return grown;
}

struct sim_image_global *sim_image_add_global(struct sim_image *image, const char *name,
					      size_t length, int *err)
{
	char *copy = copy_name(name, length, err);
	struct sim_image_global *grown;

	if (!copy)
		return NULL;
	if (has_global(image, copy)) {
		free(copy);
		return NULL;
	}
	grown = image->global_count < MAX_ENTRIES
			? grow(image->globals, image->global_count, sizeof(*grown))
			: NULL;
	if (!grown) {
		free(copy);
		*err = image->global_count < MAX_ENTRIES ? -ENOMEM : -EINVAL;
		return NULL;
	}
	image->globals = grown;
	grown += image->global_count++;
	*grown = (struct sim_image_global){.name = copy};
	return grown;
}

int sim_image_set_param(struct sim_image_kernel *kernel, uint32_t index,
			struct sim_image_param param)
{
	struct sim_image_param *grown;

	if (index >= SIM_IMAGE_MAX_PARAMS || param.size_bytes > SIM_IMAGE_MAX_PARAM_BYTES ||
	    param.offset_bytes > SIM_IMAGE_MAX_PARAM_BYTES - param.size_bytes)
		return -EINVAL;
	if (index >= kernel->param_count) {
		grown = realloc(kernel->params, (index + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + kernel->param_count, 0,
		       (index + 1 - kernel->param_count) * sizeof(*grown));
		kernel->params = grown;
		kernel->param_count = index + 1;
	}
	kernel->params[index] = param;
	return 0;
}

void sim_image_fini(struct sim_image *image)
{
	size_t i;

	for (i = 0; i < image->kernel_count; i++) {
		free(image->kernels[i].name);
		free(image->kernels[i].params);
	}
	for (i = 0; i < image->global_count; i++) {
		free(image->globals[i].name);
		free(image->globals[i].initial);
	}
	free(image->kernels);
	free(image->globals);
}

void sim_image_free(struct sim_image *image)
{
	if (!image)
		return;
	sim_image_fini(image);
	free(image);
}

static int read_any(struct sim_bytes bytes, struct sim_image *image)
{
	uint32_t magic = 0;

	if (!sim_bytes_read(bytes, 0, &magic, sizeof(magic)))
		return -EINVAL;
	if (magic == SIM_FATBIN_MAGIC)
		return sim_fatbin_read(bytes, image);
	if (memcmp(&magic, ELFMAG, SELFMAG) == 0)
		return sim_cubin_read(bytes, image);
	return sim_ptx_read(bytes, image);
}

int sim_image_parse(const void *data, size_t size, struct sim_image **image)
{
	struct sim_bytes bytes = {data, size};
	int err;

	*image = calloc(1, sizeof(**image));
	if (!*image)
		return -ENOMEM;
	err = read_any(bytes, *image);
	if (err) {
		sim_image_free(*image);
		*image = NULL;
	}
	return err;
}

/* True if all of it is mapped: the size of an image in memory stands in the image only. */
static bool is_mapped(const void *start, size_t bytes)
{
	uintptr_t first = (uintptr_t)start & ~(PAGE - 1);

	return bytes <= SIM_IMAGE_MAX_BYTES &&
	       !msync((void *)first, (uintptr_t)start + bytes - first, MS_ASYNC);
}

/* Where the last section or header of an ELF file in memory ends; 0: it is none. Compilers of CUDA
 * 13 put the headers at multiples of four. */
static size_t elf_size(const void *file)
{
	Elf64_Shdr section;
	Elf64_Ehdr head;
	size_t end;

	if (!is_mapped(file, sizeof(head)))
		return 0;
	memcpy(&head, file, sizeof(head));
	end = head.e_shoff + (size_t)head.e_shnum * sizeof(section);
	if (head.e_shoff > SIM_IMAGE_MAX_BYTES || !is_mapped(file, end))
		return 0;
	for (size_t i = 0; i < head.e_shnum; i++) {
		memcpy(&section, (const char *)file + head.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (section.sh_type == SHT_NOBITS)
			continue;
		if (section.sh_offset > SIM_IMAGE_MAX_BYTES ||
		    section.sh_size > SIM_IMAGE_MAX_BYTES)
			return 0;
		if (section.sh_offset + section.sh_size > end)
			end = section.sh_offset + section.sh_size;
	}
	return is_mapped(file, end) ? end : 0;
}

/* PTX is a text of any length at any address, so no more of it is read than agrees. */
static bool begins_with(const void *data, uint32_t magic)
{
	return strncmp(data, (const char *)&magic, sizeof(magic)) == 0;
}

int sim_image_locate(const void *data, const void **bytes, size_t *size)
{
	const struct sim_fatbin_wrapper *wrapper = data;
	const struct sim_fatbin_head *head;

	if (!data)
		return -EINVAL;
	if (begins_with(data, SIM_WRAPPER_MAGIC)) {
		if (wrapper->version < 1 || wrapper->version > 2 || !wrapper->data)
			return -EINVAL;
		data = wrapper->data;
	}
	head = data;
	*bytes = data;
	if (begins_with(data, SIM_FATBIN_MAGIC)) {
		if (head->payload_bytes > SIM_IMAGE_MAX_BYTES)
			return -EINVAL;
		*size = head->header_bytes + head->payload_bytes;
		if (!is_mapped(data, *size))
			return -EINVAL;
	} else if (strncmp(data, ELFMAG, SELFMAG) == 0) {
		*size = elf_size(data);
		if (!*size)
			return -EINVAL;
	} else {
		*size = strlen(data);
	}
	return 0;
}

int sim_image_load(const void *data, struct sim_image **image)
{
	const void *bytes;
	size_t size;
	int err = sim_image_locate(data, &bytes, &size);

	*image = NULL;
	return err ? err : sim_image_parse(bytes, size, image);
}
