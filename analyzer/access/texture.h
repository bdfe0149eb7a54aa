/* Textures: which memory the handles of texture and surface objects stand for.
 *
 * Handles are small numbers, and each context has its own.
 */
#ifndef SC_ANALYZER_ACCESS_TEXTURE_H
#define SC_ANALYZER_ACCESS_TEXTURE_H

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

struct sc_texture {
	uint64_t handle;
	uint64_t start; /* 0: it was destroyed */
	uint64_t bytes; /* 0: all of the allocation */
	uint32_t context;
	bool is_surface;
};

/* An empty one is all zero. */
struct sc_textures {
	struct sc_u64_map places; /* hash of kind, context and handle → number + 1 */
	SC_VECTOR(struct sc_texture) items;
};

/* Takes up TEXTURE records. */
void sc_textures_note(struct sc_textures *t, const struct sc_record *r);
/* The object that has this handle now, or NULL. */
const struct sc_texture *sc_textures_find(const struct sc_textures *t, bool is_surface,
					  uint32_t context, uint64_t handle);
void sc_textures_fini(struct sc_textures *t);

#endif
