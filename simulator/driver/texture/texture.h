/* Texture and surface objects: what the application described, and the same for the executor.
 *
 * A handle is a number that is never used twice: the object's place in a table, and how often the
 * place was used before. An object refers to memory that it does not hold: when an array is gone,
 * its objects are dead for kernels. Counted: launches in flight keep what they found. A destroyed
 * object stays for launches that were enqueued before, which may load its handle from memory: a
 * device has its description in a table of its own, and no destroy waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/executor/texture/texture.h"

struct sim_alloc;

struct sim_texture {
	unsigned int refs;
	uint64_t handle;
	bool has_view;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC sampler;
	CUDA_RESOURCE_VIEW_DESC view;
	bool is_dead;	       /* an array is gone */
	uint64_t destroyed_id; /* of sim_next_id(), when it was; 0: it is live */
	struct sim_texture *next_destroyed;
	unsigned int array_count;	     /* one for each level; 0: linear memory */
	CUarray arrays[EXEC_TEXTURE_LEVELS]; /* borrowed, as their bytes, until it is dead */
	struct sim_alloc *bytes[EXEC_TEXTURE_LEVELS];
	struct exec_texture made; /* for the executor */
};

/* Makes an object live; 0: out of memory. Takes over a reference. */
uint64_t sim_texture_add(struct sim_texture *texture);

/* The live object of that handle, or NULL. */
struct sim_texture *sim_texture_find(uint64_t handle);

/* The handle is dead for launches from now on, the moment `id` of sim_next_id(). */
void sim_texture_remove(uint64_t handle, uint64_t id);

/* The object of that handle that was live at the moment of sim_next_id(), or NULL. */
struct sim_texture *sim_texture_find_since(uint64_t handle, uint64_t id);

/* The oldest launch that is not over was enqueued at that moment; UINT64_MAX: there is none. */
void sim_texture_set_oldest(uint64_t id);

void sim_texture_get(struct sim_texture *texture);
void sim_texture_put(struct sim_texture *texture);

/* Objects of the array are dead from now on. */
void sim_texture_lose(CUarray array);

/* What the descriptions mean, checked. Without a sampler it is a surface. */
CUresult sim_texture_describe(struct sim_texture *texture);
