/* What a device image declares: kernels with their parameters, and global variables.
 *
 * Reads fatbin wrappers (version 1 and 2), fatbins, ELF cubins and PTX text, plain or compressed
 * (zstd, LZ4). Every byte is hostile: each length is checked before use, every size that decides an
 * allocation is bounded by the input or by a constant. An image owns everything in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_IMAGE_MAX_PARAMS	  4096
#define SIM_IMAGE_MAX_PARAM_BYTES 32764
#define SIM_IMAGE_MAX_BYTES	  ((size_t)512 << 20)

struct sim_image_param {
	uint32_t offset_bytes;
	uint32_t size_bytes;
};

struct sim_image_kernel {
	char *name;			/* owned, mangled */
	struct sim_image_param *params; /* owned, by index */
	uint32_t param_count;
	uint32_t register_count;
	uint32_t shared_bytes; /* static */
	uint32_t local_bytes;
	uint32_t const_bytes;
	uint32_t max_threads; /* a block */
	uint32_t cluster[3];  /* blocks, that it demands; 0: none */
	bool is_measured;     /* a kernel of PTX alone: the sizes are those of its text */
	bool is_weak;	      /* another image may define it too */
};

struct sim_image_global {
	char *name; /* owned */
	uint64_t size_bytes;
	void *initial;		/* owned; NULL: zero */
	uint64_t initial_bytes; /* at most size_bytes */
	bool is_managed;
	bool is_constant;
};

struct sim_image {
	struct sim_image_kernel *kernels; /* owned */
	size_t kernel_count;
	struct sim_image_global *globals; /* owned */
	size_t global_count;
	uint32_t arch; /* of the code that was read, as in sm_90: 90 */
	bool is_ptx;   /* it was text, or was linked here and has the texts of its parts */
};

/*
 * Reads an image of `size` bytes. Returns 0, -EINVAL for bytes that are no image or a broken one,
 * -ENOMEM.
 */
int sim_image_parse(const void *data, size_t size, struct sim_image **image);

/*
 * Reads an image that lies in this process, as cuModuleLoadData gets it: by address only. Headers
 * at that address are trusted to say the size; follows a wrapper's pointer.
 */
int sim_image_load(const void *data, struct sim_image **image);

/* Where the bytes of such an image are, and how many. Returns 0 or -EINVAL. */
int sim_image_locate(const void *data, const void **bytes, size_t *size);

void sim_image_free(struct sim_image *image);

/* The same for an image on the caller's memory. */
void sim_image_fini(struct sim_image *image);

/* NULL if there is no kernel of that name. */
const struct sim_image_kernel *sim_image_find_kernel(const struct sim_image *image,
						     const char *name);
