/* Textures: which memory the handles of texture and surface objects stand for.
 *
 * Handles are small numbers, and each context has its own, of textures and of surfaces. What is
 * destroyed is gone, so memory depends on what is alive.
 */
#ifndef SC_ANALYZER_ACCESS_TEXTURE_H
#define SC_ANALYZER_ACCESS_TEXTURE_H

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

struct sc_texture {
	uint64_t start;
	uint64_t bytes; /* 0: all of the allocation */
};

/* Objects of one kind in a context, by handle. */
struct sc_texture_handles {
	struct sc_u64_map starts, bytes;
};

/* An empty one is all zero. */
struct sc_textures {
	struct sc_u64_map places; /* context and kind → number + 1 */
	SC_VECTOR(struct sc_texture_handles) handles;
	size_t count; /* objects that are alive */
};

/* Takes up TEXTURE records. */
void sc_textures_note(struct sc_textures *t, const struct sc_record *r);
/* The object that has this handle now; false: none has. */
bool sc_textures_find(const struct sc_textures *t, bool is_surface, uint32_t context,
		      uint64_t handle, struct sc_texture *out);
void sc_textures_fini(struct sc_textures *t);

#endif
